"""Modes: list, create, read, change, delete."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.actions import modes as actions
from roles.api import serializers
from roles.api.request_params import PAGE, paged
from roles.request_user import request_user
from roles.selectors import modes as read


class Modes(APIView):
    """The user's modes, by name."""

    @extend_schema(operation_id="modes_list", parameters=PAGE, responses=serializers.ModePage)
    def get(self, request: Request) -> Response:
        return paged(self, request, read.modes(request_user(request)), read.mode_json)

    @extend_schema(
        operation_id="modes_create",
        request=serializers.NewMode,
        responses={
            201: serializers.ModeDescription,
            409: serializers.ERROR,
            422: serializers.InvalidRole,
        },
    )
    def post(self, request: Request) -> Response:
        """Create a mode. 422 lists every error of its manifest with its JSON pointer."""
        return Response(
            read.mode_json(actions.create(request.data, request_user(request))), status=201
        )


class Mode(APIView):
    """One mode."""

    @extend_schema(
        operation_id="modes_read",
        responses={200: serializers.ModeDescription, 404: serializers.ERROR},
    )
    def get(self, request: Request, id: int) -> Response:
        """Read a mode of roles."""
        return Response(read.mode_json(read.readable_mode(id, request_user(request))))

    @extend_schema(
        operation_id="modes_change",
        request=serializers.ModeChange,
        responses={
            200: serializers.ModeDescription,
            404: serializers.ERROR,
            409: serializers.ERROR,
            422: serializers.InvalidRole,
        },
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change a mode of roles."""
        return Response(read.mode_json(actions.change(id, request.data, request_user(request))))

    @extend_schema(operation_id="modes_delete", responses={204: None, 404: serializers.ERROR})
    def delete(self, request: Request, id: int) -> Response:
        """Delete a mode of roles."""
        actions.delete(id, request_user(request))
        return Response(status=204)
