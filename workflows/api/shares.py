"""Sharing of objects, and groups of users."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from roles.request_user import request_user
from roles.rights import Share
from workflows.actions import shares as actions
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers import shares as shapes
from workflows.rights.levels import SHAREABLE, shareable
from workflows.selectors import shares as read

WHAT = [
    OpenApiParameter("kind", str, OpenApiParameter.PATH, enum=list(SHAREABLE)),
    OpenApiParameter(
        "id", str, OpenApiParameter.PATH, description="The object's id; of a template its name."
    ),
]


@operation(shapes.SharingDescription, parameters=WHAT)
def sharing_read(request: Request, kind: str, id: str) -> Any:
    """Owner and shares of an object."""
    return read.sharing_json(shareable(kind, id), request_user(request))


@operation(shapes.SharingDescription, 400, 403, parameters=WHAT, request=shapes.NewSharing)
def sharing_change(request: Request, kind: str, id: str) -> Any:
    """Replace all shares. The object's owner and staff may."""
    params, row = checked(shapes.NewSharing, request), shareable(kind, id)
    person = request_user(request)
    shares = [share_of(one) for one in params["shares"]]
    actions.set_sharing(row, shares, by=person, owner=params.get("owner"))
    return read.sharing_json(row, person)


@operation(shapes.GroupDescription(many=True))
def groups_list(request: Request) -> Any:
    """List the groups of users, by name."""
    return read.groups_json(request_user(request))


@operation(shapes.GroupDescription, 400, 403, status=201, request=shapes.NewGroup)
def groups_create(request: Request) -> Any:
    """Create a group of users."""
    group = actions.create_group(**checked(shapes.NewGroup, request))
    return read.group_json(group, request_user(request))


@operation(shapes.GroupDescription, 400, 403, request=shapes.NewGroup)
def groups_change(request: Request, id: int) -> Any:
    """Replace the name and the members of a group."""
    group = actions.change_group(id, **checked(shapes.NewGroup, request))
    return read.group_json(group, request_user(request))


@operation(None, 403, status=204)
def groups_delete(request: Request, id: int) -> None:
    """Delete a group, and the shares that it has."""
    actions.delete_group(id)


def share_of(fields: dict[str, Any]) -> Share:
    """A share in a request."""
    return Share(kind=fields["kind"], name=fields["name"], level=actions.LEVELS[fields["level"]])
