"""Every recorded log as a stream, and the streams of causes and of what people did."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest

from tests.engine.test_fold_vectors import VECTORS
from tests.engine.test_headlines import REFUSED, failed_log
from tests.engine.test_people import ROWS, log_of
from tests.plugins.ag_ui.test_run_log import sent
from tests.plugins.ag_ui.test_translate import BEGIN, stream
from tests.plugins.ag_ui.verifier import check_stream, patched
from tests.support.checks import run_checks
from workflows.core.engine.events import Event, confirms_call
from workflows.core.engine.fold import fold_all
from workflows.core.engine.result import run_result
from workflows.core.engine.run import FINISHED
from workflows.plugins.ag_ui.core.shared_state import shared_state
from workflows.plugins.ag_ui.core.translate import translate

RESULT = ("status", "reason", "ends", "answer", "artifacts", "files", "totals")


@dataclass(frozen=True)
class Log:
    """A recorded log and its stream."""

    name: str
    events: tuple[Event, ...]

    @cached_property
    def stream(self) -> list[dict[str, Any]]:
        return stream(self.events)


def clients_accept_the_stream(log: Log) -> None:
    check_stream(log.stream, whole=fold_all(log.events).status in FINISHED)


def snapshot_and_deltas_give_the_shared_state(log: Log) -> None:
    shown: Any = None
    now = BEGIN
    for event in log.events:
        now, found = translate(now, event)
        for one in copy.deepcopy(found):
            match one["type"]:
                case "STATE_SNAPSHOT":
                    shown = one["snapshot"]
                case "STATE_DELTA":
                    shown = patched(shown, one["delta"])
        if not now.ended:
            assert shown == shared_state(now.state)


def all_answers_and_calls_are_in_the_stream(log: Log) -> None:
    texts = [one["delta"] for one in log.stream if one["type"] == "TEXT_MESSAGE_CONTENT"]
    assert [text for text in texts if text[0] != "{"] == [
        one.fields["text"]
        for one in log.events
        if one.type == "model.replied" and one.fields["text"] and one.fields["text"][0] != "{"
    ]
    calls = ("tool.asked", "tool.called", "command.asked", "tool.refused")
    asked = [e for e in log.events if e.type in calls and not confirms_call(e.type, e.fields)]
    assert len(asked) == sum(one["type"] == "TOOL_CALL_START" for one in log.stream)


def the_end_of_the_stream_has_the_result_of_the_run(log: Log) -> None:
    types = [event.type for event in log.events]
    if "run.finished" not in types:
        return
    run, last = fold_all(log.events[: types.index("run.finished") + 1]), log.stream[-1]
    of_error = last.get("metadata", {}).get("signalbox")
    result = of_error if last["type"] == "RUN_ERROR" else last["result"]
    whole = run_result(run, log.events)
    assert result == {"run": "7f3c", **{field: whole[field] for field in RESULT}}


def a_stream_resumed_after_an_event_of_each_type_gives_the_rest(log: Log) -> None:
    whole = sent(log.name)
    assert len({one.id for one in whole}) == len(whole)
    # Clients resume at the number of an event, or between what was made of one.
    places = {(one.data["type"], "." in one.id): n for n, one in enumerate(whole)}
    for n in places.values():
        assert sent(log.name, after=whole[n].id) == whole[n + 1 :], whole[n].id


@pytest.mark.parametrize("name", VECTORS)
def test_a_recorded_log(name: str) -> None:
    events = tuple(Event.from_json(body) for body in VECTORS[name]["events"])
    run_checks(
        (Log(name, events),),
        clients_accept_the_stream,
        snapshot_and_deltas_give_the_shared_state,
        all_answers_and_calls_are_in_the_stream,
        the_end_of_the_stream_has_the_result_of_the_run,
        a_stream_resumed_after_an_event_of_each_type_gives_the_rest,
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["kind"])
def test_the_stream_has_the_words_about_people(row: dict[str, Any]) -> None:
    log = log_of(row)
    told = [one["value"] for one in stream(log) if one.get("name") == "signalbox.person"]
    assert told == [{"n": log[-1].n, "words": row["words"], "detail": row["detail"]}]


def test_the_cause_of_a_failure_comes_first() -> None:
    log = failed_log(error=REFUSED)
    message = stream(log)[-1]["message"]
    assert message.index(REFUSED) < message.index(log[-1].fields["reason"])
