"""Forks and comparisons of runs."""

from __future__ import annotations

from typing import Any, get_args

from rest_framework import serializers as s

from workflows.api.serializers.runs import HowToRun, RunDescription
from workflows.core.engine.replay.compare_runs import How
from workflows.db.integers import MAX_INTEGER


class NewFork(HowToRun):
    """Fields that are left out are copied from the forked run, except the permission to run
    commands."""

    at = s.IntegerField(min_value=1, max_value=MAX_INTEGER)
    driver = s.CharField(required=False)


class Forked(s.Serializer[Any]):
    at = s.IntegerField()
    run = RunDescription()


class ComparedRun(s.Serializer[Any]):
    """`visits`: number of states entered."""

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


class Divergence(s.Serializer[Any]):
    """`left` and `right` are event numbers; null if that run ended earlier."""

    position = s.CharField()
    state = s.CharField()
    left = s.IntegerField(allow_null=True)
    right = s.IntegerField(allow_null=True)
    message = s.CharField()


class TakenTransition(s.Serializer[Any]):
    transition = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    target = s.CharField()


class ComparedVisit(s.Serializer[Any]):
    """From event `n` to `until`; `arrow` is null if the state was not left by a transition."""

    n = s.IntegerField()
    until = s.IntegerField()
    arrow = TakenTransition(allow_null=True)


class ComparedText(s.Serializer[Any]):
    n = s.IntegerField()
    type = s.CharField()
    text = s.CharField()


class ComparedAnswer(s.Serializer[Any]):
    left = ComparedText(allow_null=True)
    right = ComparedText(allow_null=True)


class ComparedRow(s.Serializer[Any]):
    """One visit of a state. `how`: the same, with other answers (`said`), left by another
    transition (`arrow`), or in one run only. `answers` are those that differ, `reworded` the
    prompts that differ."""

    position = s.CharField()
    state = s.CharField()
    visit = s.IntegerField()
    how = s.ChoiceField(choices=get_args(How))
    departs = s.BooleanField()
    reworded = s.BooleanField()
    left = ComparedVisit(allow_null=True)
    right = ComparedVisit(allow_null=True)
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
    """`shared`: number of first events that one run copied from the other, as its fork. `agree`:
    number of rows before they diverge. `states`, `transitions` and `artifacts` are those that
    differ."""

    left = ComparedRun()
    right = ComparedRun()
    same = s.BooleanField()
    shared = s.IntegerField()
    agree = s.IntegerField()
    departure = Divergence(allow_null=True)
    rows = ComparedRow(many=True)
    states = ComparedCount(many=True)
    transitions = ComparedCount(many=True)
    artifacts = ComparedArtifact(many=True)
