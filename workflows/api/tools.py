"""Tool bindings of a pack."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import tool_bindings as actions
from workflows.actions.command_right import require_command_right
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers import tools as shapes
from workflows.isolation.request_turns import REQUESTS
from workflows.runner.tools import check, schema_of, tools
from workflows.runner.tools.tool_test import run_tool_test
from workflows.selectors import tool_bindings as read
from workflows.selectors.packs import pack_named

TOOL = OpenApiParameter("tool", str, OpenApiParameter.PATH, description="The pack's name for it.")


@operation(shapes.ToolKind(many=True))
def tool_kinds(request: Request) -> Any:
    """Kinds of bindings, and what each of them may access."""
    return [
        {
            "name": tool.name,
            "label": tool.label,
            "touches": tool.touches,
            "allowed": settings.SIGNALBOX_COMMANDS or not tool.starts_process({}),
            "schema": schema_of(tool),
        }
        for tool in tools().values()
    ]


@operation(shapes.PackTool(many=True))
def packs_tools(request: Request, id: int) -> Any:
    """The tools of the newest revision, each with its binding."""
    tools = read.tools_json(pack_named(id))
    return [_with_answerer(tool) for tool in tools]


@operation(shapes.Binding, 400, 403, parameters=[TOOL], request=shapes.NewBinding)
def packs_tool_bind(request: Request, id: int, tool: str) -> Any:
    """Bind a tool of the pack to an implementation. A call of an unbound tool asks a person."""
    params = checked(shapes.NewBinding, request)
    pack = pack_named(id)
    settings, secrets = params.get("settings") or {}, params.get("secrets")
    used_secrets = read.kept_secrets(pack, tool) if secrets is None else secrets
    check(params["kind"], settings, used_secrets)
    if tools()[params["kind"]].starts_process(settings):
        require_command_right(request_user(request), where="kind")
    row = actions.bind(
        pack,
        tool,
        kind=params["kind"],
        settings=settings,
        secrets=secrets,
        author=request_user(request),
    )
    return read.binding_json(row)


@operation(None, status=204, parameters=[TOOL])
def packs_tool_unbind(request: Request, id: int, tool: str) -> None:
    """Remove the binding of a tool. Its default binding applies again; without one, the run
    asks a person."""
    actions.unbind(pack_named(id), tool)


@operation(shapes.ToolTestResult, 400, request=shapes.NewToolTrial)
def packs_tool_try(request: Request, id: int) -> Any:
    """Call a bound tool with these arguments, under the rules of a run. The call is real; its
    folder is a copy of the pack's files that is deleted afterwards."""
    params = checked(shapes.NewToolTrial, request)
    if params.get("commands"):
        require_command_right(request.user)
    with REQUESTS.lent():
        tried = run_tool_test(
            pack_named(id),
            params["tool"],
            params.get("arguments") or {},
            commands=params.get("commands", False),
        )
    return asdict(tried)


def _with_answerer(tool: dict[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in tool.items() if name != "missing"}
    answered_by = _answered_by(tool)
    binding = tool["binding"] or tool["usual"]
    asks = answered_by in ("tool", "command") and bool(binding["settings"].get("ask"))
    return {**shown, "answered_by": answered_by, "asks_first": asks}


def _answered_by(tool: dict[str, Any]) -> str:
    """One of shapes.ANSWERED_BY."""
    binding = tool["binding"] or tool["usual"]
    kind = tools().get(binding["kind"]) if binding else None
    if tool["missing"]:
        return "missing"
    if binding is None or kind is None:
        return "person"
    if not kind.starts_process(binding["settings"]):
        return "tool"
    return "command" if settings.SIGNALBOX_COMMANDS else "person"
