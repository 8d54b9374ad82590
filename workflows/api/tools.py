"""What the tools of a pack are bound to."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from workflows.actions import bindings as actions
from workflows.api import serializers as common
from workflows.api.asked import checked
from workflows.api.serializers import tools as shapes
from workflows.runner.tools import check, schema_of, tools
from workflows.selectors import bindings as read
from workflows.selectors.packs import pack_named

TOOL = OpenApiParameter("tool", str, OpenApiParameter.PATH, description="The pack's name for it.")


class Kinds(APIView):
    """What a tool can be bound to, and what each of these may touch."""

    @extend_schema(operation_id="tool_kinds", responses=shapes.ToolKind(many=True))
    def get(self, request: Request) -> Response:
        return Response(
            [
                {
                    "name": tool.name,
                    "label": tool.label,
                    "touches": tool.touches,
                    "schema": schema_of(tool),
                }
                for tool in tools().values()
            ]
        )


class Tools(APIView):
    """The tools of the newest revision, each with what it is bound to."""

    @extend_schema(operation_id="packs_tools", responses=shapes.PackTool(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(read.tools_json(pack_named(id)))


class Tool(APIView):
    """One tool. One that is not bound asks a person."""

    @extend_schema(
        operation_id="packs_tool_bind",
        parameters=[TOOL],
        request=shapes.NewBinding,
        responses={200: shapes.Binding, 400: common.Error},
    )
    def put(self, request: Request, id: int, tool: str) -> Response:
        asked = checked(shapes.NewBinding, request)
        pack = pack_named(id)
        settings, secrets = asked.get("settings") or {}, asked.get("secrets")
        told = read.kept_secrets(pack, tool) if secrets is None else secrets
        check(asked["kind"], settings, told)
        row = actions.bind(pack, tool, kind=asked["kind"], settings=settings, secrets=secrets)
        return Response(read.binding_json(row))

    @extend_schema(operation_id="packs_tool_unbind", parameters=[TOOL], responses={204: None})
    def delete(self, request: Request, id: int, tool: str) -> Response:
        actions.unbind(pack_named(id), tool)
        return Response(status=204)
