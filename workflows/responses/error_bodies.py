"""Errors as callers of the API read them."""

from __future__ import annotations

from typing import Any

from workflows.core.engine.program import CannotRun
from workflows.core.pack.edits import BadEdit, EditRefused
from workflows.core.pack.files import BadFiles, TooMuch
from workflows.errors import CallerError

SENTENCES = {
    400: ("bad_request", "The server cannot read this request.", ""),
    401: ("not_signed_in", "Sign in first.", "Send `Authorization: Bearer <token>`."),
    403: ("forbidden", "You may not do this.", ""),
    404: ("not_found", "This address does not exist.", "/api/v1/schema/ lists the addresses."),
    405: ("method_not_allowed", "This address does not take that method.", ""),
    406: ("not_acceptable", "This address answers JSON.", ""),
    413: ("too_large", "The request is too large.", "Import the folder that holds the pack."),
    415: ("unsupported_media_type", "Send JSON or a form with files.", ""),
    500: (
        "internal",
        "Something went wrong in the server. Nothing of this request was saved.",
        "Try again; if it happens again, see the server's log.",
    ),
    503: ("busy", "The database is busy. Nothing of this request was saved.", "Try again."),
}


def body(
    code: str, message: str, *, hint: str = "", where: str = "", **extra: Any
) -> dict[str, Any]:
    """An error as the caller reads it."""
    return {"code": code, "message": message, "hint": hint, "where": where, **extra}


def body_of(status: int) -> dict[str, Any]:
    """The body of a status that needs no more words."""
    code, message, hint = SENTENCES[status]
    return body(code, message, hint=hint)


def described(raised: Exception) -> tuple[int, dict[str, Any]] | None:
    """Status and body for an exception of ours; None for another one."""
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
            status = 413 if isinstance(raised, TooMuch) else 422
            return status, body("bad_files", raised.message, hint=raised.hint, where=raised.where)
        case CannotRun():
            return 422, body("cannot_run", raised.message, where=raised.code)
        case RecursionError():
            return 422, body("unreadable", "This is nested too deeply to read.")
        case _:
            return None
