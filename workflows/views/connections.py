"""Model connections on the settings page: add, change, test, delete."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from workflows.actions import connections as actions
from workflows.db.integers import fits_integer
from workflows.errors import BadRequest, CallerError
from workflows.models.endpoint import IN_WORDS
from workflows.runner.models.connection_test import run_connection_test
from workflows.security.encryption import DecryptionFailed
from workflows.selectors import connections as read


def shown() -> dict[str, Any]:
    """Template data of the connections section."""
    rows = [{**row, "kind": IN_WORDS[row["kind"]]} for row in read.connections()]
    return {"connections": rows, "connection_kinds": IN_WORDS.items()}


@sensitive_post_parameters("key")
@require_POST
def change_connections(request: HttpRequest) -> HttpResponse:
    """A form of the section, chosen by `do`. Its result is shown on the next page."""
    given = request.POST
    try:
        match given.get("do"):
            case "add":
                texts = _texts(given, "name", "kind", "base_url", "model", "key")
                row = actions.create(**texts, timeout=_seconds(given))
                messages.success(request, f"The connection {row.name} was added.")
            case "change":
                row = actions.change(_number(given), **_changes(given))
                messages.success(request, f"The connection {row.name} was changed.")
            case "default":
                row = actions.change(_number(given), default=True)
                messages.success(request, f"{row.name} is the default connection now.")
            case "delete":
                actions.delete(_number(given))
                messages.success(request, "The connection was deleted.")
            case "test":
                _try(request, _number(given))
            case _:
                messages.error(request, "Unknown form.")
    except CallerError as refused:
        messages.error(request, f"{refused.message} {refused.hint}".strip())
    return redirect(f"{reverse('settings')}#connections")


def _try(request: HttpRequest, connection: int) -> None:
    try:
        tried = run_connection_test(read.reach_of(read.connection_numbered(connection)))
    except DecryptionFailed as broken:
        messages.error(request, str(broken))
        return
    tell = messages.success if tried.works else messages.error
    tell(request, tried.sentence)


def _texts(given: QueryDict, *names: str) -> dict[str, str]:
    return {name: str(given.get(name, "")) for name in names}


def _changes(given: QueryDict) -> dict[str, Any]:
    """Changes in the form. An empty key keeps the stored one."""
    return {
        **_texts(given, "base_url", "model"),
        "timeout": _seconds(given),
        **({"key": str(given["key"])} if given.get("key") else {}),
    }


def _seconds(given: QueryDict) -> float | None:
    """The timeout in the form. Raises BadRequest."""
    entered = str(given.get("timeout", "")).strip()
    try:
        return float(entered) if entered else None
    except ValueError:
        raise BadRequest(f"{entered[:40]!r} is not a number of seconds.", where="timeout") from None


def _number(given: QueryDict) -> int:
    connection = str(given.get("connection", ""))
    return int(connection) if fits_integer(connection) else 0
