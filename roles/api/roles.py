"""Roles: list, create, read, change, delete."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.actions import roles as actions
from roles.actions.copies import provide
from roles.api import serializers
from roles.api.operation import operation
from roles.api.request_params import (
    ETAG,
    IF_MATCH,
    PAGE,
    choice_in,
    matching,
    paged,
    text_in,
)
from roles.models import Role
from roles.request_user import request_user
from roles.selectors import roles as read

CHANGED = {
    200: serializers.AgentRole,
    403: serializers.ERROR,
    404: serializers.ERROR,
    409: serializers.ERROR,
    412: serializers.ERROR,
    422: serializers.InvalidRole,
}


class AgentRoles(APIView):
    """The user's roles: copies of the system roles, and roles they created."""

    @operation(
        "agent_roles_list",
        serializers.AgentRolePage,
        400,
        parameters=[
            OpenApiParameter("kind", enum=read.KINDS, description="`own` if absent."),
            OpenApiParameter("q", str, description="Part of the name or the description."),
            *PAGE,
        ],
    )
    def get(self, request: Request) -> Response:
        kind = choice_in(request, "kind", read.KINDS) or "own"
        provide(request_user(request))
        rows = read.roles(request_user(request), cast("read.Kind", kind), text_in(request, "q"))
        return paged(self, request, rows, read.role_json)

    @operation(
        "agent_roles_create",
        serializers.AgentRole,
        409,
        status=201,
        also={422: serializers.InvalidRole},
        parameters=[ETAG],
        request=serializers.NewAgentRole,
    )
    def post(self, request: Request) -> Response:
        """Create a role. 422 lists every error of the body with its JSON pointer."""
        return whole(actions.create(request.data, request_user(request)), status=201)


class AgentRole(APIView):
    """One role of the user, or a system role."""

    @operation("agent_roles_read", serializers.AgentRole, 404, parameters=[ETAG])
    def get(self, request: Request, id: int) -> Response:
        return whole(read.readable_role(id, request_user(request)))

    @extend_schema(
        operation_id="agent_roles_change",
        parameters=[IF_MATCH, ETAG],
        request=serializers.AgentRoleChange,
        responses=CHANGED,
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change the given fields of a role. 403 for a system role."""
        matches = matching(request, read.role_etag)
        return whole(actions.change(id, request.data, request_user(request), matches))

    @operation("agent_roles_delete", None, 403, 404, 412, status=204, parameters=[IF_MATCH])
    def delete(self, request: Request, id: int) -> Response:
        """Delete a role with its own memory. A copy of a system role is created again at the next
        sign-in."""
        actions.delete(id, request_user(request), matching(request, read.role_etag))
        return Response(status=204)


class Scopes(APIView):
    """The platform scopes of a role."""

    @operation("agent_roles_scopes", serializers.PlatformScopes, 404)
    def get(self, request: Request, id: int) -> Response:
        """Read the platform scopes of a role."""
        return Response(scopes(read.readable_role(id, request_user(request))))

    @operation(
        "agent_roles_set_scopes",
        serializers.PlatformScopes,
        403,
        404,
        also={422: serializers.InvalidRole},
        request=serializers.PlatformScopes,
    )
    def patch(self, request: Request, id: int) -> Response:
        """Replace the platform scopes of a role."""
        return Response(scopes(actions.set_scopes(id, request.data, request_user(request))))


def whole(row: Role, status: int = 200) -> Response:
    """A role with its ETag."""
    return Response(read.role_json(row), status=status, headers={"ETag": read.role_etag(row)})


def scopes(row: Role) -> dict[str, Any]:
    return {"platform_scopes": row.platform_scopes}
