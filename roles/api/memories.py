"""Memory of roles: list, search, create, change, delete."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from roles.actions import memory as actions
from roles.api import serializers
from roles.api.operation import operation
from roles.api.request_params import PAGE, checked, choice_in, number_in, paged, text_in
from roles.core.memory import SCOPES
from roles.core.memory_tools import DEFAULT_CONFIDENCE
from roles.request_user import request_user
from roles.selectors import memory as read


@operation(
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
def memories_list(request: Request) -> Any:
    """Facts of the user's roles and facts shared in projects, newest first."""
    rows = read.memories(
        request_user(request),
        role=number_in(request, "role"),
        project=text_in(request, "project"),
        scope=choice_in(request, "scope", SCOPES),
        query=text_in(request, "q"),
    )
    return paged(request, rows, lambda page: map(read.memory_json, page))


@operation(serializers.MemoryDescription, 400, 404, 422, status=201, request=serializers.NewMemory)
def memories_create(request: Request) -> Any:
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
    return read.memory_json(row)


@operation(serializers.MemoryDescription, 404)
def memories_read(request: Request, id: int) -> Any:
    """Read a fact of a role's memory."""
    return read.memory_json(read.readable_memory(id, request_user(request)))


@operation(serializers.MemoryDescription, 400, 404, 422, request=serializers.MemoryChange)
def memories_change(request: Request, id: int) -> Any:
    """Change a fact of a role's memory."""
    params = checked(serializers.MemoryChange, request)
    return read.memory_json(actions.change(id, request_user(request), **params))


@operation(None, 404, status=204)
def memories_delete(request: Request, id: int) -> None:
    """Delete a fact of a role's memory."""
    actions.delete(id, request_user(request))
