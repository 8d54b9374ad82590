"""Connected MCP servers and their tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from roles.core.columns import columns
from roles.rows import found
from workflows.core.engine.effects import ToolSpec
from workflows.core.tools.mcp_names import server_of
from workflows.errors import NotThere
from workflows.models import McpServer
from workflows.security.encryption import DecryptionFailed, decrypt


def mcp_servers() -> list[dict[str, Any]]:
    """Every server by name, without the values of its secrets."""
    return [server_json(row) for row in McpServer.objects.order_by("name")]


def server_json(row: McpServer) -> dict[str, Any]:
    return {
        "id": row.pk,
        **columns(row, "name", "settings"),
        "secret_names": sorted(secrets_of(row)),
        **columns(row, "tools", "problem", "listed_at", "changed_at"),
    }


def server_numbered(id: int) -> McpServer:
    """A server by number. Raises NotThere."""
    return found(McpServer.objects.filter(pk=id), NotThere(f"There is no MCP server {id}."))


def secrets_of(row: McpServer) -> dict[str, str]:
    """Decrypted secrets. Empty if they were encrypted under another key, so that they are entered
    again."""
    try:
        opened = decrypt(row.sealed_secrets)
    except DecryptionFailed:
        return {}
    return json.loads(opened) if opened else {}


def server_tools() -> dict[str, ToolSpec]:
    """The tools of all connected servers by full name."""
    rows = McpServer.objects.order_by("name").values_list("tools", flat=True)
    return {
        tool["name"]: ToolSpec(
            name=tool["name"], description=tool["description"], parameters=tool["parameters"]
        )
        for tools in rows
        for tool in tools
    }


def binding_of(name: str) -> tuple[Mapping[str, Any], dict[str, str], User | None] | None:
    """The binding (`kind`, `settings`) and the secrets of a tool with a full name, and the owner of
    its server; None if no connected server has it."""
    rows = McpServer.objects.select_related("owner").filter(name=server_of(name))
    row = rows.first() if server_of(name) else None
    tool = next((tool for tool in row.tools if tool["name"] == name), None) if row else None
    if row is None or tool is None:
        return None
    binding = {"kind": "mcp", "settings": {**row.settings, "tool": tool["tool"]}}
    return binding, secrets_of(row), row.owner
