"""Errors as callers of the API read them."""

from __future__ import annotations

from typing import Any

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
