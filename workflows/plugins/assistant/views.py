"""Requests to the assistant over HTTP."""

from __future__ import annotations

import json
from typing import Any

from rest_framework import serializers as s
from rest_framework.request import Request

from roles.api.operation import addresses
from roles.request_user import request_user
from workflows.actions.agent_tools import pack_tools
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.runs import start_requested
from workflows.api.serializers.common import values
from workflows.plugins.assistant import PLUGIN
from workflows.plugins.assistant.own_pack import assistant_pack
from workflows.plugins.assistant.scripted_answer import scripted
from workflows.rights.operations import api_addresses
from workflows.selectors.packs import pack_named

MOST_NOTE = 200


class AssistantRequest(s.Serializer[Any]):
    request = s.CharField(max_length=20_000, help_text="The wish of the user.")
    about = s.CharField(
        required=False,
        allow_blank=True,
        default="",
        max_length=20_000,
        help_text="A finding, a reason or ids that the request is about. It is quoted as data.",
    )
    connection = s.CharField(required=False, max_length=100, allow_blank=True)
    model = s.CharField(required=False, max_length=200, allow_blank=True)
    driver = s.ChoiceField(choices=["model", "script"], required=False, default="model")
    script = values(
        required=False,
        help_text="Replies of the driver `script`. Without it, it proposes the first fix.",
    )


class AssistantRun(s.Serializer[Any]):
    run = s.UUIDField(help_text="The run that answers: its events have the conversation.")


@operation(AssistantRun, 400, 404, 422, status=201, request=AssistantRequest)
def packs_assistant(request: Request, id: int) -> Any:
    """Ask the assistant for a proposal for this pack. The answer is a run of the caller's own
    assistant, which can be watched and cancelled as every run."""
    params = checked(AssistantRequest, request)
    user, pack = request_user(request), pack_named(id)
    tools = pack_tools(user, id)
    binding = {
        "kind": "pack",
        "settings": {"pack": pack.pk, "note": f"Assistant: {params['request'][:MOST_NOTE]}"},
    }
    how: dict[str, Any] = {
        name: params[name] for name in ("connection", "model", "driver") if name in params
    }
    if params["driver"] == "script":
        how["script"] = params.get("script") or scripted(tools)
    run, _ = start_requested(
        request,
        {
            **how,
            "pack": assistant_pack(user, tools.declarations).pk,
            "inputs": {"input": _asked(params["request"], params["about"])},
            "tools": {tool.name: binding for tool in tools.declarations},
        },
        key="",
    )
    return {"run": str(run.pk)}


def _asked(request: str, about: str) -> str:
    """The first message. The data is a JSON string, so no text in it ends the quotation."""
    if not about:
        return request
    quoted = json.dumps(about, ensure_ascii=False).replace("<", "\\u003c")
    return f"{request}\n\n<data>{quoted}</data>"


urlpatterns = addresses(api_addresses(PLUGIN.operations))
