"""Model connections: list, create, change, test, delete. Keys are never returned."""

from __future__ import annotations

from dataclasses import asdict

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import connections as actions
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.errors import BadRequest, Needed
from workflows.isolation.request_turns import REQUESTS
from workflows.runner.models.connection_test import run_connection_test
from workflows.security.encryption import DecryptionFailed
from workflows.selectors import connections as read


class Connections(APIView):
    """Every connection, by name."""

    @operation("connections_list", shapes.ConnectionDescription(many=True))
    def get(self, request: Request) -> Response:
        """List the model connections that the caller can use, by name."""
        return Response(read.connections(request_user(request)))

    @operation(
        "connections_create",
        shapes.ConnectionDescription,
        400,
        status=201,
        request=shapes.NewConnection,
    )
    def post(self, request: Request) -> Response:
        """Create a model connection. Its key is stored encrypted and never returned."""
        row = actions.create(**checked(shapes.NewConnection, request), owner=request_user(request))
        return Response(read.connection_json(row), status=201)


class Connection(APIView):
    """One connection. Its key is never returned."""

    @operation("connections_read", shapes.ConnectionDescription)
    def get(self, request: Request, id: int) -> Response:
        """Read a model connection. Its key is never returned."""
        return Response(read.connection_json(read.connection_numbered(id)))

    @operation(
        "connections_change", shapes.ConnectionDescription, 400, request=shapes.ConnectionChange
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change a model connection. Fields that are left out stay, and so does its key."""
        row = actions.change(id, **checked(shapes.ConnectionChange, request))
        return Response(read.connection_json(row))

    @operation(
        "connections_delete",
        None,
        409,
        status=204,
        parameters=[OpenApiParameter("force", enum=["1"], description="Delete it anyway.")],
    )
    def delete(self, request: Request, id: int) -> Response:
        """Delete a model connection. 409 if runs that have not ended need it: they would pause."""
        try:
            actions.delete(id, force=request.query_params.get("force") == "1")
        except Needed as needed:
            needed.hint = "Delete it anyway with `?force=1`."
            raise
        return Response(status=204)


class ConnectionTest(APIView):
    """Send a short question to the connection's model."""

    @operation("connections_test", shapes.ConnectionTestResult, request=None)
    def post(self, request: Request, id: int) -> Response:
        try:
            reach = read.reach_of(read.connection_numbered(id))
        except DecryptionFailed as broken:
            raise BadRequest(str(broken), where="key") from None
        with REQUESTS.lent():
            return Response(asdict(run_connection_test(reach)))
