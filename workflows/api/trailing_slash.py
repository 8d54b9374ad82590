"""Trailing slashes of API addresses are optional."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from workflows.rights.routes import is_api


def last_slash(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Read `/api/v1/packs/7/edits` as `/api/v1/packs/7/edits/`.

    Django would answer with a redirect, and a redirected POST loses its body.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if is_api(request) and not request.path_info.endswith("/"):
            request.path_info += "/"
            request.path += "/"
        return get_response(request)

    return respond
