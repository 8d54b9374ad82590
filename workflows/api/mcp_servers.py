"""MCP servers: connect, list, refresh, change, delete. Secrets are never returned."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import mcp_servers as actions
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers import mcp_servers as shapes
from workflows.runner.tools.mcp_listing import check_address, refresh
from workflows.selectors import mcp_servers as read


class McpServers(APIView):
    """Every MCP server, by name, with its tools."""

    @operation("mcp_servers_list", shapes.McpServerDescription(many=True))
    def get(self, request: Request) -> Response:
        return Response(read.mcp_servers())

    @operation(
        "mcp_servers_connect",
        shapes.McpServerDescription,
        400,
        status=201,
        request=shapes.NewMcpServer,
    )
    def post(self, request: Request) -> Response:
        """Connect a server and list its tools. A server that does not answer is stored with its
        `problem`."""
        params = checked(shapes.NewMcpServer, request)
        secrets = params.get("secrets") or {}
        check_address(params["settings"], secrets, by=request.user)
        row = actions.connect(params["name"], params["settings"], secrets, request_user(request))
        return Response(read.server_json(refresh(row.pk, by=request.user)), status=201)


class McpServer(APIView):
    """One MCP server."""

    @operation("mcp_servers_read", shapes.McpServerDescription)
    def get(self, request: Request, id: int) -> Response:
        """Read an MCP server with its tools. Its secrets are never returned."""
        return Response(read.server_json(read.server_numbered(id)))

    @operation(
        "mcp_servers_change", shapes.McpServerDescription, 400, request=shapes.McpServerChange
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change the address, and list the tools again."""
        params = checked(shapes.McpServerChange, request)
        secrets = params.get("secrets")
        used_secrets = read.secrets_of(read.server_numbered(id)) if secrets is None else secrets
        check_address(params["settings"], used_secrets, by=request.user)
        row = actions.change(id, params["settings"], secrets)
        return Response(read.server_json(refresh(row.pk, by=request.user)))

    @operation("mcp_servers_delete", None, status=204)
    def delete(self, request: Request, id: int) -> Response:
        """Remove an MCP server. Runs that need its tools ask a person."""
        actions.delete(id)
        return Response(status=204)


class McpServerRefresh(APIView):
    """List the tools of a server again."""

    @operation("mcp_servers_refresh", shapes.McpServerDescription, request=None)
    def post(self, request: Request, id: int) -> Response:
        return Response(read.server_json(refresh(id, by=request.user)))
