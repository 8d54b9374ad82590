"""Sharing of objects, and groups of users."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from roles.rights import Share
from workflows.actions import shares as actions
from workflows.api import serializers as common
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

    @extend_schema(
        operation_id="sharing_read", parameters=WHAT, responses=shapes.SharingDescription
    )
    def get(self, request: Request, kind: str, id: str) -> Response:
        return Response(read.sharing_json(shareable(kind, id), request_user(request)))

    @extend_schema(
        operation_id="sharing_change",
        parameters=WHAT,
        request=shapes.NewSharing,
        responses={200: shapes.SharingDescription, 400: common.Error, 403: common.Error},
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

    @extend_schema(operation_id="groups_list", responses=shapes.GroupDescription(many=True))
    def get(self, request: Request) -> Response:
        """List the groups of users, by name."""
        return Response(read.groups_json(request_user(request)))

    @extend_schema(
        operation_id="groups_create",
        request=shapes.NewGroup,
        responses={201: shapes.GroupDescription, 400: common.Error, 403: common.Error},
    )
    def post(self, request: Request) -> Response:
        """Create a group of users."""
        group = actions.create_group(**checked(shapes.NewGroup, request))
        return Response(read.group_json(group, request_user(request)), status=201)


class Group(APIView):
    """One group."""

    @extend_schema(
        operation_id="groups_change",
        request=shapes.NewGroup,
        responses={200: shapes.GroupDescription, 400: common.Error, 403: common.Error},
    )
    def put(self, request: Request, id: int) -> Response:
        """Replace the name and the members of a group."""
        group = actions.change_group(id, **checked(shapes.NewGroup, request))
        return Response(read.group_json(group, request_user(request)))

    @extend_schema(operation_id="groups_delete", responses={204: None, 403: common.Error})
    def delete(self, request: Request, id: int) -> Response:
        """Delete a group, and the shares that it has."""
        actions.delete_group(id)
        return Response(status=204)


def share_of(fields: dict[str, Any]) -> Share:
    """A share in a request."""
    return Share(kind=fields["kind"], name=fields["name"], level=actions.LEVELS[fields["level"]])
