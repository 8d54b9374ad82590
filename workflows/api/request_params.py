"""Validated request parameters and bodies."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from roles.api.request_params import PAGE, checked, number_in, paged
from workflows.bindings.step_kinds import TRIGGERS
from workflows.errors import BadRequest

__all__ = ["PAGE", "checked", "number_in", "paged"]
STARTED_BY = OpenApiParameter(
    "started_by",
    enum=list(TRIGGERS),
    default="ticket",
    description="The origin of the run. Roles choose their task template by it.",
)


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
