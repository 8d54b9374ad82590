"""Error bodies: `{"code", "message", "hint", "where"}` and extra fields."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError, transaction
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from workflows.db.storage import STORAGE_HINT, UNSAVED, storage_problem
from workflows.responses import error_bodies
from workflows.responses.error_bodies import SENTENCES, body, body_of

log = logging.getLogger(__name__)
BROWSERS = "Mozilla/"
"""The start of the name that every browser sends. Programs that use a token have other names."""


def handle(raised: Exception, context: Mapping[str, Any]) -> Response:
    """DRF's exception handler: every exception becomes an error body."""
    if transaction.get_connection().in_atomic_block:
        set_rollback()
    status, answer = described(raised)
    agent = context["request"].headers.get("User-Agent", "") if context.get("request") else ""
    if status == 401 and agent.startswith(BROWSERS):
        answer["hint"] = "Open a page of Signalbox and sign in."
    headers = {}
    if isinstance(raised, exceptions.APIException):
        if getattr(raised, "auth_header", ""):
            headers["WWW-Authenticate"] = raised.auth_header  # type: ignore[attr-defined]
        if getattr(raised, "wait", None):
            headers["Retry-After"] = str(int(raised.wait))  # type: ignore[attr-defined]
    return Response(answer, status=status, headers=headers)


def described(raised: Exception) -> tuple[int, dict[str, Any]]:
    """Status and body for any exception."""
    if (ours := error_bodies.described(raised)) is not None:
        return ours
    match raised:
        case exceptions.ValidationError():
            where, message = _first(raised.detail)
            return 400, body("bad_request", message, where=where)
        case exceptions.ParseError():
            return 400, body("bad_request", str(raised.detail))
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return 401, body_of(401)
        case Http404() | exceptions.NotFound():
            return 404, body_of(404)
        case PermissionDenied() | exceptions.PermissionDenied():
            return 403, body_of(403) | {"hint": str(raised)}
        case RequestDataTooBig():
            return 413, body_of(413)
        case SuspiciousOperation():
            return 400, body_of(400)
        case exceptions.APIException() if raised.status_code in SENTENCES:
            return raised.status_code, body_of(raised.status_code)
        case exceptions.APIException():
            return raised.status_code, body(raised.default_code, str(raised.detail))
        case OperationalError() if "locked" in str(raised):
            log.warning("A request waited too long for the database: %s", raised)
            return 503, body_of(503)
        case _ if problem := storage_problem(raised):
            log.error("%s", problem)
            return 503, body("storage", f"{problem} {UNSAVED}", hint=STORAGE_HINT)
        case OverflowError():
            log.warning("A request has a number that is too large: %s", raised)
            return 400, body("bad_request", "A number in this request is too large.")
        case _:
            log.error("Unexpected error in the API", exc_info=raised)
            return 500, body_of(500)


def _first(detail: Any, where: str = "") -> tuple[str, str]:
    """The first error of a serializer, with the path of its field."""
    if isinstance(detail, Mapping) and detail:
        key, value = next(iter(detail.items()))
        inner = where if key == "non_field_errors" else f"{where}/{key}".lstrip("/")
        return _first(value, inner)
    if isinstance(detail, list) and detail:
        index = next((i for i, item in enumerate(detail) if item), 0)
        if isinstance(detail[index], Mapping):
            return _first(detail[index], f"{where}/{index}".lstrip("/"))
        return _first(detail[index], where)
    return where, str(detail)
