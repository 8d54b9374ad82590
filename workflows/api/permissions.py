"""Permission of every operation of the API: signed in, and with the rights of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from rest_framework.permissions import IsAuthenticated

if TYPE_CHECKING:  # The framework imports this class while it imports its views.
    from rest_framework.request import Request
    from rest_framework.views import APIView

from workflows.isolation.request_turns import enter
from workflows.rights.gate import Call, check
from workflows.rights.routes import route_of


class HasRights(IsAuthenticated):
    """`workflows.rights` decides. A method without a handler is answered by the view."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not super().has_permission(request, view):
            return False
        match = request.resolver_match
        if match is None or not hasattr(view, (request.method or "").lower()):
            return True
        assert isinstance(request.user, User)
        enter(request.user.pk)
        call = Call(
            route=route_of(match),
            method=request.method or "",
            arguments=match.kwargs,
            query=dict(request.query_params.lists()),
            form={},
            body=lambda: request.data,
        )
        request._request.audit_token = request.auth  # type: ignore[attr-defined]
        request._request.targets = check(request.user, call)  # type: ignore[attr-defined]
        return True
