"""Rights on pages: the check of the table before each view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

from workflows.errors import CallerError
from workflows.isolation.request_turns import enter
from workflows.rights.gate import Call, check
from workflows.rights.operations import API
from workflows.rights.routes import route_of
from workflows.views.errors import error_page


class RightsOfPages:
    """Middleware: `workflows.rights` decides before the view of a page. Addresses of the API are
    checked after their tokens (`workflows.api.permissions`)."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._answer(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        match = request.resolver_match
        if match is None or route_of(match).startswith(API) or not isinstance(request.user, User):
            return None
        call = Call(
            route=route_of(match),
            method=request.method or "",
            arguments=kwargs,
            query=dict(request.GET.lists()),
            form=request.POST.dict() if request.method == "POST" else {},
            body=dict,
        )
        try:
            enter(request.user.pk)
            request.targets = check(request.user, call)  # type: ignore[attr-defined]
        except CallerError as refused:
            return error_page(request, refused)
        return None
