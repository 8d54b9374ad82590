"""Approvals and their answers."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from workflows.api.serializers.common import AnyValue, Page, values
from workflows.models import Approval as Row


@extend_schema_field({"$ref": "#/components/schemas/Pending"})
class RequestedEffect(s.DictField):
    """The whole effect, as `workflows.core.engine.effects` writes it."""


class Approval(s.Serializer[Any]):
    id = s.UUIDField()
    run = s.UUIDField()
    pack = s.IntegerField()
    pack_name = s.CharField()
    key = s.CharField()
    kind = s.ChoiceField(choices=Row.Kind.values)
    state = s.CharField()
    question = s.CharField()
    asks = RequestedEffect()
    blocked_reason = s.CharField()
    can_allow = s.BooleanField()
    status = s.ChoiceField(choices=Row.Status.values)
    passed_to = s.CharField(help_text="The person whom another one asked to answer; may be empty.")
    deadline = s.DateTimeField(
        allow_null=True,
        help_text="When the server answers in place of a person; null if it does not.",
    )
    outcome = s.ChoiceField(choices=["", "approve", "deny"], help_text="That answer of the server.")
    asked_at = s.DateTimeField()
    answered_at = s.DateTimeField(allow_null=True)
    answered_by = s.CharField()
    answer = AnyValue()
    reason = s.CharField()


class ApprovalPage(Page):
    results = Approval(many=True)


class NewAssignee(s.Serializer[Any]):
    """`person`: the name of the person who answers next; "" withdraws that."""

    person = s.CharField(allow_blank=True, max_length=150)


class NewAnswer(s.Serializer[Any]):
    """`approve` false denies, with its `reason`. `event` picks one of the choices. `edited` is the
    written answer, replaces a call's arguments, or reports the result of a command (`exit`,
    `stdout`, `stderr`) or call. Without `edited`, a command or call with `can_allow` is performed
    on the server. `tool_calls` are calls in an answer for a model. `rest` approves all further
    calls of the same tool in this run too."""

    approve = s.BooleanField(default=True)
    reason = s.CharField(required=False, allow_blank=True, default="", max_length=10_000)
    event = s.CharField(required=False, allow_blank=True, default="")
    edited = AnyValue(required=False)
    tool_calls = s.ListField(child=values(), required=False)
    rest = s.BooleanField(default=False)
