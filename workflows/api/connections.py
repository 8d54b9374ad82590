"""Model connections: list, create, change, test, delete. Keys are never returned."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

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


@operation(shapes.ConnectionDescription(many=True))
def connections_list(request: Request) -> Any:
    """List the model connections that the caller can use, by name."""
    return read.connections(request_user(request))


@operation(shapes.ConnectionDescription, 400, status=201, request=shapes.NewConnection)
def connections_create(request: Request) -> Any:
    """Create a model connection. Its key is stored encrypted and never returned."""
    row = actions.create(**checked(shapes.NewConnection, request), owner=request_user(request))
    return read.connection_json(row)


@operation(shapes.ConnectionDescription)
def connections_read(request: Request, id: int) -> Any:
    """Read a model connection. Its key is never returned."""
    return read.connection_json(read.connection_numbered(id))


@operation(shapes.ConnectionDescription, 400, request=shapes.ConnectionChange)
def connections_change(request: Request, id: int) -> Any:
    """Change a model connection. Fields that are left out stay, and so does its key."""
    row = actions.change(id, **checked(shapes.ConnectionChange, request))
    return read.connection_json(row)


@operation(
    None,
    409,
    status=204,
    parameters=[OpenApiParameter("force", enum=["1"], description="Delete it anyway.")],
)
def connections_delete(request: Request, id: int) -> None:
    """Delete a model connection. 409 if runs that have not ended need it: they would pause."""
    try:
        actions.delete(id, force=request.query_params.get("force") == "1")
    except Needed as needed:
        needed.hint = "Delete it anyway with `?force=1`."
        raise


@operation(shapes.ConnectionTestResult, request=None)
def connections_test(request: Request, id: int) -> Any:
    """Send a short question to the connection's model."""
    try:
        reach = read.reach_of(read.connection_numbered(id))
    except DecryptionFailed as broken:
        raise BadRequest(str(broken), where="key") from None
    with REQUESTS.lent():
        return asdict(run_connection_test(reach))
