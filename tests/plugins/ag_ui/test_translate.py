"""Runs as AG-UI events. `tests/engine/test_recorded_logs.py` has the recorded ones."""

from __future__ import annotations

from typing import Any

from tests.plugins.ag_ui.verifier import check_stream
from tests.support.checks import each_row
from workflows.core.engine.events import Event
from workflows.plugins.ag_ui.core.cursor import Cursor
from workflows.plugins.ag_ui.core.translate import Translation, translate

BEGIN = Translation(run="7f3c", thread="thread-1", name="run-1")


def stream(log: tuple[Event, ...]) -> list[dict[str, Any]]:
    now, found = BEGIN, []
    for event in log:
        now, more = translate(now, event)
        found += more
    return found


def event(n: int, type: str, **fields: Any) -> Event:
    return Event(n=n, at=100.0 + n, type=type, fields=fields)


def at(state: str, position: str = "0", key: str = "") -> dict[str, Any]:
    return {"state": state, "position": position, **({"key": key} if key else {})}


def test_a_state_that_is_active_twice_has_two_steps() -> None:
    log = (
        event(1, "run.started", inputs={}),
        event(2, "state.entered", **at("a", "0"), visit=1, terminal=False),
        event(3, "state.entered", **at("a", "1"), visit=2, terminal=False),
        event(4, "run.finished", status="failed", reason="The model refused."),
    )
    sent = stream(log)
    check_stream(sent)
    assert [one["stepName"] for one in sent if "stepName" in one] == ["a", "a (1)", "a", "a (1)"]
    assert (sent[-1]["message"], sent[-1]["code"]) == ("The model refused.", "failed")


def test_requests_and_notes_of_programs_stay_on_the_server() -> None:
    log = (
        event(1, "run.started", inputs={}),
        event(2, "tiny.note", text="shown", effect={"system": "hidden"}, memory={"x": "hidden"}),
        event(3, "run.finished", status="completed", reason=""),
        event(4, "workspace.closed", kind="pack"),
    )
    sent = stream(log)
    check_stream(sent)
    assert sent[2]["value"] == {"text": "shown"}
    assert "hidden" not in repr(sent)


@each_row(["", "0", "14", "14.2", "14~0:1@0@37@a1b2", "7.1~0:1@1@@0~0.1:2@0@5@ff"])
def test_a_cursor_is_read_as_it_is_written(text: str) -> None:
    cursor = Cursor.from_text(text)
    assert cursor is not None
    assert str(cursor) == (text or "0")


@each_row(["-1", "1+5", "x", "1.", ".1", "１", "9" * 16, "1 ", "1~", "1~a@1@1", "1~a@1@1@g"])
def test_another_text_is_no_cursor(text: str) -> None:
    assert Cursor.from_text(text) is None
