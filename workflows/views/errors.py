"""Error pages. Addresses of the API answer with an error body instead."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from workflows.db.storage import STORAGE_HINT, UNSAVED, storage_problem
from workflows.errors import CallerError
from workflows.responses.error_bodies import body, body_of
from workflows.rights.routes import is_api

log = logging.getLogger(__name__)


class ErrorPages:
    """Middleware: errors of callers become a page, as they become a body in the API."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._answer(request)

    def process_exception(self, request: HttpRequest, raised: Exception) -> HttpResponse | None:
        if problem := storage_problem(raised):
            return _storage_page(request, problem)
        if not isinstance(raised, CallerError):
            return None
        return error_page(request, raised)


def _storage_page(request: HttpRequest, problem: str) -> HttpResponse:
    """The page has no user, because the database may not answer who it is."""
    log.error("%s", problem)
    if is_api(request):
        words = f"{problem} {UNSAVED}"
        return JsonResponse(body("storage", words, hint=STORAGE_HINT), status=503)
    words = f"{problem} {UNSAVED} {STORAGE_HINT}"
    context = {"status": 503, "title": PAGES[503][0], "words": words}
    return render(None, "error.html", context, status=503)


def error_page(request: HttpRequest, raised: CallerError) -> HttpResponse:
    """The page of a caller's error."""
    title, words = PAGES.get(raised.status, PAGES[400])
    context = {
        "status": raised.status,
        "title": title,
        "words": f"{raised.message} {raised.hint or words}",
    }
    return render(request, "error.html", context, status=raised.status)


PAGES = {
    400: ("This request makes no sense to the server", "Go back and try again."),
    403: (
        "You may not do this",
        "If you were just sending a form, load the page again: it may have been open for too long.",
    ),
    404: ("This page does not exist", "It may have been deleted, or the link is old."),
    422: ("This is not possible", "Go back and try again."),
    429: ("Too many requests at once", "Try again."),
    503: ("The server cannot store anything at the moment", "Try again."),
    500: (
        "Something went wrong in the server",
        "Nothing of this request was saved. See the server's log.",
    ),
}


def failed(request: HttpRequest, status: int) -> HttpResponse:
    """The page (or for the API the body) of a status."""
    if is_api(request):
        return JsonResponse(body_of(status), status=status)
    title, words = PAGES[status]
    context = {"status": status, "title": title, "words": words}
    return render(request, "error.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failed(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return failed(request, 403)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return failed(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failed(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    raised = sys.exception()
    if isinstance(raised, Exception) and (problem := storage_problem(raised)):
        return _storage_page(request, problem)
    return failed(request, 500)
