"""MCP servers: connect, refresh, change, delete. Callers list the tools; secrets are write-only."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from roles.rows import unless_taken
from workflows.core.tools.mcp_names import SERVER_NAME, full_name
from workflows.db.text import is_storable, to_storable
from workflows.errors import BadRequest
from workflows.models import McpServer
from workflows.security.encryption import encrypt
from workflows.selectors.mcp_servers import server_numbered

MAX_TOOLS = 1_000
"""Tools of one server; more are left out."""


def connect(
    name: str,
    settings: Mapping[str, Any],
    secrets: Mapping[str, str] | None = None,
    owner: User | None = None,
) -> McpServer:
    """Store a server without tools. Callers check the settings first. Raises BadRequest."""
    row = McpServer(name=_name(name), settings=_settings(settings), owner=owner)
    row.sealed_secrets = _sealed(secrets or {})
    with unless_taken(BadRequest(f"The MCP server {row.name!r} already exists.", where="name")):
        row.save()
    return row


@transaction.atomic
def change(
    server: int, settings: Mapping[str, Any], secrets: Mapping[str, str] | None = None
) -> McpServer:
    """Change the address of a server. Secrets that are left out (None) are kept, unless they would
    be sent elsewhere. Raises BadRequest and NotThere."""
    row = server_numbered(server)
    if secrets is None and row.sealed_secrets and dict(settings) != row.settings:
        raise BadRequest(
            "The secrets were entered for another address. Enter them again to use them here.",
            where="secrets",
        )
    row.settings = _settings(settings)
    if secrets is not None:
        row.sealed_secrets = _sealed(secrets)
    row.save()
    return row


@transaction.atomic
def store_tools(server: int, tools: Iterable[Mapping[str, Any]]) -> McpServer:
    """Replace a server's tools by those of a new listing: `{"tool", "description", "parameters",
    "read_only"}`. Raises NotThere."""
    row = server_numbered(server)
    by_name: dict[str, dict[str, Any]] = {}
    for tool in tools:
        name = full_name(row.name, str(tool["tool"]))
        if len(by_name) < MAX_TOOLS and name not in by_name and is_storable(json.dumps(tool)):
            by_name[name] = {"name": name, **tool}
    row.tools, row.problem, row.listed_at = list(by_name.values()), "", timezone.now()
    row.save()
    return row


@transaction.atomic
def store_problem(server: int, problem: str) -> McpServer:
    """Record why a listing failed. The tools of the last one stay. Raises NotThere."""
    row = server_numbered(server)
    row.problem = to_storable(problem)[:1_000]
    row.save()
    return row


def delete(server: int) -> None:
    """Delete a server. Raises NotThere. Runs that need its tools ask a person."""
    server_numbered(server).delete()


def _name(text: str) -> str:
    name = text.strip()
    if len(name) > 60 or not SERVER_NAME.fullmatch(name):
        raise BadRequest(
            "The name of an MCP server has 1 to 60 letters, digits, hyphens and single "
            "underscores, because it is part of its tools' names.",
            where="name",
        )
    return name


def _settings(values: Mapping[str, Any]) -> dict[str, Any]:
    text = json.dumps(dict(values))
    if not is_storable(text) or r"\u0000" in text:
        raise BadRequest("Settings are plain text.", where="settings")
    return dict(values)


def _sealed(secrets: Mapping[str, str]) -> str:
    return encrypt(json.dumps(dict(secrets))) if secrets else ""
