"""Model connections. Keys are write-only."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.models.endpoint import KINDS

TIMEOUT = "Seconds that an answer may take; null for the usual ten minutes."
DEFAULT = "Default of states, runs and packs that name no connection."


class NewConnection(s.Serializer[Any]):
    name = s.CharField(max_length=100)
    kind = s.ChoiceField(choices=KINDS)
    base_url = s.CharField(required=False, allow_blank=True, max_length=400)
    model = s.CharField(required=False, allow_blank=True, max_length=200)
    timeout = s.FloatField(required=False, allow_null=True, help_text=TIMEOUT)
    key = s.CharField(required=False, allow_blank=True, max_length=4000, write_only=True)


class ConnectionChange(s.Serializer[Any]):
    name = s.CharField(required=False, max_length=100)
    kind = s.ChoiceField(required=False, choices=KINDS)
    base_url = s.CharField(required=False, allow_blank=True, max_length=400)
    model = s.CharField(required=False, allow_blank=True, max_length=200)
    timeout = s.FloatField(required=False, allow_null=True, help_text=TIMEOUT)
    key = s.CharField(required=False, allow_blank=True, max_length=4000, write_only=True)
    default = s.BooleanField(required=False, help_text=DEFAULT)


class ConnectionDescription(s.Serializer[Any]):
    id = s.IntegerField()
    name = s.CharField()
    kind = s.ChoiceField(choices=KINDS)
    base_url = s.CharField()
    model = s.CharField()
    timeout = s.FloatField(allow_null=True, help_text=TIMEOUT)
    default = s.BooleanField(help_text=DEFAULT)
    has_key = s.BooleanField()
    created_at = s.DateTimeField()
    changed_at = s.DateTimeField()


class ConnectionTried(s.Serializer[Any]):
    works = s.BooleanField()
    sentence = s.CharField()
