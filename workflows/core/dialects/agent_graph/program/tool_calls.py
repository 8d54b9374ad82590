"""The calls of a reply, one after another: checked, approved where that is needed, carried out.

Whatever becomes of one call, the next ones have their turn; the model is told of each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.agent_graph.program import call_permissions
from workflows.core.dialects.agent_graph.program.call_arguments import Refused, normalised
from workflows.core.dialects.agent_graph.program.context import Scene
from workflows.core.dialects.agent_graph.program.graph_changes import connect, spawn
from workflows.core.dialects.agent_graph.program.handoffs import hand
from workflows.core.dialects.agent_graph.program.task_block import compact
from workflows.core.dialects.agent_graph.program.turns import end
from workflows.core.engine.effects import AskHuman, CallTool
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.signals import Approve, ToolDone

Json = Mapping[str, Any]

PRINTED_A_CALL = (
    "command output contained tool_call JSON; emit tool_call JSON directly in your assistant "
    "response (not via Bash)"
)
DENIED = "Tool denied by user"
INTERRUPTED = "Not carried out: the turn was interrupted by a person."


def next_call(scene: Scene) -> Outcome:
    """Carry out the first call that waits; with none left the turn ends."""
    calls = scene.noted("calls", ())
    if not calls:
        scene.rouse()
        return end(scene)
    call, node = calls[0], scene.here
    try:
        request = _checked(scene, call)
        if call_permissions.needs_approval(call["name"], node) and not call.get("approved"):
            return _ask_person(scene, call, request)
        if call["name"] in call_permissions.WORKSPACE_TOOLS:
            return _ask_tool(scene, call["name"], request)
        output = _carry_out(scene, call["name"], request)
    except Refused as refused:
        return _done(scene, ok=False, error=refused.message, wake=refused.wakes)
    return _done(scene, ok=True, output=compact(output), wake=False)


def _checked(scene: Scene, call: Json) -> dict[str, Any]:
    """The request, if this node may make it. Raises Refused."""
    if call.get("unread"):
        raise Refused(f"The arguments of this call are no JSON object: {call['unread'][:200]}")
    node = scene.here
    request = normalised(call["name"], call["args"], node)
    rights = scene.play.rights(node)
    call_permissions.check(
        call["name"], request, rights, scene.global_mode, leads=node.is_orchestrator
    )
    return request


def _carry_out(scene: Scene, name: str, request: Json) -> dict[str, Any]:
    match name:
        case "spawn_node":
            return spawn(scene, request)
        case "create_edge":
            return connect(scene, request)
        case "send_handoff":
            return hand(scene, request)
        case _:
            return _complete(scene, request)


def _complete(scene: Scene, request: Json) -> dict[str, Any]:
    """The run ends with this turn, if nothing speaks against it. Raises Refused."""
    met = {one.casefold() for one in request["met"]}
    missing = [one for one in scene.graph.definition_of_done if one.strip().casefold() not in met]
    if missing:
        left = " · ".join(missing)
        raise Refused(f"`met` does not name every statement of the definition of done: {left}")
    woken = [one["node"] for one in scene.noted("wakes", ()) if one["node"] != scene.here.id]
    busy = ", ".join(dict.fromkeys([*scene.others_awake(), *woken]))
    if busy:
        raise Refused(f"Still at work: {busy}. Declare it again when they are done.", wakes=False)
    scene.note(complete=request["summary"], calls=list(scene.noted("calls"))[:1])
    scene.tell("completion", node=scene.here.id, summary=request["summary"], met=request["met"])
    return {"completed": True}


def _ask_person(scene: Scene, call: Json, request: Json) -> Outcome:
    """Leave to make this very call, as it is or with other arguments."""
    name = call["name"]
    scene.rouse()
    scene.note(phase="approval")
    about = _about(name, request)
    question = f"{scene.here.label} ({scene.here.id}) asks for leave to call {name}."
    effect = AskHuman(
        key="",
        position="",
        state=scene.here.id,
        kind="approve",
        question=f"{question}\n{about}" if about else question,
        call={"name": name, "arguments": dict(call["args"])},
    )
    return scene.out(Ask(effect=effect))


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


def decided(scene: Scene, answer: Approve) -> Outcome:
    """A person's word on the first call: it is made, with other arguments perhaps, or it is not."""
    call, *rest = scene.noted("calls")
    scene.note(phase="calls")
    said = {"node": scene.here.id, "call": call["id"], "tool": call["name"]}
    reason = {"reason": answer.text} if answer.text.strip() else {}
    if not answer.approve:
        scene.tell("approval", **said, resolution="denied", **reason)
        why = f": {answer.text.strip()}" if reason else ""
        return _done(scene, ok=False, error=f"{DENIED}{why}", wake=True)
    changed = isinstance(answer.structured, Mapping) and answer.structured != call["args"]
    args = dict(answer.structured) if changed else call["args"]
    warnings = [*call.get("warnings", ())]
    if changed:
        warnings.append(f"A person changed the arguments to {compact(args)}.")
    made = {**call, "args": args, "approved": True, "warnings": warnings}
    scene.note(calls=[made, *rest])
    resolution = "modified" if changed else "approved"
    scene.tell("approval", **said, resolution=resolution, **reason)
    return scene.out(Again())


def _ask_tool(scene: Scene, name: str, request: Json) -> Outcome:
    scene.rouse()
    scene.note(phase="tool")
    rights = scene.play.rights(scene.here)
    effect = CallTool(
        key="",
        position="",
        state=scene.here.id,
        name=name,
        arguments=dict(request),
        diff=name in ("command", "write_file", "delete_file"),
        within=call_permissions.within(name, rights, scene.global_mode),
    )
    return scene.out(Ask(effect=effect))


def tool_done(scene: Scene, done: ToolDone) -> Outcome:
    """What a tool of the workspace came to."""
    name = scene.noted("calls")[0]["name"]
    scene.note(phase="calls")
    if done.diff:
        scene.note(diffs=[*scene.noted("diffs", ()), done.diff])
    if done.error:
        if name == "command":
            scene.note(checks=[*scene.noted("checks", ()), done.error])
        return _done(scene, ok=False, error=done.error, output=done.result, wake=True)
    if name == "command" and any(map(_looks_like_a_call, done.result.splitlines())):
        return _done(scene, ok=False, error=PRINTED_A_CALL, output=done.result, wake=True)
    return _done(scene, ok=True, output=_output(scene, name, done.result), wake=True)


def _output(scene: Scene, name: str, result: str) -> str:
    path = scene.noted("calls")[0]["args"].get("path", "")
    words = {"write_file": f"wrote {path}", "delete_file": f"deleted {path}"}
    return words.get(name, result)


def _looks_like_a_call(line: str) -> bool:
    """A line that is an object with the name of a tool and arguments, wrapped or not."""
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


def _done(scene: Scene, *, ok: bool, wake: bool, output: str = "", error: str = "") -> Outcome:
    """Put down what became of the first call, and go on with the next."""
    call, *rest = scene.noted("calls")
    result = result_of(call, ok=ok, wake=wake, output=output, error=error)
    scene.tell(
        "call",
        node=scene.here.id,
        args=call["args"],
        **{k: result[k] for k in result if k != "wake"},
    )
    scene.note(
        phase="calls",
        calls=rest,
        results=[*scene.noted("results", ()), result],
        acts=[*scene.noted("acts", ()), [call["name"], call["args"]]],
    )
    return scene.out(Again())


def result_of(
    call: Json, *, ok: bool, wake: bool, output: str = "", error: str = ""
) -> dict[str, Any]:
    """What the model is told of a call."""
    notes = [f"Note: {warning}" for warning in call.get("warnings", ())]
    said = "\n".join([*([output] if output else []), *notes])
    result = {"tool": call["name"], "id": call["id"], "ok": ok, "wake": wake, "output": said}
    return {**result, **({"error": error} if error else {})}
