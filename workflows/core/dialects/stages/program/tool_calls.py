"""Calls of tools other than the completion tool: each goes through the gates, one after another
(stages.md section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.dialects.stages.format.js_values import compact
from workflows.core.dialects.stages.program.context import Scene, execution_id
from workflows.core.dialects.stages.program.faults import heard
from workflows.core.dialects.stages.program.model_reply import Call, unread
from workflows.core.dialects.stages.program.tool_approval import (
    Decision,
    Proposal,
    consumed,
    decide,
    digest_of,
    issued,
)
from workflows.core.engine.effects import AskHuman, CallTool
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.signals import Approve, ToolDone


def next_call(scene: Scene, key: str) -> Outcome:
    """Make the first call that waits, ask for leave, or tell the model that it may not."""
    call = Call.from_json(scene.memory["calls"][0])
    if call.name not in scene.play.tools:
        text = heard("ToolTerminal", "SignalboxToolUnknown", f"There is no tool `{call.name}`.")
        return _answered(scene, text, how="unknown")
    if call.unread:
        return _answered(scene, unread(call), how="unread")
    proposal = _proposal(scene, call)
    tokens, used = scene.memory.get("tokens", {}), list(scene.run.memory.get("grants", ()))
    decision = decide(scene.play, scene.stage, proposal, tokens, used)
    if decision.kind == "ask":
        exact = {"name": call.name, "arguments": call.arguments}
        question = AskHuman(kind="approve", question=_asking(call), call=exact, **scene.at(key))
        return scene.out(Ask(effect=question))
    _approve(scene, decision, proposal, tokens, used)
    effect = CallTool(name=call.name, arguments=call.arguments, **scene.at(key))
    return scene.out(Ask(effect=effect))


def _approve(
    scene: Scene,
    decision: Decision,
    proposal: Proposal,
    tokens: dict[str, str],
    used: list[int],
) -> None:
    fields: dict[str, Any] = {}
    if decision.grant is not None:
        tokens = issued(tokens, proposal.mark)
        counts = used + [0] * (len(scene.play.grants) - len(used))
        counts[decision.grant] += 1
        fields["run_memory"] = {"grants": counts}
    if proposal.mark in tokens:
        tokens = consumed(tokens, proposal.mark)
    _audit(scene, proposal, "approve", decision.source, tokens, fields)


def granted(scene: Scene, answer: Approve) -> Outcome:
    """A person's word on one call: it runs once, as the model wrote it or as the person changed it,
    or the model hears that it may not and why."""
    call = Call.from_json(scene.memory["calls"][0])
    tokens = scene.memory.get("tokens", {})
    if answer.approve:
        call = _as_changed(call, answer.structured)
        mark = _proposal(scene, call).mark
        calls = [call.to_json(), *scene.memory["calls"][1:]]
        fields = {"toolId": call.name, **({"changed": True} if call.changed else {})}
        scene.tell("granted", fields, tokens=issued(tokens, mark), calls=calls)
        return scene.out(Again())
    _audit(scene, _proposal(scene, call), "deny", "sm-grant-token", tokens, {})
    why = f": {answer.text.strip().rstrip('.')}." if answer.text.strip() else "."
    message = f"The call of `{call.name}` was denied{why} Go on without it."
    text = heard("ToolTerminal", "SignalboxCallDenied", message)
    return _answered(scene, text, how="denied")


def _as_changed(call: Call, arguments: Any) -> Call:
    if not isinstance(arguments, Mapping) or arguments == call.arguments:
        return call
    return replace(call, arguments=dict(arguments), changed=True)


def tool_done(scene: Scene, done: ToolDone) -> Outcome:
    """A failed tool is not a failed stage: the model hears of it."""
    if not done.error:
        return _answered(scene, done.result, how="returned")
    text = heard("ToolTransient", "SignalboxToolFailed", done.error)
    return _answered(scene, text, how="failed")


def _answered(scene: Scene, text: str, *, how: str) -> Outcome:
    first, *rest = scene.memory["calls"]
    if first.get("changed"):
        arguments = compact(first["arguments"])
        text = f"A person changed the arguments of this call to {arguments}.\n\n{text}"
    result = {"role": "tool", "text": text, "tool_call_id": first["id"]}
    messages = [*scene.memory["messages"], result]
    fields = {"toolId": first["name"], "callId": first["id"], "as": how}
    scene.tell("tool", fields, messages=messages, calls=rest)
    return scene.out(Again())


def _proposal(scene: Scene, call: Call) -> Proposal:
    return Proposal(
        execution=execution_id(scene.run, scene.position),
        attempt=scene.attempt,
        proposal=f"{scene.memory['turns']}:{call.id}",
        tool=call.name,
        digest=digest_of(call.arguments),
    )


def _audit(
    scene: Scene,
    proposal: Proposal,
    decision: str,
    source: str,
    tokens: dict[str, str],
    fields: dict[str, Any],
) -> None:
    about = {
        "audit": "Approval",
        "decision": decision,
        "source": source,
        "toolId": proposal.tool,
        "approvalKey": proposal.mark,
        "proposalId": proposal.proposal,
        "argsDigest": proposal.digest,
    }
    scene.tell("approval", {**about, **fields}, tokens=tokens)


def _asking(call: Call) -> str:
    """The exact tool and arguments, and the digest that a grant would be bound to."""
    return (
        f"The model wants to call {call.name}, which this stage does not list. Arguments: "
        f"{compact(dict(call.arguments))} (SHA-256 {digest_of(call.arguments)}). "
        "Allow this one call?"
    )
