"""MCP servers on the settings page: connect, refresh, delete."""

from __future__ import annotations

import shlex
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from roles.request_user import request_user
from workflows.actions import mcp_servers as actions
from workflows.db.integers import integer_or_zero
from workflows.errors import BadRequest, CallerError
from workflows.models import McpServer
from workflows.runner.tools.mcp_listing import check_address, refresh
from workflows.selectors import mcp_servers as read


def shown() -> dict[str, Any]:
    """Template data of the section."""
    rows = read.mcp_servers()
    return {"mcp_servers": [{**row, "address": _address(row["settings"])} for row in rows]}


@sensitive_post_parameters("secret")
@require_POST
def change_mcp_servers(request: HttpRequest) -> HttpResponse:
    """A form of the section, chosen by `do`. Its result is shown on the next page."""
    form = request.POST
    try:
        match form.get("do"):
            case "connect":
                settings, secrets = _settings(form), _secrets(form)
                check_address(settings, secrets, by=request.user)
                row = actions.connect(
                    str(form.get("name", "")), settings, secrets, request_user(request)
                )
                _tell(request, refresh(row.pk, by=request.user))
            case "refresh":
                _tell(request, refresh(integer_or_zero(form.get("server")), by=request.user))
            case "delete":
                actions.delete(integer_or_zero(form.get("server")))
                messages.success(request, "The MCP server was deleted.")
            case _:
                messages.error(request, "Unknown form.")
    except CallerError as refused:
        messages.error(request, refused.sentence)
    return redirect(f"{reverse('settings')}#mcp-servers")


def _tell(request: HttpRequest, row: McpServer) -> None:
    if row.problem:
        messages.error(request, f"The tools of {row.name} cannot be listed. {row.problem}")
        return
    count = len(row.tools)
    words = "1 tool" if count == 1 else f"{count} tools"
    messages.success(request, f"The MCP server {row.name} has {words}.")


def _address(settings: dict[str, Any]) -> str:
    return str(settings.get("url") or shlex.join(map(str, settings.get("command", ()))))


def _settings(form: QueryDict) -> dict[str, Any]:
    """A web address, else a command line. Raises BadRequest."""
    address = str(form.get("address", "")).strip()
    if address.startswith(("http://", "https://")):
        return {"url": address}
    try:
        command = shlex.split(address)
    except ValueError:
        raise BadRequest("The command has an unclosed quote.", where="address") from None
    if not command:
        raise BadRequest("An MCP server needs a URL or a command.", where="address")
    return {"command": command}


def _secrets(form: QueryDict) -> dict[str, str]:
    name, value = str(form.get("secret_name", "")).strip(), str(form.get("secret", ""))
    if bool(name) != bool(value):
        raise BadRequest("A secret needs a name and a value.", where="secret")
    return {name: value} if name else {}
