"""Model connections. Keys are write-only."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from roles.api.serializers import AllOptional
from workflows.providers.endpoint import KINDS

TIMEOUT = "Seconds that an answer may take; null for the usual ten minutes."
MODEL_NAMES = (
    "The names that packs use, and this connection's models for them, such as "
    '`{"opus": "claude-opus-5-5"}`. An empty model is the connection\'s own `model`.'
)
DEFAULT_NAMES = f"{MODEL_NAMES} Default: `opus`, `sonnet` and `haiku` for the provider's models."
PRICES = (
    "Model of the provider, or `*` for any, and its price. A model without one has the published "
    "price of its provider."
)
DEFAULT = "Default of states, runs and packs that name no connection."


def _model_names(**options: Any) -> s.DictField:
    return s.DictField(child=s.CharField(allow_blank=True, max_length=200), **options)


class ModelPrice(s.Serializer[Any]):
    """USD per million tokens."""

    input = s.FloatField(min_value=0)
    output = s.FloatField(min_value=0)
    cached_input = s.FloatField(required=False, min_value=0)


def _prices(**options: Any) -> s.DictField:
    return s.DictField(child=ModelPrice(), help_text=PRICES, **options)


class NewConnection(s.Serializer[Any]):
    name = s.CharField(max_length=100)
    kind = s.ChoiceField(choices=KINDS)
    base_url = s.CharField(required=False, allow_blank=True, max_length=400)
    model = s.CharField(required=False, allow_blank=True, max_length=200)
    model_names = _model_names(required=False, help_text=DEFAULT_NAMES)
    prices = _prices(required=False)
    timeout = s.FloatField(required=False, allow_null=True, help_text=TIMEOUT)
    key = s.CharField(required=False, allow_blank=True, max_length=4000, write_only=True)


class ConnectionChange(AllOptional, NewConnection):
    model_names = _model_names(help_text=MODEL_NAMES)
    default = s.BooleanField(help_text=DEFAULT)


class ConnectionDescription(s.Serializer[Any]):
    id = s.IntegerField()
    name = s.CharField()
    kind = s.ChoiceField(choices=KINDS)
    base_url = s.CharField()
    model = s.CharField()
    model_names = _model_names(help_text=MODEL_NAMES)
    prices = _prices()
    timeout = s.FloatField(allow_null=True, help_text=TIMEOUT)
    default = s.BooleanField(help_text=DEFAULT)
    has_key = s.BooleanField()
    created_at = s.DateTimeField()
    changed_at = s.DateTimeField()


class ConnectionTestResult(s.Serializer[Any]):
    works = s.BooleanField()
    sentence = s.CharField()
