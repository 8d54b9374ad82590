"""Parsing of replies: text, calls, and invalid lines that look like calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.agent_graph.format.tool_calls import extract
from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.sanitize import sanitize, sanitize_text
from workflows.core.engine.signals import Reply
from workflows.core.limits import VALUE_DEPTH

Json = dict[str, Any]


def parse_reply(context: GraphContext, reply: Reply) -> tuple[str, list[Json], list[Json]]:
    """(text, calls, results of rejected lines) of a reply, with native calls first. A call is `{id,
    name, args}`, with `unread` for invalid arguments. If a call appears natively and in the text
    under one id, the native one is used."""
    taken = extract(reply.text)
    calls = [
        _call(context, one.id, one.name, one.arguments, unread=one.unread)
        for one in reply.tool_calls
    ]
    native = {call["id"] for call in calls}
    calls += [
        _call(context, one.id, one.name, one.args, warnings=list(one.warnings))
        for one in taken.calls
        if one.id not in native
    ]
    for line in taken.rejections:
        fields = {"line": line.line, "code": line.code, "message": line.message}
        context.record(
            "rejected", node=context.current_node.id, **fields, text=sanitize_text(line.text)
        )
    rejected = [
        {
            "tool": "tool_call",
            "id": f"line {line.line}",
            "ok": False,
            "error": line.message,
            "output": sanitize_text(line.text),
            "wake": True,
        }
        for line in taken.rejections
    ]
    return sanitize_text(taken.text), calls, rejected


def _call(context: GraphContext, id: str, name: str, args: Mapping[str, Any], **more: Any) -> Json:
    kept = sanitize(args)
    if kept is None:
        more["unread"] = f"They are nested more than {VALUE_DEPTH} levels deep."
    named = sanitize_text(id) or f"call-{context.count('calls')}"
    call = {"id": named, "name": sanitize_text(name), "args": kept or {}}
    return {**call, **{key: value for key, value in more.items() if value}}
