"""Calls of tools other than the completion tool, each checked for approval, one after another
(stages.md section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workflows.core.dialects.stages.format.js_values import compact_json
from workflows.core.dialects.stages.program.context import ExecutionContext, execution_id
from workflows.core.dialects.stages.program.faults import tool_error
from workflows.core.dialects.stages.program.model_reply import Call, unreadable_call_error
from workflows.core.dialects.stages.program.tool_approval import (
    Decision,
    Proposal,
    consume_token,
    decide,
    digest_of,
    issue_token,
)
from workflows.core.engine.effects import AskHuman, CallTool, failed_if
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.signals import Approve, ToolDone


def next_call(context: ExecutionContext, key: str) -> Outcome:
    """Make the first pending call, ask a person for approval, or refuse the call."""
    call = Call.from_json(context.memory["calls"][0])
    if call.name not in context.pipeline.tools:
        text = tool_error(
            "ToolTerminal", "SignalboxToolUnknown", f"There is no tool `{call.name}`."
        )
        return _record_result(context, text, how="unknown")
    if call.unread:
        return _record_result(context, unreadable_call_error(call), how="unread")
    proposal = _proposal(context, call)
    tokens, used = context.memory.get("tokens", {}), list(context.run.memory.get("grants", ()))
    decision = decide(context.pipeline, context.stage, proposal, tokens, used)
    if decision.kind == "ask":
        exact = {"name": call.name, "arguments": call.arguments}
        question = AskHuman(
            kind="approve", question=_approval_question(call), call=exact, **context.at(key)
        )
        return context.out(Ask(effect=question))
    _approve(context, decision, proposal, tokens, used)
    effect = CallTool(name=call.name, arguments=call.arguments, **context.at(key))
    return context.out(Ask(effect=effect))


def _approve(
    context: ExecutionContext,
    decision: Decision,
    proposal: Proposal,
    tokens: dict[str, str],
    used: list[int],
) -> None:
    fields: dict[str, Any] = {}
    if decision.grant is not None:
        tokens = issue_token(tokens, proposal.mark)
        counts = used + [0] * (len(context.pipeline.grants) - len(used))
        counts[decision.grant] += 1
        fields["run_memory"] = {"grants": counts}
    if proposal.mark in tokens:
        tokens = consume_token(tokens, proposal.mark)
    _audit(context, proposal, "approve", decision.source, tokens, fields)


def handle_approval(context: ExecutionContext, answer: Approve) -> Outcome:
    """Apply a person's decision on one call: run it once, with the original or changed arguments,
    or send the model a refusal with the reason."""
    call = Call.from_json(context.memory["calls"][0])
    tokens = context.memory.get("tokens", {})
    if answer.approve:
        call = _with_arguments(call, answer.structured)
        mark = _proposal(context, call).mark
        calls = [call.to_json(), *context.memory["calls"][1:]]
        fields = {"toolId": call.name, **({"changed": True} if call.changed else {})}
        context.emit("granted", fields, tokens=issue_token(tokens, mark), calls=calls)
        return context.out(Again())
    _audit(context, _proposal(context, call), "deny", "sm-grant-token", tokens, {})
    why = f": {answer.text.strip().rstrip('.')}." if answer.text.strip() else "."
    message = f"The call of `{call.name}` was denied{why} Go on without it."  # prose: off
    text = tool_error("ToolTerminal", "SignalboxCallDenied", message)
    return _record_result(context, text, how="denied")


def _with_arguments(call: Call, arguments: Any) -> Call:
    if not isinstance(arguments, Mapping) or arguments == call.arguments:
        return call
    return replace(call, arguments=dict(arguments), changed=True)


def handle_tool_result(context: ExecutionContext, done: ToolDone) -> Outcome:
    """Send the model the result or the error. A failed tool does not fail the stage."""
    if not done.error:
        return _record_result(context, done.result, how="returned")
    text = tool_error("ToolTransient", "SignalboxToolFailed", done.error)
    return _record_result(context, text, how="failed")


def _record_result(context: ExecutionContext, text: str, *, how: str) -> Outcome:
    first, *rest = context.memory["calls"]
    if first.get("changed"):
        arguments = compact_json(first["arguments"])
        text = f"A person changed the arguments of this call to {arguments}.\n\n{text}"
    result = {"role": "tool", "text": text, "tool_call_id": first["id"]} | failed_if(
        how == "failed"
    )
    messages = [*context.memory["messages"], result]
    fields = {"toolId": first["name"], "callId": first["id"], "as": how}
    context.emit("tool", fields, messages=messages, calls=rest)
    return context.out(Again())


def _proposal(context: ExecutionContext, call: Call) -> Proposal:
    return Proposal(
        execution=execution_id(context.run, context.position),
        attempt=context.attempt,
        proposal=f"{context.memory['turns']}:{call.id}",
        tool=call.name,
        digest=digest_of(call.arguments),
    )


def _audit(
    context: ExecutionContext,
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
    context.emit("approval", {**about, **fields}, tokens=tokens)


def _approval_question(call: Call) -> str:
    """A question with the exact tool and arguments, and the digest that a grant is bound to."""
    return (
        f"The model wants to call {call.name}, which this stage does not list. Arguments: "
        f"{compact_json(dict(call.arguments))} (SHA-256 {digest_of(call.arguments)}). "
        "Allow this one call?"
    )
