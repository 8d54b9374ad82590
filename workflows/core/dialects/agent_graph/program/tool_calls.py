"""Execution of a reply's calls in order: check, approval, execution.

A failed call does not stop the following ones; the model gets the result of each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.agent_graph.program import call_permissions
from workflows.core.dialects.agent_graph.program.call_arguments import Refused, normalised
from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.graph_changes import (
    check_spawn,
    checked_edge,
    connect,
    spawn,
)
from workflows.core.dialects.agent_graph.program.handoffs import checked_edge_to, send_handoff
from workflows.core.dialects.agent_graph.program.task_block import compact
from workflows.core.dialects.agent_graph.program.turns import end_turn
from workflows.core.engine.effects import AskHuman, CallTool
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.signals import Approve, ToolDone

Json = Mapping[str, Any]

PRINTED_A_CALL = (
    "command output contained tool_call JSON; emit tool_call JSON directly in your assistant "
    "response (not via Bash)"
)
DENIED = "Tool denied by user"
INTERRUPTED = "Not executed: a person interrupted the turn."


def next_call(context: GraphContext) -> Outcome:
    """Execute the next call; without one, the turn ends."""
    calls = context.position_value("calls", ())
    if not calls:
        context.wake_pending()
        return end_turn(context)
    call, node = calls[0], context.current_node
    try:
        request = _checked(context, call)
        if call_permissions.needs_approval(call["name"], node) and not call.get("approved"):
            _check_possible(context, call["name"], request)
            return _ask_person(context, call, request)
        if call["name"] in call_permissions.WORKSPACE_TOOLS:
            return _ask_tool(context, call["name"], request)
        output = _carry_out(context, call["name"], request)
    except Refused as refused:
        return _done(context, ok=False, error=refused.message, wake=refused.wakes)
    return _done(context, ok=True, output=compact(output), wake=False)


def _checked(context: GraphContext, call: Json) -> dict[str, Any]:
    """The request, if this node may make it. Raises Refused."""
    if call.get("unread"):
        raise Refused(f"The arguments of this call are not a JSON object: {call['unread'][:200]}")
    node = context.current_node
    request = normalised(call["name"], call["args"], node)
    rights = context.definition.rights(node)
    call_permissions.check(
        call["name"], request, rights, context.global_mode, leads=node.is_orchestrator
    )
    return request


def _check_possible(context: GraphContext, name: str, request: Json) -> None:
    """Raise Refused for a call that would be refused even if a person approved it."""
    match name:
        case "spawn_node":
            check_spawn(context, request)
        case "create_edge":
            checked_edge(context, request)
        case "send_handoff":
            checked_edge_to(context, request["to"])
        case "complete_run":
            _check_complete(context, request)


def _carry_out(context: GraphContext, name: str, request: Json) -> dict[str, Any]:
    match name:
        case "spawn_node":
            return spawn(context, request)
        case "create_edge":
            return connect(context, request)
        case "send_handoff":
            return send_handoff(context, request)
        case _:
            return _complete(context, request)


def _complete(context: GraphContext, request: Json) -> dict[str, Any]:
    """End the run with this turn. Raises Refused if a condition is not met."""
    _check_complete(context, request)
    context.set_position_values(
        complete=request["summary"], calls=list(context.position_value("calls"))[:1]
    )
    context.record(
        "completion", node=context.current_node.id, summary=request["summary"], met=request["met"]
    )
    return {"completed": True}


def _check_complete(context: GraphContext, request: Json) -> None:
    """Raise Refused if a condition of the end is not met."""
    met = {one.casefold() for one in request["met"]}
    missing = [one for one in context.graph.definition_of_done if one.strip().casefold() not in met]
    if missing:
        left = " · ".join(missing)
        raise Refused(f"`met` does not name every statement of the definition of done: {left}")
    woken = [
        one["node"]
        for one in context.position_value("wakes", ())
        if one["node"] != context.current_node.id
    ]
    busy = ", ".join(dict.fromkeys([*context.active_nodes(), *woken]))
    if busy:
        raise Refused(
            f"Still active: {busy}. Call complete_run again when they are done.", wakes=False
        )


def _ask_person(context: GraphContext, call: Json, request: Json) -> Outcome:
    """Ask a person to approve this call, with the same or other arguments."""
    name = call["name"]
    context.wake_pending()
    context.set_position_values(phase="approval")
    about = _about(name, request)
    node = context.current_node
    question = f"{node.label} ({node.id}) requests approval to call {name}."
    effect = AskHuman(
        key="",
        position="",
        state=context.current_node.id,
        kind="approve",
        question=f"{question}\n{about}" if about else question,
        call={"name": name, "arguments": dict(call["args"])},
    )
    return context.outcome(Ask(effect=effect))


def _about(name: str, request: Json) -> str:
    match name:
        case "spawn_node":
            return f"Spawn node: {request['label']} ({request['roleTemplate']})"
        case "create_edge":
            return f"Create edge: {request['from']} -> {request['to']} ({request['type']})"
        case "send_handoff":
            return f"Send handoff to: {request['to']}"
        case _:
            return ""


def handle_approval(context: GraphContext, answer: Approve) -> Outcome:
    """A person approved the first call, changed its arguments, or denied it."""
    call, *rest = context.position_value("calls")
    context.set_position_values(phase="calls")
    fields = {"node": context.current_node.id, "call": call["id"], "tool": call["name"]}
    reason = {"reason": answer.text} if answer.text.strip() else {}
    if not answer.approve:
        context.record("approval", **fields, resolution="denied", **reason)
        why = f": {answer.text.strip()}" if reason else ""
        return _done(context, ok=False, error=f"{DENIED}{why}", wake=True)
    changed = isinstance(answer.structured, Mapping) and answer.structured != call["args"]
    args = dict(answer.structured) if changed else call["args"]
    warnings = [*call.get("warnings", ())]
    if changed:
        warnings.append(f"A person changed the arguments to {compact(args)}.")
    made = {**call, "args": args, "approved": True, "warnings": warnings}
    context.set_position_values(calls=[made, *rest])
    resolution = "modified" if changed else "approved"
    context.record("approval", **fields, resolution=resolution, **reason)
    return context.outcome(Again())


def _ask_tool(context: GraphContext, name: str, request: Json) -> Outcome:
    context.wake_pending()
    context.set_position_values(phase="tool")
    rights = context.definition.rights(context.current_node)
    effect = CallTool(
        key="",
        position="",
        state=context.current_node.id,
        name=name,
        arguments=dict(request),
        diff=name in ("command", "write_file", "delete_file"),
        within=call_permissions.within(name, rights, context.global_mode),
    )
    return context.outcome(Ask(effect=effect))


def handle_tool_done(context: GraphContext, done: ToolDone) -> Outcome:
    """The result of a workspace tool."""
    name = context.position_value("calls")[0]["name"]
    context.set_position_values(phase="calls")
    if done.diff:
        context.set_position_values(diffs=[*context.position_value("diffs", ()), done.diff])
    if done.error:
        if name == "command":
            context.set_position_values(checks=[*context.position_value("checks", ()), done.error])
        return _done(context, ok=False, error=done.error, output=done.result, wake=True)
    if name == "command" and any(map(_looks_like_a_call, done.result.splitlines())):
        return _done(context, ok=False, error=PRINTED_A_CALL, output=done.result, wake=True)
    return _done(context, ok=True, output=_output(context, name, done.result), wake=True)


def _output(context: GraphContext, name: str, result: str) -> str:
    path = context.position_value("calls")[0]["args"].get("path", "")
    words = {"write_file": f"wrote {path}", "delete_file": f"deleted {path}"}
    return words.get(name, result)


def _looks_like_a_call(line: str) -> bool:
    """True for an object with the name of a tool and arguments, with or without a wrapper."""
    bare = line.strip()
    if not (bare.startswith("{") and bare.endswith("}")):
        return False
    try:
        value = json.loads(bare)
    except (ValueError, RecursionError):
        return False
    inner = next(
        (value[key] for key in ("tool_call", "toolCall") if isinstance(value.get(key), dict)), value
    )
    named = isinstance(inner.get("name", inner.get("tool")), str)
    return named and any(isinstance(inner.get(key), dict) for key in ("args", "params"))


def _done(
    context: GraphContext, *, ok: bool, wake: bool, output: str = "", error: str = ""
) -> Outcome:
    """Record the result of the first call, and continue with the next one."""
    call, *rest = context.position_value("calls")
    result = result_of(call, ok=ok, wake=wake, output=output, error=error)
    context.record(
        "call",
        node=context.current_node.id,
        args=call["args"],
        **{k: result[k] for k in result if k != "wake"},
    )
    context.set_position_values(
        phase="calls",
        calls=rest,
        results=[*context.position_value("results", ()), result],
        acts=[*context.position_value("acts", ()), [call["name"], call["args"]]],
    )
    return context.outcome(Again())


def result_of(
    call: Json, *, ok: bool, wake: bool, output: str = "", error: str = ""
) -> dict[str, Any]:
    """The result of a call as the model gets it."""
    notes = [f"Note: {warning}" for warning in call.get("warnings", ())]
    text = "\n".join([*([output] if output else []), *notes])
    result = {"tool": call["name"], "id": call["id"], "ok": ok, "wake": wake, "output": text}
    return {**result, **({"error": error} if error else {})}
