"""Modes: list, create, read, change, delete."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from roles.actions import modes as actions
from roles.api import serializers
from roles.api.operation import operation
from roles.api.request_params import PAGE, paged
from roles.request_user import request_user
from roles.selectors import modes as read


@operation(serializers.ModePage, parameters=PAGE)
def modes_list(request: Request) -> Any:
    """The user's modes, by name."""
    return paged(request, read.modes(request_user(request)), lambda page: map(read.mode_json, page))


@operation(
    serializers.ModeDescription,
    409,
    status=201,
    also={422: serializers.InvalidRole},
    request=serializers.NewMode,
)
def modes_create(request: Request) -> Any:
    """Create a mode. 422 lists every error of its manifest with its JSON pointer."""
    return read.mode_json(actions.create(request.data, request_user(request)))


@operation(serializers.ModeDescription, 404)
def modes_read(request: Request, id: int) -> Any:
    """Read a mode of roles."""
    return read.mode_json(read.readable_mode(id, request_user(request)))


@operation(
    serializers.ModeDescription,
    404,
    409,
    also={422: serializers.InvalidRole},
    request=serializers.ModeChange,
)
def modes_change(request: Request, id: int) -> Any:
    """Change a mode of roles."""
    return read.mode_json(actions.change(id, request.data, request_user(request)))


@operation(None, 404, status=204)
def modes_delete(request: Request, id: int) -> None:
    """Delete a mode of roles."""
    actions.delete(id, request_user(request))
