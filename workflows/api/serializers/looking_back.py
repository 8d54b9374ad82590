"""Forks of runs."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import values
from workflows.api.serializers.runs import RunDescription
from workflows.numbers import LARGEST


class NewFork(s.Serializer[Any]):
    """What is left out is as in the run that is forked, except that commands have to be allowed
    anew."""

    at = s.IntegerField(min_value=1, max_value=LARGEST)
    driver = s.CharField(required=False)
    revision = s.IntegerField(required=False, min_value=1, max_value=LARGEST)
    seed = s.IntegerField(required=False, min_value=-LARGEST, max_value=LARGEST)
    script = values(required=False)
    connection = s.CharField(required=False, max_length=100, allow_blank=True)
    model = s.CharField(required=False, max_length=200, allow_blank=True)
    budget = values(required=False)
    delay_ms = s.IntegerField(required=False, min_value=0, max_value=60_000)
    paused = s.BooleanField(required=False)
    commands = s.BooleanField(required=False)
    deny = s.BooleanField(required=False)


class Forked(s.Serializer[Any]):
    at = s.IntegerField()
    run = RunDescription()
