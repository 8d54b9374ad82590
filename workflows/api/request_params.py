"""Validated request parameters and bodies."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.serializers import Serializer

from workflows.db.integers import fits_integer
from workflows.errors import BadRequest


def checked(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The request's body in this shape. Raises DRF's ValidationError, which errors.py converts."""
    if not hasattr(request.data, "items"):
        raise BadRequest("The request's body is an object.")
    serializer = shape(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def number_in(request: Request, name: str, default: int | None = None) -> int | None:
    """A whole number from the query. Raises BadRequest for anything else."""
    given = request.query_params.get(name)
    if given is None or given == "":
        return default
    if not fits_integer(given):
        raise BadRequest(f"`{name}` is a whole number.", where=name)
    return int(given)


def needed(request: Request, name: str) -> str:
    """A required query parameter. Raises BadRequest."""
    given = request.query_params.get(name)
    if given is None:
        raise BadRequest(f"The query needs `{name}`.", where=name)
    return str(given)
