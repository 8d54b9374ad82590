"""Forks of runs, and two runs beside each other."""

from __future__ import annotations

from typing import Any, get_args

from rest_framework import serializers as s

from workflows.api.serializers.runs import HowToRun, RunDescription
from workflows.core.engine.replay.compare_runs import How
from workflows.db.integers import MAX_INTEGER


class NewFork(HowToRun):
    """What is left out is as in the run that is forked, except that commands have to be allowed
    anew."""

    at = s.IntegerField(min_value=1, max_value=MAX_INTEGER)
    driver = s.CharField(required=False)


class Forked(s.Serializer[Any]):
    at = s.IntegerField()
    run = RunDescription()


class ComparedRun(s.Serializer[Any]):
    """`visits`: how many states were entered."""

    run = RunDescription()
    events = s.IntegerField()
    seconds = s.FloatField()
    visits = s.IntegerField()
    transitions = s.IntegerField()
    model_calls = s.IntegerField()
    tool_calls = s.IntegerField()
    input_tokens = s.IntegerField()
    output_tokens = s.IntegerField()
    cost = s.FloatField()


class PartedAt(s.Serializer[Any]):
    """`left` and `right` are numbers of events; null where that run has got no further."""

    position = s.CharField()
    state = s.CharField()
    left = s.IntegerField(allow_null=True)
    right = s.IntegerField(allow_null=True)
    message = s.CharField()


class TakenArrow(s.Serializer[Any]):
    transition = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    target = s.CharField()


class ComparedStay(s.Serializer[Any]):
    """From event `n` to event `until`; `arrow` is null where the state was not left by one."""

    n = s.IntegerField()
    until = s.IntegerField()
    arrow = TakenArrow(allow_null=True)


class ComparedSaid(s.Serializer[Any]):
    n = s.IntegerField()
    type = s.CharField()
    text = s.CharField()


class ComparedAnswer(s.Serializer[Any]):
    left = ComparedSaid(allow_null=True)
    right = ComparedSaid(allow_null=True)


class ComparedRow(s.Serializer[Any]):
    """One visit of a state. `how`: the same, with other answers (`said`), left by another arrow, or
    in one of the two alone. `answers` are those that differ, `reworded` other prompts."""

    position = s.CharField()
    state = s.CharField()
    visit = s.IntegerField()
    how = s.ChoiceField(choices=get_args(How))
    departs = s.BooleanField()
    reworded = s.BooleanField()
    left = ComparedStay(allow_null=True)
    right = ComparedStay(allow_null=True)
    answers = ComparedAnswer(many=True)


class ComparedCount(s.Serializer[Any]):
    id = s.CharField()
    left = s.IntegerField()
    right = s.IntegerField()


class ComparedValue(s.Serializer[Any]):
    n = s.IntegerField()
    text = s.CharField()


class ComparedArtifact(s.Serializer[Any]):
    name = s.CharField()
    left = ComparedValue(allow_null=True)
    right = ComparedValue(allow_null=True)


class RunComparison(s.Serializer[Any]):
    """`shared`: so many first events one has from the other, as its fork. `agree`: so many rows
    before they part. `states`, `transitions` and `artifacts` are those that differ."""

    left = ComparedRun()
    right = ComparedRun()
    same = s.BooleanField()
    shared = s.IntegerField()
    agree = s.IntegerField()
    departure = PartedAt(allow_null=True)
    rows = ComparedRow(many=True)
    states = ComparedCount(many=True)
    transitions = ComparedCount(many=True)
    artifacts = ComparedArtifact(many=True)
