"""Memory of roles: list, search, create, change, delete."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.actions import memory as actions
from roles.api import serializers
from roles.api.operation import operation
from roles.api.request_params import PAGE, checked, choice_in, number_in, paged, text_in
from roles.core.memory import SCOPES
from roles.core.memory_tools import DEFAULT_CONFIDENCE
from roles.request_user import request_user
from roles.selectors import memory as read


class Memories(APIView):
    """Facts of the user's roles and facts shared in projects, newest first."""

    @operation(
        "memories_list",
        serializers.MemoryPage,
        400,
        parameters=[
            OpenApiParameter("role", int),
            OpenApiParameter("project", str),
            OpenApiParameter("scope", enum=SCOPES),
            OpenApiParameter("q", str, description="Words that all have to occur."),
            *PAGE,
        ],
    )
    def get(self, request: Request) -> Response:
        rows = read.memories(
            request_user(request),
            role=number_in(request, "role"),
            project=text_in(request, "project"),
            scope=choice_in(request, "scope", SCOPES),
            query=text_in(request, "q"),
        )
        return paged(self, request, rows, read.memory_json)

    @operation(
        "memories_create",
        serializers.MemoryDescription,
        400,
        404,
        422,
        status=201,
        request=serializers.NewMemory,
    )
    def post(self, request: Request) -> Response:
        """Store a fact. The same text in the same namespace renews the stored fact."""
        params = checked(serializers.NewMemory, request)
        row = actions.create(
            scope=params["scope"],
            role=params.get("role"),
            project=params.get("project", ""),
            by=request_user(request),
            fact=params["fact"],
            category=params["category"],
            confidence=params.get("confidence", DEFAULT_CONFIDENCE),
        )
        return Response(read.memory_json(row), status=201)


class Memory(APIView):
    """One fact."""

    @operation("memories_read", serializers.MemoryDescription, 404)
    def get(self, request: Request, id: int) -> Response:
        """Read a fact of a role's memory."""
        return Response(read.memory_json(read.readable_memory(id, request_user(request))))

    @operation(
        "memories_change",
        serializers.MemoryDescription,
        400,
        404,
        422,
        request=serializers.MemoryChange,
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change a fact of a role's memory."""
        params = checked(serializers.MemoryChange, request)
        return Response(read.memory_json(actions.change(id, request_user(request), **params)))

    @operation("memories_delete", None, 404, status=204)
    def delete(self, request: Request, id: int) -> Response:
        """Delete a fact of a role's memory."""
        actions.delete(id, request_user(request))
        return Response(status=204)
