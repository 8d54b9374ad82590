"""Agents that packs publish, with their A2A cards."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.selectors import agents as read
from workflows.selectors.packs import pack_named

MEMBER = OpenApiParameter("member", str, OpenApiParameter.PATH, description="The agent's key.")


@operation(shapes.PublishedAgent(many=True))
def packs_agents(request: Request, id: int) -> Any:
    """Every agent that the newest revision publishes."""
    return read.agents(pack_named(id))


@operation(OpenApiTypes.OBJECT, parameters=[MEMBER])
def packs_agent_card(request: Request, id: int, member: str) -> Any:
    """The card of one agent, as an A2A card if the dialect has such cards."""
    return read.card(pack_named(id), member)
