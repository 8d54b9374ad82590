"""Every recorded log with all questions about it: folds, clock, fields."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import get_args, get_type_hints

import pytest
from jsonschema_rs import Draft202012Validator

from tests.engine.test_fold_vectors import VECTORS
from tests.support.checks import run_checks
from workflows.api.event_schemas import event_schemas
from workflows.core.engine.active_clock import ACTIVE_CLOCK_EVENTS, ActiveClock
from workflows.core.engine.event_types import CoreEvent
from workflows.core.engine.events import EVENT_TYPES, Event
from workflows.core.engine.fold import fold
from workflows.core.engine.run import RunState

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


@pytest.mark.parametrize("name", VECTORS)
def test_a_recorded_log(name: str) -> None:
    events = tuple(Event.from_json(body) for body in VECTORS[name]["events"])
    run_checks(
        (Log(name, events),),
        the_clock_agrees_with_the_fold,
        events_have_their_declared_fields,
    )


def test_every_shared_event_type_has_one_declaration() -> None:
    declared = [get_args(get_type_hints(kind)["type"])[0] for kind in get_args(CoreEvent)]
    assert sorted(declared) == sorted(EVENT_TYPES)
