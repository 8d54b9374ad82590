"""Roles: list, create, read, change, delete."""

from __future__ import annotations

from typing import Any, cast

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

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


@operation(
    serializers.AgentRolePage,
    400,
    parameters=[
        OpenApiParameter("kind", enum=read.KINDS, description="`own` if absent."),
        OpenApiParameter("q", str, description="Part of the name or the description."),
        *PAGE,
    ],
)
def agent_roles_list(request: Request) -> Any:
    """The user's roles: copies of the system roles, and roles they created."""
    kind = choice_in(request, "kind", read.KINDS) or "own"
    provide(request_user(request))
    rows = read.roles(request_user(request), cast("read.Kind", kind), text_in(request, "q"))
    return paged(request, rows, lambda page: map(read.role_json, page))


@operation(
    serializers.AgentRole,
    409,
    status=201,
    also={422: serializers.InvalidRole},
    parameters=[ETAG],
    request=serializers.NewAgentRole,
)
def agent_roles_create(request: Request) -> Any:
    """Create a role. 422 lists every error of the body with its JSON pointer."""
    return whole(actions.create(request.data, request_user(request)), status=201)


@operation(serializers.AgentRole, 404, parameters=[ETAG])
def agent_roles_read(request: Request, id: int) -> Any:
    """One role of the user, or a system role."""
    return whole(read.readable_role(id, request_user(request)))


@operation(
    serializers.AgentRole,
    403,
    404,
    409,
    412,
    also={422: serializers.InvalidRole},
    parameters=[IF_MATCH, ETAG],
    request=serializers.AgentRoleChange,
)
def agent_roles_change(request: Request, id: int) -> Any:
    """Change the given fields of a role. 403 for a system role."""
    matches = matching(request, read.role_etag)
    return whole(actions.change(id, request.data, request_user(request), matches))


@operation(None, 403, 404, 412, status=204, parameters=[IF_MATCH])
def agent_roles_delete(request: Request, id: int) -> None:
    """Delete a role with its own memory. A copy of a system role is created again at the next
    sign-in."""
    actions.delete(id, request_user(request), matching(request, read.role_etag))


@operation(serializers.PlatformScopes, 404)
def agent_roles_scopes(request: Request, id: int) -> Any:
    """Read the platform scopes of a role."""
    return scopes(read.readable_role(id, request_user(request)))


@operation(
    serializers.PlatformScopes,
    403,
    404,
    also={422: serializers.InvalidRole},
    request=serializers.PlatformScopes,
)
def agent_roles_set_scopes(request: Request, id: int) -> Any:
    """Replace the platform scopes of a role."""
    return scopes(actions.set_scopes(id, request.data, request_user(request)))


def whole(row: Role, status: int = 200) -> Response:
    """A role with its ETag."""
    return Response(read.role_json(row), status=status, headers={"ETag": read.role_etag(row)})


def scopes(row: Role) -> dict[str, Any]:
    return {"platform_scopes": row.platform_scopes}
