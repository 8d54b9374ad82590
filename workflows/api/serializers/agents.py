"""Agents that packs publish."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s


class AgentSkill(s.Serializer[Any]):
    id = s.CharField()
    name = s.CharField()
    description = s.CharField()
    tags = s.ListField(child=s.CharField())


class AgentCard(s.Serializer[Any]):
    """AgentCard of A2A 1.0, spelled as there. `supportedInterfaces` is for the host to fill in."""

    name = s.CharField()
    description = s.CharField()
    version = s.CharField()
    supportedInterfaces = s.ListField(child=s.DictField())  # noqa: N815
    capabilities = s.DictField()
    defaultInputModes = s.ListField(child=s.CharField())  # noqa: N815
    defaultOutputModes = s.ListField(child=s.CharField())  # noqa: N815
    skills = AgentSkill(many=True)


class PublishedAgent(s.Serializer[Any]):
    key = s.CharField()
    name = s.CharField()
    description = s.CharField()
    card = AgentCard()
