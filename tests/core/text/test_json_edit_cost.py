"""An edit does not read the file again: its work does not grow with the number of states."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.function_calls import calls
from workflows.core.text.json.document import JsonText, Pointer

STATES: Pointer = ("workflow", "states")
MIDDLE: Pointer = (*STATES, "state-50")


def pack(states: int) -> JsonText:
    workflow = {
        "entry": "state-0",
        "states": {
            f"state-{number}": {
                "prompt_task": "task",
                "on_event": {"Submit": "state-1", "Reject": "state-0"},
                "tools": ["search"],
            }
            for number in range(states)
        },
    }
    return JsonText.parse(json.dumps({"id": "p", "workflow": workflow}, indent=2).encode())


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.set((*MIDDLE, "on_event", "Submit"), "state-2"),
        lambda text: text.set(MIDDLE, {**text.get(MIDDLE), "tools": []}),
        lambda text: text.insert((*STATES, "new"), text.get(MIDDLE), before="state-40"),
        lambda text: text.delete(MIDDLE),
        lambda text: text.rename(MIDDLE, "renamed"),
        lambda text: text.move(MIDDLE, before="state-45"),
    ],
)
def test_an_edit_takes_as_many_steps_among_many_states_as_among_few(
    edit: Callable[[JsonText], JsonText],
) -> None:
    few, many = (pack(size).set(("id",), {"style": ["seen"]}) for size in (200, 3_000))
    edit(few)
    edit(many)
    assert calls(lambda: edit(many)) < 1.5 * calls(lambda: edit(few))


def test_a_line_is_found_without_counting_from_the_start() -> None:
    few, many = pack(200), pack(3_000)
    assert few.line(MIDDLE) == many.line(MIDDLE)
    last: Pointer = (*STATES, "state-2999", "tools", 0)
    many_calls = calls(lambda: many.line(last))
    assert many_calls < 2 * calls(lambda: few.line((*STATES, "state-199", "tools", 0)))


def test_all_other_states_are_the_same_objects_after_an_edit() -> None:
    text = pack(1_000)
    changed = text.set((*MIDDLE, "prompt_task"), "other").delete((*STATES, "state-7"))
    before, after = text.get(STATES), changed.get(STATES)
    assert all(after[name] is before[name] for name in after if name != "state-50")
    assert after["state-50"]["on_event"] is before["state-50"]["on_event"]
