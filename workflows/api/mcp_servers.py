"""MCP servers: connect, list, refresh, change, delete. Secrets are never returned."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import mcp_servers as actions
from workflows.api import serializers as common
from workflows.api.request_params import checked
from workflows.api.serializers import mcp_servers as shapes
from workflows.runner.tools.mcp_listing import check_address, refresh
from workflows.selectors import mcp_servers as read


class McpServers(APIView):
    """Every MCP server, by name, with its tools."""

    @extend_schema(
        operation_id="mcp_servers_list", responses=shapes.McpServerDescription(many=True)
    )
    def get(self, request: Request) -> Response:
        return Response(read.mcp_servers())

    @extend_schema(
        operation_id="mcp_servers_connect",
        request=shapes.NewMcpServer,
        responses={201: shapes.McpServerDescription, 400: common.Error},
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

    @extend_schema(operation_id="mcp_servers_read", responses=shapes.McpServerDescription)
    def get(self, request: Request, id: int) -> Response:
        """Read an MCP server with its tools. Its secrets are never returned."""
        return Response(read.server_json(read.server_numbered(id)))

    @extend_schema(
        operation_id="mcp_servers_change",
        request=shapes.McpServerChange,
        responses={200: shapes.McpServerDescription, 400: common.Error},
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change the address, and list the tools again."""
        params = checked(shapes.McpServerChange, request)
        secrets = params.get("secrets")
        used_secrets = read.secrets_of(read.server_numbered(id)) if secrets is None else secrets
        check_address(params["settings"], used_secrets, by=request.user)
        row = actions.change(id, params["settings"], secrets)
        return Response(read.server_json(refresh(row.pk, by=request.user)))

    @extend_schema(operation_id="mcp_servers_delete", responses={204: None})
    def delete(self, request: Request, id: int) -> Response:
        """Remove an MCP server. Runs that need its tools ask a person."""
        actions.delete(id)
        return Response(status=204)


class McpServerRefresh(APIView):
    """List the tools of a server again."""

    @extend_schema(
        operation_id="mcp_servers_refresh", request=None, responses=shapes.McpServerDescription
    )
    def post(self, request: Request, id: int) -> Response:
        return Response(read.server_json(refresh(id, by=request.user)))
