"""Memory of roles: list, search, create, change, delete."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.actions import memory as actions
from roles.api import serializers
from roles.api.request_params import PAGE, checked, choice_in, number_in, paged, text_in
from roles.core.memory import SCOPES
from roles.core.memory_tools import DEFAULT_CONFIDENCE
from roles.request_user import request_user
from roles.selectors import memory as read


class Memories(APIView):
    """Facts of the user's roles and facts shared in projects, newest first."""

    @extend_schema(
        operation_id="memories_list",
        parameters=[
            OpenApiParameter("role", int),
            OpenApiParameter("project", str),
            OpenApiParameter("scope", enum=SCOPES),
            OpenApiParameter("q", str, description="Words that all have to occur."),
            *PAGE,
        ],
        responses={200: serializers.MemoryPage, 400: serializers.ERROR},
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

    @extend_schema(
        operation_id="memories_create",
        request=serializers.NewMemory,
        responses={
            201: serializers.MemoryDescription,
            400: serializers.ERROR,
            404: serializers.ERROR,
            422: serializers.ERROR,
        },
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

    @extend_schema(
        operation_id="memories_read",
        responses={200: serializers.MemoryDescription, 404: serializers.ERROR},
    )
    def get(self, request: Request, id: int) -> Response:
        """Read a fact of a role's memory."""
        return Response(read.memory_json(read.readable_memory(id, request_user(request))))

    @extend_schema(
        operation_id="memories_change",
        request=serializers.MemoryChange,
        responses={
            200: serializers.MemoryDescription,
            400: serializers.ERROR,
            404: serializers.ERROR,
            422: serializers.ERROR,
        },
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change a fact of a role's memory."""
        params = checked(serializers.MemoryChange, request)
        return Response(read.memory_json(actions.change(id, request_user(request), **params)))

    @extend_schema(operation_id="memories_delete", responses={204: None, 404: serializers.ERROR})
    def delete(self, request: Request, id: int) -> Response:
        """Delete a fact of a role's memory."""
        actions.delete(id, request_user(request))
        return Response(status=204)
