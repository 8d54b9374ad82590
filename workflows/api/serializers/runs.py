"""Runs, their events and signals; rehearsals."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from workflows.api.serializers.common import RUN_STATUSES, AnyValue, Page, values
from workflows.core.prompts.modes import PREAMBLES
from workflows.db.integers import MAX_INTEGER

RUN_SOURCES = ["person", "api", "webhook", "schedule"]


class Rehearse(s.Serializer[Any]):
    runs = s.IntegerField(default=50, min_value=1, max_value=2000)
    seed = s.IntegerField(default=1, min_value=-MAX_INTEGER, max_value=MAX_INTEGER)


class Rehearsal(s.Serializer[Any]):
    runs = s.IntegerField()
    coverage = s.FloatField()
    transitions = s.DictField(child=s.IntegerField())
    states = s.DictField(child=s.IntegerField())
    unreached = s.ListField(child=s.CharField())
    shortest = s.DictField(child=s.ListField(child=s.CharField()))
    outcomes = s.DictField(child=s.IntegerField())
    notes = s.ListField(child=s.CharField())


def breakpoints() -> s.ListField:
    """Ids of states and transitions at which a run pauses by itself."""
    return s.ListField(child=s.CharField(max_length=1_000), required=False, max_length=1_000)


def run_mode() -> s.ChoiceField:
    """In PLANNING, commands are not run, and files are written below docs/ only."""
    return s.ChoiceField(choices=list(PREAMBLES), required=False)


class HowToRun(s.Serializer[Any]):
    """Options of a run, started from the beginning or as a fork."""

    revision = s.IntegerField(required=False, min_value=1, max_value=MAX_INTEGER)
    seed = s.IntegerField(required=False, min_value=-MAX_INTEGER, max_value=MAX_INTEGER)
    script = values(required=False)
    connection = s.CharField(required=False, max_length=100, allow_blank=True)
    model = s.CharField(required=False, max_length=200, allow_blank=True)
    mode = run_mode()
    budget = values(required=False)
    delay_ms = s.IntegerField(required=False, min_value=0, max_value=60_000)
    paused = s.BooleanField(required=False)
    commands = s.BooleanField(required=False)
    deny = s.BooleanField(required=False)


class NewRun(HowToRun):
    pack = s.IntegerField(min_value=0, max_value=MAX_INTEGER)
    profile = s.CharField(required=False)
    driver = s.CharField()
    inputs = values(required=False)
    breakpoints = breakpoints()
    tools = values(required=False)


class ForkedFrom(s.Serializer[Any]):
    """`revision`: the other run's, if it differs."""

    run = s.UUIDField()
    at = s.IntegerField()
    revision = s.IntegerField(required=False)


class RunDescription(s.Serializer[Any]):
    id = s.UUIDField()
    pack = s.IntegerField()
    pack_name = s.CharField()
    revision = s.IntegerField()
    profile = s.CharField()
    driver = s.CharField()
    status = s.ChoiceField(choices=RUN_STATUSES)
    reason = s.CharField()
    last = s.IntegerField()
    owner = s.CharField()
    source = s.ChoiceField(choices=RUN_SOURCES)  # type: ignore[assignment]
    trigger = s.IntegerField(allow_null=True)
    trigger_name = s.CharField()
    kept = s.ChoiceField(choices=["", "star", "script"])
    created_at = s.DateTimeField()
    finished_at = s.DateTimeField(allow_null=True)
    path = s.ListField(child=s.CharField())
    forked_from = ForkedFrom(allow_null=True)


class RunChange(s.Serializer[Any]):
    kept = s.BooleanField()


class RunPage(Page):
    results = RunDescription(many=True)


@extend_schema_field({"$ref": "#/components/schemas/RunEvent"})
class RunEvent(s.DictField):
    """An event as `workflows.core.engine.events` writes it."""


@extend_schema_field({"$ref": "#/components/schemas/Pending"})
class Pending(s.DictField):
    """A pending effect, as `workflows.core.engine.effects` writes it."""


class Events(s.Serializer[Any]):
    events = s.ListField(child=RunEvent())
    last = s.IntegerField()
    status = s.ChoiceField(choices=RUN_STATUSES)


class ArtifactValue(s.Serializer[Any]):
    name = s.CharField()
    type = s.CharField()
    value = s.CharField()
    n = s.IntegerField(allow_null=True)


class SavedGraph(s.Serializer[Any]):
    """`name` of the new pack; `at`: with what was added by this event (all of it if left out)."""

    name = s.CharField(required=False, allow_blank=True, max_length=200)
    at = s.IntegerField(required=False, min_value=0, max_value=MAX_INTEGER)


class NewSignal(s.Serializer[Any]):
    """`breakpoints` replaces those of the run; with `until` the run also continues to that point
    once. `Tell` sends `text` to the agent in `state` (a node of an agent graph): it is delivered
    with the next turn, or with `interrupt` at once, ending the turn in progress."""

    type = s.ChoiceField(
        choices=[
            "pause",
            "resume",
            "step",
            "cancel",
            "breakpoints",
            "Approve",
            "Reply",
            "Fire",
            "Tell",
        ]
    )
    key = s.CharField(required=False, allow_blank=True)
    approve = s.BooleanField(required=False)
    event = s.CharField(required=False, allow_blank=True)
    state = s.CharField(required=False, allow_blank=True)
    text = s.CharField(required=False, allow_blank=True, trim_whitespace=False)
    structured = AnyValue(required=False)
    tool_calls = s.ListField(child=values(), required=False)
    reason = s.CharField(required=False, allow_blank=True)
    breakpoints = breakpoints()
    until = s.CharField(required=False, allow_blank=True, max_length=1_000)
    interrupt = s.BooleanField(required=False)
