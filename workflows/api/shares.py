"""Sharing of objects, and groups of users."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

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


class Sharing(APIView):
    """Owner and shares of an object."""

    @operation("sharing_read", shapes.SharingDescription, parameters=WHAT)
    def get(self, request: Request, kind: str, id: str) -> Response:
        return Response(read.sharing_json(shareable(kind, id), request_user(request)))

    @operation(
        "sharing_change",
        shapes.SharingDescription,
        400,
        403,
        parameters=WHAT,
        request=shapes.NewSharing,
    )
    def put(self, request: Request, kind: str, id: str) -> Response:
        """Replace all shares. The object's owner and staff may."""
        params, row = checked(shapes.NewSharing, request), shareable(kind, id)
        person = request_user(request)
        shares = [share_of(one) for one in params["shares"]]
        actions.set_sharing(row, shares, by=person, owner=params.get("owner"))
        return Response(read.sharing_json(row, person))


class Groups(APIView):
    """Groups of users, by name."""

    @operation("groups_list", shapes.GroupDescription(many=True))
    def get(self, request: Request) -> Response:
        """List the groups of users, by name."""
        return Response(read.groups_json(request_user(request)))

    @operation(
        "groups_create", shapes.GroupDescription, 400, 403, status=201, request=shapes.NewGroup
    )
    def post(self, request: Request) -> Response:
        """Create a group of users."""
        group = actions.create_group(**checked(shapes.NewGroup, request))
        return Response(read.group_json(group, request_user(request)), status=201)


class Group(APIView):
    """One group."""

    @operation("groups_change", shapes.GroupDescription, 400, 403, request=shapes.NewGroup)
    def put(self, request: Request, id: int) -> Response:
        """Replace the name and the members of a group."""
        group = actions.change_group(id, **checked(shapes.NewGroup, request))
        return Response(read.group_json(group, request_user(request)))

    @operation("groups_delete", None, 403, status=204)
    def delete(self, request: Request, id: int) -> Response:
        """Delete a group, and the shares that it has."""
        actions.delete_group(id)
        return Response(status=204)


def share_of(fields: dict[str, Any]) -> Share:
    """A share in a request."""
    return Share(kind=fields["kind"], name=fields["name"], level=actions.LEVELS[fields["level"]])
