"""Every recorded log with all questions about it: folds, clock, fields, spans, event streams."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema_rs import Draft202012Validator

from tests.core.ag_ui.test_translate import BEGIN, stream
from tests.core.ag_ui.verifier import check_stream, patched
from tests.engine.test_fold_vectors import VECTORS
from tests.engine.test_spans import REGISTRY, names_of, spans
from tests.event_streams.test_run_log import sent
from tests.support.checks import run_checks
from workflows.api.event_schemas import event_schemas
from workflows.core.ag_ui.shared_state import shared_state
from workflows.core.ag_ui.translate import translate
from workflows.core.engine.active_clock import ACTIVE_CLOCK_EVENTS, ActiveClock
from workflows.core.engine.event_types import CoreEvent
from workflows.core.engine.events import EVENT_TYPES, Event, confirms_call
from workflows.core.engine.fold import fold, fold_all, fold_into
from workflows.core.engine.result import run_result
from workflows.core.engine.run import FINISHED, RunState

SCHEMAS = event_schemas()
RESULT = ("status", "reason", "ends", "answer", "artifacts", "files", "totals")


@cache
def validator(type: str) -> Draft202012Validator:
    """Of events of this type."""
    mapping = SCHEMAS["CoreEvent"]["discriminator"]["mapping"]
    return Draft202012Validator(SCHEMAS[mapping.get(type, "DialectEvent").rpartition("/")[2]])


@dataclass(frozen=True)
class Log:
    """A recorded log, and what it becomes."""

    name: str
    events: tuple[Event, ...]

    @cached_property
    def runs(self) -> list[RunState]:
        """The run after each event."""
        found = [RunState()]
        for event in self.events:
            before = found[-1]
            shown = dict(vars(before))
            found.append(fold(before, event))
            assert vars(before) == shown
        return found[1:]

    @cached_property
    def stream(self) -> list[dict[str, Any]]:
        return stream(self.events)


def folding_in_place_gives_the_runs_of_the_plain_fold(log: Log) -> None:
    private = RunState().changed()
    for event, run in zip(log.events, log.runs, strict=True):
        fold_into(private, event)
        assert vars(private) == vars(run)


def the_clock_agrees_with_the_fold(log: Log) -> None:
    clock, few = ActiveClock(), ActiveClock()
    for event, run in zip(log.events, log.runs, strict=True):
        read = clock.read(event)
        assert max(0.0, read - run.started_at) == pytest.approx(run.active_seconds)
        if event.type in ACTIVE_CLOCK_EVENTS:
            assert few.read(event) == pytest.approx(read)


def events_have_their_declared_fields(log: Log) -> None:
    for event in VECTORS[log.name]["events"]:
        problems = [error.message for error in validator(event["type"]).iter_errors(event)]
        assert problems == [], event


def names_of_spans_are_of_the_published_registry(log: Log) -> None:
    used = {name for span in spans(log.events) for name in names_of(span)}
    whole = log.events[-1].type == "run.finished"
    assert {"gen_ai.conversation.id", "gen_ai.agent.name"} <= used or not whole
    assert used <= set(REGISTRY)


def clients_accept_the_stream(log: Log) -> None:
    check_stream(log.stream, whole=log.runs[-1].status in FINISHED)


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
        folding_in_place_gives_the_runs_of_the_plain_fold,
        the_clock_agrees_with_the_fold,
        events_have_their_declared_fields,
        names_of_spans_are_of_the_published_registry,
        clients_accept_the_stream,
        snapshot_and_deltas_give_the_shared_state,
        all_answers_and_calls_are_in_the_stream,
        the_end_of_the_stream_has_the_result_of_the_run,
        a_stream_resumed_after_an_event_of_each_type_gives_the_rest,
    )


def test_every_shared_event_type_has_one_declaration() -> None:
    declared = [get_args(get_type_hints(kind)["type"])[0] for kind in get_args(CoreEvent)]
    assert sorted(declared) == sorted(EVENT_TYPES)
