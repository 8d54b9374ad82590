"""Model choices of a pack and its states."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s


class ModelChoice(s.Serializer[Any]):
    """ "" in either field leaves it to the next level."""

    connection = s.CharField()
    model = s.CharField()


class ModelChoices(s.Serializer[Any]):
    """`server`: the default; null if the server has none."""

    server = ModelChoice(allow_null=True)
    pack = ModelChoice()
    states = s.DictField(child=ModelChoice())


class NewModelChoice(s.Serializer[Any]):
    """`state` "" is the whole pack. Two empty values clear the choice."""

    state = s.CharField(allow_blank=True, trim_whitespace=False, default="")
    connection = s.CharField(allow_blank=True, max_length=100, default="")
    model = s.CharField(allow_blank=True, max_length=200, default="")
