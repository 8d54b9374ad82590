"""Every error body, made in one place: `{"code", "message", "hint", "where"}` and extras."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import transaction
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from workflows.core.edits import BadEdit, EditRefused
from workflows.core.engine.program import CannotRun
from workflows.core.files import BadFiles
from workflows.errors import CallerError

log = logging.getLogger(__name__)

SENTENCES = {
    400: ("bad_request", "The request is not one this server can read.", ""),
    401: ("not_signed_in", "Sign in first.", "Send `Authorization: Bearer <token>`."),
    403: ("forbidden", "You may not do this.", ""),
    404: ("not_found", "There is nothing at this address.", "See /api/v1/schema/ for what is."),
    405: ("method_not_allowed", "This address does not take that method.", ""),
    406: ("not_acceptable", "This address answers JSON.", ""),
    413: ("too_large", "The request is too large.", "Import the folder that holds the pack."),
    415: ("unsupported_media_type", "Send JSON or a form with files.", ""),
    500: (
        "internal",
        "Something went wrong in the server. Nothing of this request was saved.",
        "Try again; if it happens again, the server's log says more.",
    ),
}


def body(
    code: str, message: str, *, hint: str = "", where: str = "", **extra: Any
) -> dict[str, Any]:
    """An error as the caller reads it."""
    return {"code": code, "message": message, "hint": hint, "where": where, **extra}


def said(status: int) -> dict[str, Any]:
    """The body of a status that needs no more words."""
    code, message, hint = SENTENCES[status]
    return body(code, message, hint=hint)


def handle(raised: Exception, context: Mapping[str, Any]) -> Response:
    """DRF's exception handler: no exception leaves as a traceback."""
    if transaction.get_connection().in_atomic_block:
        set_rollback()
    status, answer = described(raised)
    headers = {}
    if isinstance(raised, exceptions.APIException):
        if getattr(raised, "auth_header", ""):
            headers["WWW-Authenticate"] = raised.auth_header  # type: ignore[attr-defined]
        if getattr(raised, "wait", None):
            headers["Retry-After"] = str(int(raised.wait))  # type: ignore[attr-defined]
    return Response(answer, status=status, headers=headers)


def described(raised: Exception) -> tuple[int, dict[str, Any]]:
    """Status and body for any exception."""
    match raised:
        case CallerError():
            answer = body(
                raised.code, raised.message, hint=raised.hint, where=raised.where, **raised.extra
            )
            return raised.status, answer
        case BadEdit():
            return 400, body("bad_edit", raised.message, where=raised.where)
        case EditRefused():
            return 422, body("edit_refused", raised.message, hint=raised.hint, where=raised.where)
        case BadFiles():
            return (
                413 if " bytes" in raised.message or " more than " in raised.message else 422,
                body("bad_files", raised.message, hint=raised.hint, where=raised.where),
            )
        case CannotRun():
            return 422, body("cannot_run", raised.message, where=raised.code)
        case exceptions.ValidationError():
            where, message = _first(raised.detail)
            return 400, body("bad_request", message, where=where)
        case exceptions.ParseError():
            return 400, body("bad_request", str(raised.detail))
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return 401, said(401)
        case Http404() | exceptions.NotFound():
            return 404, said(404)
        case PermissionDenied() | exceptions.PermissionDenied():
            return 403, said(403) | {"hint": str(raised)}
        case RequestDataTooBig():
            return 413, said(413)
        case SuspiciousOperation():
            return 400, said(400)
        case exceptions.APIException() if raised.status_code in SENTENCES:
            return raised.status_code, said(raised.status_code)
        case exceptions.APIException():
            return raised.status_code, body(raised.default_code, str(raised.detail))
        case RecursionError():
            return 422, body("unreadable", "This is nested too deeply to read.")
        case _:
            log.error("Unexpected error in the API", exc_info=raised)
            return 500, said(500)


def _first(detail: Any, where: str = "") -> tuple[str, str]:
    """The first complaint of a serializer, with the path of its field."""
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
