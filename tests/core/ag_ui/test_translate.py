"""Recorded runs as AG-UI events: valid for the protocol's own models, and in its order."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from scripts.fold_vectors import FOLDER
from tests.core.ag_ui.verifier import check_stream, patched
from workflows.core.ag_ui.cursor import Cursor
from workflows.core.ag_ui.shared_state import shared_state
from workflows.core.ag_ui.translate import Translation, translate
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.result import run_result
from workflows.core.engine.run import FINISHED

LOGS = {
    path.stem: tuple(Event.from_json(body) for body in json.loads(path.read_text())["events"])
    for path in sorted(FOLDER.glob("*.json"))
}
RESULT = ("status", "reason", "ends", "answer", "artifacts", "files", "totals")
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


@pytest.mark.parametrize("name", LOGS)
def test_a_recorded_run_is_a_stream_that_clients_accept(name: str) -> None:
    log = LOGS[name]
    check_stream(stream(log), whole=fold_all(log).status in FINISHED)


@pytest.mark.parametrize("name", LOGS)
def test_snapshot_and_deltas_give_the_shared_state(name: str) -> None:
    shown: Any = None
    now = BEGIN
    for one in LOGS[name]:
        now, found = translate(now, one)
        for sent in copy.deepcopy(found):
            match sent["type"]:
                case "STATE_SNAPSHOT":
                    shown = sent["snapshot"]
                case "STATE_DELTA":
                    shown = patched(shown, sent["delta"])
        if not now.ended:
            assert shown == shared_state(now.state)


@pytest.mark.parametrize("name", LOGS)
def test_all_answers_and_calls_of_a_recorded_run_are_in_its_stream(name: str) -> None:
    log, sent = LOGS[name], stream(LOGS[name])
    texts = [one["delta"] for one in sent if one["type"] == "TEXT_MESSAGE_CONTENT"]
    assert [text for text in texts if text[0] != "{"] == [
        one.fields["text"]
        for one in log
        if one.type == "model.replied" and one.fields["text"] and one.fields["text"][0] != "{"
    ]
    calls = [one for one in log if one.type in ("tool.called", "command.asked", "tool.refused")]
    assert len(calls) == sum(one["type"] == "TOOL_CALL_START" for one in sent)


@pytest.mark.parametrize("name", LOGS)
def test_the_end_of_a_stream_has_the_result_of_the_run(name: str) -> None:
    end = next(n for n, one in enumerate((*LOGS[name], None)) if _ends(one))
    run, last = fold_all(LOGS[name][: end + 1]), stream(LOGS[name])[-1]
    if run.status not in FINISHED:
        return
    of_error = last.get("metadata", {}).get("signalbox")
    result = of_error if last["type"] == "RUN_ERROR" else last["result"]
    whole = run_result(run, LOGS[name])
    assert result == {"run": "7f3c", **{field: whole[field] for field in RESULT}}


def _ends(event: Event | None) -> bool:
    return event is None or event.type == "run.finished"


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


@pytest.mark.parametrize(
    "text", ["", "0", "14", "14.2", "14~0:1@0@37@a1b2", "7.1~0:1@1@@0~0.1:2@0@5@ff"]
)
def test_a_cursor_is_read_as_it_is_written(text: str) -> None:
    cursor = Cursor.from_text(text)
    assert cursor is not None
    assert str(cursor) == (text or "0")


@pytest.mark.parametrize(
    "text", ["-1", "1+5", "x", "1.", ".1", "１", "9" * 16, "1 ", "1~", "1~a@1@1", "1~a@1@1@g"]
)
def test_another_text_is_no_cursor(text: str) -> None:
    assert Cursor.from_text(text) is None
