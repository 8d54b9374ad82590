"""Refusal of query parameters that an operation does not have, or whose value is none of its own.

A parameter that is ignored gives another answer than the caller asked for, with status 200. The
OpenAPI document of the operation lists them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import BasePermission

if TYPE_CHECKING:  # The framework imports this class while it imports its views.
    from rest_framework.request import Request
    from rest_framework.views import APIView

from workflows.core.pack.naming import closest_name
from workflows.errors import BadRequest


class KnownQuery(BasePermission):
    """Passes every request whose query the operation knows; raises BadRequest for others."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not request.query_params:
            return True
        known = _parameters(request, view)
        if known is None:
            return True
        for name, values in request.query_params.lists():
            if name not in known:
                near = closest_name(name, known)
                names = ", ".join(f"`{one}`" for one in sorted(known)) or "none"
                meant = f"Did you mean `{near}`? " if near else ""
                raise BadRequest(
                    f"There is no query parameter `{name:.60}` here.",
                    hint=f"{meant}Parameters: {names}.",
                    where=name,
                )
            choices = [str(one) for one in known[name].enum or ()]
            wrong = next((one for one in values if one and choices and one not in choices), None)
            if wrong is not None:
                raise BadRequest(
                    f"`{name}` is one of {', '.join(choices)}; not {wrong!r:.60}.", where=name
                )
        return True


def _parameters(request: Request, view: APIView) -> dict[str, OpenApiParameter] | None:
    """The query parameters of this operation by name; None if it is not described."""
    handler = getattr(view, (request.method or "").lower(), None)
    described = getattr(handler, "kwargs", {}).get("schema")
    if described is None:
        return None
    schema: Any = described()
    schema.view, schema.method = view, request.method
    return {
        one.name: one
        for one in schema.get_override_parameters()
        if isinstance(one, OpenApiParameter) and one.location == OpenApiParameter.QUERY
    }
