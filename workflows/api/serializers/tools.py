"""Tools of a pack and what they are bound to."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import values


class ToolKind(s.Serializer[Any]):
    name = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    touches = s.CharField()
    schema = values(help_text="JSON Schema of the settings.")


class NewBinding(s.Serializer[Any]):
    kind = s.CharField(max_length=40)
    settings = values(required=False)
    secrets = values(
        required=False,
        help_text="Name → value, never shown again; those that are there stay when left out.",
    )


class Binding(s.Serializer[Any]):
    kind = s.CharField()
    settings = values()
    secret_names = s.ListField(child=s.CharField())
    changed_at = s.DateTimeField()


class PackTool(s.Serializer[Any]):
    tool = s.CharField()
    description = s.CharField()
    in_pack = s.BooleanField()
    binding = Binding(allow_null=True)
