"""Triggers and their firings."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import RUN_STATUSES, values
from workflows.db.integers import MAX_INTEGER

KINDS = ["webhook", "schedule"]
FOLLOWS = ["pinned", "named", "newest"]
MISSED = ["once", "skip"]
OVERLAPS = ["allow", "skip", "replace"]
OUTCOMES = ["started", "refused", "skipped"]


class TriggerChange(s.Serializer[Any]):
    """`takes`: input → JSON Pointer into a delivery's body, "" for all of it. `options`: inputs,
    connection, model, mode, budget, seed, commands, deny. `revision` goes with `follows` pinned."""

    name = s.CharField(required=False, max_length=100)
    enabled = s.BooleanField(required=False)
    follows = s.ChoiceField(required=False, choices=FOLLOWS)
    revision = s.IntegerField(required=False, min_value=1, max_value=MAX_INTEGER)
    driver = s.CharField(required=False, max_length=40)
    options = values(required=False)
    takes = values(required=False)
    callback = s.CharField(
        required=False,
        allow_blank=True,
        max_length=1_000,
        help_text="Of a webhook: address that the result of each run is sent to.",
    )
    cron = s.CharField(required=False, allow_blank=True, max_length=120)
    timezone = s.CharField(required=False, allow_blank=True, max_length=60)
    missed = s.ChoiceField(required=False, choices=MISSED)
    overlap = s.ChoiceField(
        required=False,
        choices=OVERLAPS,
        help_text="Of a schedule whose earlier run has not ended: start another run, start none, "
        "or cancel the earlier run.",
    )


class NewTrigger(TriggerChange):
    kind = s.ChoiceField(choices=KINDS)
    name = s.CharField(max_length=100)
    driver = s.CharField(max_length=40)


class Firing(s.Serializer[Any]):
    at = s.DateTimeField()
    due_at = s.DateTimeField(allow_null=True)
    outcome = s.ChoiceField(choices=OUTCOMES)
    reason = s.CharField()
    tried = s.BooleanField()
    run = s.UUIDField(allow_null=True)
    run_status = s.ChoiceField(choices=[*RUN_STATUSES, ""])
    callback = s.ChoiceField(choices=["", "waiting", "sent", "failed"])
    callback_error = s.CharField()


class TriggerDescription(s.Serializer[Any]):
    """`path`: of a webhook, below this server's address. `next`: due times of a schedule that is
    on. `firings`: the newest ten."""

    id = s.IntegerField()
    pack = s.IntegerField()
    name = s.CharField()
    kind = s.ChoiceField(choices=KINDS)
    enabled = s.BooleanField()
    owner = s.CharField()
    follows = s.ChoiceField(choices=FOLLOWS)
    revision = s.IntegerField(allow_null=True)
    driver = s.CharField()
    options = values()
    takes = values()
    path = s.CharField()
    callback = s.CharField()
    cron = s.CharField()
    timezone = s.CharField()
    missed = s.ChoiceField(choices=MISSED)
    overlap = s.ChoiceField(choices=OVERLAPS)
    next = s.ListField(child=s.DateTimeField())
    firings = Firing(many=True)
    created_at = s.DateTimeField()


class FreshTrigger(TriggerDescription):
    """`secret` is returned once; a schedule has none."""

    secret = s.CharField()


class Delivered(s.Serializer[Any]):
    """`repeated`: this delivery had started its run before. `run` is null if that was deleted."""

    run = s.UUIDField(allow_null=True)
    repeated = s.BooleanField()


class Trial(s.Serializer[Any]):
    body = s.CharField(
        required=False, allow_blank=True, trim_whitespace=False, max_length=1_048_576
    )


class DueTimes(s.Serializer[Any]):
    next = s.ListField(child=s.DateTimeField())
    problem = s.CharField()
