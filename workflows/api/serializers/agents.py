"""Agents that packs publish."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from workflows.api.serializers.common import values


class PublishedAgent(s.Serializer[Any]):
    key = s.CharField()
    name = s.CharField()
    description = s.CharField()
    card = values(
        help_text="AgentCard of A2A 1.0 (`supportedInterfaces` is for the host to fill in) where "
        "the pack's dialect has such cards, else the agent's fields in the file."
    )
