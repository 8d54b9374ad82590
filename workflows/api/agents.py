"""Agents that packs publish, with their A2A cards."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from workflows.api import serializers as shapes
from workflows.selectors import agents as read
from workflows.selectors.packs import pack_named

MEMBER = OpenApiParameter("member", str, OpenApiParameter.PATH, description="The agent's key.")


class Agents(APIView):
    """Every agent that the newest revision publishes."""

    @extend_schema(operation_id="packs_agents", responses=shapes.PublishedAgent(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(read.agents(pack_named(id)))


class AgentCard(APIView):
    """The card of one agent, as an A2A card if the dialect has such cards."""

    @extend_schema(
        operation_id="packs_agent_card", parameters=[MEMBER], responses=OpenApiTypes.OBJECT
    )
    def get(self, request: Request, id: int, member: str) -> Response:
        return Response(read.card(pack_named(id), member))
