"""Errors, findings and pages of a list."""

from __future__ import annotations

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from workflows.core.engine.run import Status
from workflows.core.pack.findings import LEVELS


@extend_schema_field({"$ref": "#/components/schemas/Json"})
class AnyValue(s.JSONField):
    """Any JSON value."""


@extend_schema_field({"$ref": "#/components/schemas/Edit"})
class Edit(s.DictField):
    """One edit as `workflows.core.pack.edits` reads it."""


RUN_STATUSES = get_args(Status)


def values(**options: Any) -> s.DictField:
    """An object of names and JSON values."""
    return s.DictField(child=AnyValue(), **options)


class Error(s.Serializer[Any]):
    code = s.CharField()
    message = s.CharField()
    hint = s.CharField(allow_blank=True)
    where = s.CharField(allow_blank=True)


class Fix(s.Serializer[Any]):
    label = s.CharField()  # type: ignore[assignment]
    edits = s.ListField(child=Edit())


class Finding(s.Serializer[Any]):
    code = s.CharField()
    level = s.ChoiceField(choices=LEVELS)
    message = s.CharField()
    path = s.CharField()
    pointer = s.CharField()
    line = s.IntegerField()
    element = s.CharField()
    hint = s.CharField()
    fix = Fix(allow_null=True)
    walk = s.ListField(child=s.CharField())
    key = s.CharField(help_text="Code, file and pointer.")
    cause = s.CharField(
        allow_blank=True, help_text="The `key` of the finding of which this one is a consequence."
    )
    other_profile = s.BooleanField(help_text="A hint about the behaviour of another profile.")
    more = s.IntegerField(
        required=False, help_text="The number of further findings of this rule, which are left out."
    )


class Page(s.Serializer[Any]):
    next = s.URLField(allow_null=True)
    count = s.IntegerField()
