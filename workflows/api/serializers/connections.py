"""Connections to models. Keys go in and never come out."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.reach import KINDS


class NewConnection(s.Serializer[Any]):
    name = s.CharField(max_length=100)
    kind = s.ChoiceField(choices=KINDS)
    base_url = s.CharField(required=False, allow_blank=True, max_length=400)
    model = s.CharField(required=False, allow_blank=True, max_length=200)
    key = s.CharField(required=False, allow_blank=True, max_length=4000, write_only=True)


class ConnectionChange(s.Serializer[Any]):
    name = s.CharField(required=False, max_length=100)
    kind = s.ChoiceField(required=False, choices=KINDS)
    base_url = s.CharField(required=False, allow_blank=True, max_length=400)
    model = s.CharField(required=False, allow_blank=True, max_length=200)
    key = s.CharField(required=False, allow_blank=True, max_length=4000, write_only=True)


class ConnectionDescription(s.Serializer[Any]):
    id = s.IntegerField()
    name = s.CharField()
    kind = s.ChoiceField(choices=KINDS)
    base_url = s.CharField()
    model = s.CharField()
    has_key = s.BooleanField()
    created_at = s.DateTimeField()
    changed_at = s.DateTimeField()


class ConnectionTried(s.Serializer[Any]):
    works = s.BooleanField()
    sentence = s.CharField()
