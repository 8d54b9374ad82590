"""The audit log is written here: every request of a user that changes something passes this
middleware, whether it comes from a page or from the API."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from workflows.actions.audit import Entry, record
from workflows.rights.gate import Call, operation_of
from workflows.rights.routes import is_api

log = logging.getLogger(__name__)

READS = ("GET", "HEAD", "OPTIONS")
REFUSED = "signalbox_refused"
"""Attribute of a request whose form was refused."""
UNRECORDED = {
    "packs_check_text", "packs_copy", "packs_find", "packs_rehearse", "packs_commit_plan",
    "packs_export_git_plan", "packs_propose_plan", "packs_preview_edits",
    "agent_roles_preview", "check-template", "sign-in",
}  # fmt: skip
"""Operations with a body that change nothing, unless the request has `audit_changed`; and sign-in,
which has its own log."""
RECORDED_READS = {"packs_export", "audit-export", "audit_export", "runs_script"}
"""Operations that return files."""


class AuditLog:
    """Middleware. A failure to record is logged and does not fail the request."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        before = request.user
        signed_in = before if before.is_authenticated else None  # Signing out clears the user.
        answer = self._answer(request)
        entry = _entry(request, answer, signed_in)
        if entry is not None:
            try:
                record(entry)
            except DatabaseError:
                log.exception("An entry of the audit log was not written")
        return answer


def _entry(request: HttpRequest, answer: HttpResponse, before: object) -> Entry | None:
    match = request.resolver_match
    if match is None:
        return None
    method = request.method or ""
    call = Call(
        route=match.route,
        method=method,
        arguments=match.kwargs,
        query={},
        form=request.POST.dict() if method == "POST" and _is_form(request) else {},
        body=dict,
    )
    row = operation_of(call)
    name = row.name if row is not None else match.route
    unrecorded = name in UNRECORDED and not getattr(request, "audit_changed", False)
    if unrecorded or (method in READS and name not in RECORDED_READS):
        return None
    user = request.user if request.user.is_authenticated else before
    if not isinstance(user, User) or not user.pk:
        return None
    token = getattr(getattr(request, "audit_token", None), "name", None)
    targets = getattr(request, "targets", [])
    target = targets[0] if targets else None
    refused = answer.status_code >= 400 or _says_error(request)
    return Entry(
        user=user.pk,
        user_name=user.get_username(),
        by="session" if token is None else f"token {token}",
        operation=name,
        method=method,
        path=request.path,
        kind=target.kind if target else "",
        object_id=target.key if target else "",
        object_name=target.name if target else "",
        refused=refused,
        status=answer.status_code,
        address=str(request.META.get("REMOTE_ADDR", "")),
    )


def mark_refused(request: HttpRequest) -> None:
    """Record a form as refused, for a view that shows the reason in the form itself."""
    setattr(request, REFUSED, True)


def _is_form(request: HttpRequest) -> bool:
    return request.content_type in (
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ) and not is_api(request)


def _says_error(request: HttpRequest) -> bool:
    """Return True if a form was answered with an error message on the next page, or if its view
    called `mark_refused`."""
    if getattr(request, REFUSED, False):
        return True
    storage = getattr(request, "_messages", None)
    queued = getattr(storage, "_queued_messages", [])
    return any(message.level >= messages.ERROR for message in queued)
