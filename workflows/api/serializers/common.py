"""Errors, findings and pages of a list."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s


class Error(s.Serializer[Any]):
    code = s.CharField()
    message = s.CharField()
    hint = s.CharField(allow_blank=True)
    where = s.CharField(allow_blank=True)


class Fix(s.Serializer[Any]):
    label = s.CharField()  # type: ignore[assignment]
    edits = s.ListField(child=s.DictField())


class Finding(s.Serializer[Any]):
    code = s.CharField()
    level = s.ChoiceField(choices=["error", "warning", "hint"])
    message = s.CharField()
    path = s.CharField()
    pointer = s.CharField()
    line = s.IntegerField()
    element = s.CharField()
    hint = s.CharField()
    fix = Fix(allow_null=True)
    walk = s.ListField(child=s.CharField())


class Page(s.Serializer[Any]):
    next = s.URLField(allow_null=True)
    count = s.IntegerField()
