"""Validated request parameters and bodies."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from workflows.bindings.step_kinds import TRIGGERS
from workflows.db.integers import fits_integer
from workflows.errors import BadRequest

STARTED_BY = OpenApiParameter(
    "started_by",
    enum=list(TRIGGERS),
    default="ticket",
    description="The origin of the run. Roles choose their task template by it.",
)


def checked(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The request's body in this shape. Raises DRF's ValidationError, which errors.py converts."""
    if not hasattr(request.data, "items"):
        raise BadRequest("The request's body is an object.")
    serializer = shape(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def number_in(request: Request, name: str, default: int | None = None) -> int | None:
    """A whole number from the query. Raises BadRequest for anything else."""
    text = request.query_params.get(name)
    if text is None or text == "":
        return default
    if not fits_integer(text):
        raise BadRequest(f"`{name}` is a whole number.", where=name)
    return int(text)


def needed(request: Request, name: str) -> str:
    """A required query parameter. Raises BadRequest."""
    text = request.query_params.get(name)
    if text is None:
        raise BadRequest(f"The query needs `{name}`.", where=name)
    return str(text)


def started_by(request: Request) -> str:
    """The origin of a run, from the query. Raises BadRequest for an unknown one."""
    origin = request.query_params.get("started_by", "ticket")
    if origin not in TRIGGERS:
        names = ", ".join(TRIGGERS)
        message = f"A run is started by one of: {names}; not {origin!r:.60}."
        raise BadRequest(message, where="started_by")
    return str(origin)
