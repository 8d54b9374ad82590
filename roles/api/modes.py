"""Modes: list, create, read, change, delete."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.actions import modes as actions
from roles.api import serializers
from roles.api.operation import operation
from roles.api.request_params import PAGE, paged
from roles.request_user import request_user
from roles.selectors import modes as read


class Modes(APIView):
    """The user's modes, by name."""

    @operation("modes_list", serializers.ModePage, parameters=PAGE)
    def get(self, request: Request) -> Response:
        return paged(self, request, read.modes(request_user(request)), read.mode_json)

    @operation(
        "modes_create",
        serializers.ModeDescription,
        409,
        status=201,
        also={422: serializers.InvalidRole},
        request=serializers.NewMode,
    )
    def post(self, request: Request) -> Response:
        """Create a mode. 422 lists every error of its manifest with its JSON pointer."""
        return Response(
            read.mode_json(actions.create(request.data, request_user(request))), status=201
        )


class Mode(APIView):
    """One mode."""

    @operation("modes_read", serializers.ModeDescription, 404)
    def get(self, request: Request, id: int) -> Response:
        """Read a mode of roles."""
        return Response(read.mode_json(read.readable_mode(id, request_user(request))))

    @operation(
        "modes_change",
        serializers.ModeDescription,
        404,
        409,
        also={422: serializers.InvalidRole},
        request=serializers.ModeChange,
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change a mode of roles."""
        return Response(read.mode_json(actions.change(id, request.data, request_user(request))))

    @operation("modes_delete", None, 404, status=204)
    def delete(self, request: Request, id: int) -> Response:
        """Delete a mode of roles."""
        actions.delete(id, request_user(request))
        return Response(status=204)
