"""MCP servers: connect, list, refresh, change, delete. Secrets are never returned."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import mcp_servers as actions
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers import mcp_servers as shapes
from workflows.runner.tools.mcp_listing import check_address, refresh
from workflows.selectors import mcp_servers as read


@operation(shapes.McpServerDescription(many=True))
def mcp_servers_list(request: Request) -> Any:
    """Every MCP server, by name, with its tools."""
    return read.mcp_servers()


@operation(shapes.McpServerDescription, 400, status=201, request=shapes.NewMcpServer)
def mcp_servers_connect(request: Request) -> Any:
    """Connect a server and list its tools. A server that does not answer is stored with its
    `problem`."""
    params = checked(shapes.NewMcpServer, request)
    secrets = params.get("secrets") or {}
    check_address(params["settings"], secrets, by=request.user)
    row = actions.connect(params["name"], params["settings"], secrets, request_user(request))
    return read.server_json(refresh(row.pk, by=request.user))


@operation(shapes.McpServerDescription)
def mcp_servers_read(request: Request, id: int) -> Any:
    """Read an MCP server with its tools. Its secrets are never returned."""
    return read.server_json(read.server_numbered(id))


@operation(shapes.McpServerDescription, 400, request=shapes.McpServerChange)
def mcp_servers_change(request: Request, id: int) -> Any:
    """Change the address, and list the tools again."""
    params = checked(shapes.McpServerChange, request)
    secrets = params.get("secrets")
    used_secrets = read.secrets_of(read.server_numbered(id)) if secrets is None else secrets
    check_address(params["settings"], used_secrets, by=request.user)
    row = actions.change(id, params["settings"], secrets)
    return read.server_json(refresh(row.pk, by=request.user))


@operation(None, status=204)
def mcp_servers_delete(request: Request, id: int) -> None:
    """Remove an MCP server. Runs that need its tools ask a person."""
    actions.delete(id)


@operation(shapes.McpServerDescription, request=None)
def mcp_servers_refresh(request: Request, id: int) -> Any:
    """List the tools of a server again."""
    return read.server_json(refresh(id, by=request.user))
