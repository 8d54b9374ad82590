"""Trials: recorded model calls that are sent again with changes."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import values
from workflows.core.text.placeholders import MAX_TEXT
from workflows.db.integers import MAX_INTEGER

MAX_CHANGES = 1_000


class NewModelTrial(s.Serializer[Any]):
    """`at`: number of the call's `model.asked` event. Parts that are left out are sent as recorded.
    `texts`: position of a message, from "0" → its new text. `parameters` are added to the recorded
    ones, and null removes one. `connection`: name or number; by default that of the run."""

    at = s.IntegerField(min_value=1, max_value=MAX_INTEGER)
    system = s.CharField(
        required=False, allow_blank=True, trim_whitespace=False, max_length=MAX_TEXT
    )
    developer = s.CharField(
        required=False, allow_blank=True, trim_whitespace=False, max_length=MAX_TEXT
    )
    texts = s.DictField(
        child=s.CharField(allow_blank=True, trim_whitespace=False, max_length=MAX_TEXT),
        required=False,
    )
    parameters = s.DictField(required=False)
    connection = s.CharField(required=False, allow_blank=True, max_length=200)
    model = s.CharField(required=False, allow_blank=True, max_length=200)


class TrialToolCall(s.Serializer[Any]):
    """`unread`: the arguments as the model wrote them if they are not a JSON object."""

    id = s.CharField()
    name = s.CharField()
    arguments = values()
    unread = s.CharField()


class ModelTrial(s.Serializer[Any]):
    """The answer to a trial. It is not stored, and its cost is not part of the run's.

    `structured` is null for a free answer. `error`: the model refused the request. `request` is
    the request as it was sent, null if none was.
    """

    connection = s.CharField()
    provider = s.CharField()
    model = s.CharField()
    text = s.CharField()
    structured = s.JSONField(allow_null=True)
    tool_calls = TrialToolCall(many=True)
    reasoning = s.CharField()
    error = s.CharField()
    input_tokens = s.IntegerField()
    output_tokens = s.IntegerField()
    cost = s.FloatField()
    seconds = s.FloatField()
    request = values(allow_null=True)
