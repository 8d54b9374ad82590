"""Tools of a pack and their bindings."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import values

ANSWERED_BY = ["tool", "command", "person", "missing"]


class ToolKind(s.Serializer[Any]):
    name = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    touches = s.CharField()
    allowed = s.BooleanField(help_text="Whether this server lets any run use it.")
    schema = values(help_text="JSON Schema of the settings.")


class NewBinding(s.Serializer[Any]):
    kind = s.CharField(max_length=40)
    settings = values(required=False)
    secrets = values(
        required=False,
        help_text="Name → value, never shown again; stored ones that are left out are kept.",
    )


class Binding(s.Serializer[Any]):
    kind = s.CharField()
    settings = values()
    secret_names = s.ListField(child=s.CharField())
    changed_at = s.DateTimeField()


class UsualBinding(s.Serializer[Any]):
    kind = s.CharField()
    settings = values()


class PackTool(s.Serializer[Any]):
    """`usual`: the default binding; null asks a person. `answered_by`: how a call is answered on
    this server: by the tool, by the tool in a run that may run commands (`command`), or by a
    person. `missing`: the pack allows a tool that this server does not have, so no run starts.
    `asks_first`: its binding asks a person before each call."""

    tool = s.CharField()
    description = s.CharField()
    parameters = values(help_text="JSON Schema of the arguments, as the pack has it.")
    in_pack = s.BooleanField()
    binding = Binding(allow_null=True)
    usual = UsualBinding(allow_null=True)
    answered_by = s.ChoiceField(choices=ANSWERED_BY)
    asks_first = s.BooleanField()


class NewToolTrial(s.Serializer[Any]):
    tool = s.CharField(max_length=300)
    arguments = values(required=False)
    commands = s.BooleanField(
        required=False, help_text="As in a run that was started with commands."
    )


class ToolTestResult(s.Serializer[Any]):
    """`person`: the tool was not called, since a run would ask a person; `text`: the reason."""

    outcome = s.ChoiceField(choices=["result", "error", "person"])
    text = s.CharField()
