"""Approval of tool calls that cannot be undone.

A tool that declares `action_scope.reversibility: irreversible` is called only after a person
approved the call. Packs of older versions declare it under `extensions`. The format itself gates
nothing; this is the decision of the host.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.program.conversation import after_result, next_call
from workflows.core.engine.effects import AskHuman, CallTool
from workflows.core.engine.run import Position
from workflows.core.engine.signals import Approve
from workflows.core.text.tolerant import as_object, as_str
from workflows.core.tools.call_approvals import CallApproval

IRREVERSIBLE = "irreversible"
DENIED = "Tool denied by user"
APPROVED = "approved"
"""Key of a waiting call, and of the memory of a tool step: a person approved it."""


def is_irreversible(tool: Object) -> bool:
    """Return True if the effects of this tool cannot be undone."""
    older = as_object(tool.get("extensions")).get("action_scope")
    scopes = (tool.get("action_scope"), older)
    return any(
        scope.get("reversibility") == IRREVERSIBLE for scope in scopes if isinstance(scope, dict)
    )


def needs_approval(parts: Parts, name: str) -> bool:
    """Return True if a person has to approve calls of this tool."""
    return is_irreversible(parts.tools.get(name, {}))


def declared_approvals(parts: Parts) -> tuple[CallApproval, ...]:
    """The tools of the pack whose calls a person has to approve."""
    return tuple(
        CallApproval(tool=name, reason="cannot be undone, so a person approves each call")
        for name in parts.tools
        if needs_approval(parts, name)
    )


def next_effect(parts: Parts, position: Position, key: str) -> CallTool | AskHuman | None:
    """The next waiting call, or the question whether to make it."""
    call = next_call(position, key)
    if call is None or not needs_approval(parts, call.name):
        return call
    approved = position.memory["waiting"][0].get(APPROVED)
    return call if approved else ask_approval(parts, call)


def ask_approval(parts: Parts, call: CallTool) -> AskHuman:
    """The question whether to make this call, with these or other arguments."""
    about = as_str(parts.tools.get(call.name, {}).get("description"))
    question = f"“{call.state}” requests approval to call {call.name}, which cannot be undone."
    return AskHuman(
        key=call.key,
        position=call.position,
        state=call.state,
        kind="approve",
        question=f"{question}\n{about}" if about else question,
        call={"name": call.name, "arguments": dict(call.arguments)},
    )


def approved_arguments(answer: Approve, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an approved call: those that the person changed, else the same."""
    return dict(answer.structured if isinstance(answer.structured, Mapping) else arguments)


def denial(answer: Approve) -> str:
    """The error of a call that a person denied."""
    return f"{DENIED}: {answer.text}" if answer.text else DENIED


def after_approval(position: Position, answer: Approve) -> dict[str, Any]:
    """The memory after a person approved or denied the first waiting call."""
    if not answer.approve:
        return after_result(position, "", denial(answer))
    first, *rest = position.memory["waiting"]
    arguments = approved_arguments(answer, first["arguments"])
    return {"waiting": [{**first, "arguments": arguments, APPROVED: True}, *rest]}
