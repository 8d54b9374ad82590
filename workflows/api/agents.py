"""Agents that packs publish, with their A2A cards."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.selectors import agents as read
from workflows.selectors.packs import pack_named

MEMBER = OpenApiParameter("member", str, OpenApiParameter.PATH, description="The agent's key.")


class Agents(APIView):
    """Every agent that the newest revision publishes."""

    @operation("packs_agents", shapes.PublishedAgent(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(read.agents(pack_named(id)))


class AgentCard(APIView):
    """The card of one agent, as an A2A card if the dialect has such cards."""

    @operation("packs_agent_card", OpenApiTypes.OBJECT, parameters=[MEMBER])
    def get(self, request: Request, id: int, member: str) -> Response:
        return Response(read.card(pack_named(id), member))
