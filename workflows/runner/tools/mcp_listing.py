"""The tools of an MCP server, listed once when it is connected, and again on request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser

from workflows.actions import mcp_servers as actions
from workflows.actions.command_right import require_command_right
from workflows.errors import BadRequest
from workflows.isolation.request_turns import REQUESTS
from workflows.models import McpServer
from workflows.runner.tools import check
from workflows.runner.tools.base import ToolFailed
from workflows.runner.tools.mcp_tool_list import list_tools
from workflows.selectors.mcp_servers import secrets_of, server_numbered


def check_address(
    server: Mapping[str, Any],
    secrets: Mapping[str, Any],
    *,
    by: AbstractBaseUser | AnonymousUser | None = None,
) -> None:
    """Validate the settings of a server: `url` or `command`, and `timeout`. Raises BadRequest, and
    CommandsRefused if `by` may not start processes."""
    if "tool" in server:
        raise BadRequest("A server has a `url` or a `command`; `tool` belongs to a binding.")
    check("mcp", server, secrets)
    if "command" in server and not settings.SIGNALBOX_COMMANDS:
        raise BadRequest(
            "This server does not run commands, so it cannot start an MCP server.",
            hint="Its operator can set SIGNALBOX_COMMANDS=1. A server with a URL can be used now.",
            where="settings/command",
        )
    if "command" in server:
        require_command_right(by, where="settings/command")


def refresh(server: int, *, by: AbstractBaseUser | AnonymousUser | None = None) -> McpServer:
    """List the server's tools and store them, or the reason why they cannot be listed. Raises
    NotThere and CommandsRefused. Blocks until the server has answered."""
    row = server_numbered(server)
    try:
        check_address(row.settings, secrets_of(row), by=by)
        hosts = tuple(settings.SIGNALBOX_PRIVATE_HOSTS)
        with REQUESTS.lent():
            tools = list_tools(row.settings, secrets_of(row), hosts)
    except (BadRequest, ToolFailed) as problem:
        return actions.store_problem(server, str(problem))
    return actions.store_tools(server, tools)
