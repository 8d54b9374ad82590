"""Durations of requests by route; addresses that differ in numbers are one route."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from workflows.telemetry.metrics import REQUESTS


def timing(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., HttpResponse]:
    """Middleware: outermost, so that it measures the whole time."""

    def respond(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        route = f"/{match.route}" if match else "other"
        method = request.method if request.method in METHODS else "other"
        spent = time.perf_counter() - began
        REQUESTS.labels(method, route, response.status_code).observe(spent)
        return response

    return respond


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
