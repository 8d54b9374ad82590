"""Answers of people to questions of runs: approve, deny with a reason, approve with changes, or
report a result."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from roles.rows import found
from workflows.actions import runs
from workflows.core.engine.events import Event
from workflows.core.engine.signals import Approve, ToolCall
from workflows.errors import AnsweredMeanwhile, BadRequest, NotThere, SignalRefused
from workflows.models import Approval
from workflows.selectors.approval_deadlines import YES_OR_NO
from workflows.selectors.approvals import act_on

GIVEN = "given"
"""Sentinel for "no `edited`", because None is a valid value (JSON null)."""

RESULT_OF_COMMAND = (
    "The result of a command is an object with its exit code in `exit`, and `stdout` and `stderr`."
)


def answer(
    id: UUID | str,
    *,
    approve: bool = True,
    reason: str = "",
    event: str = "",
    edited: Mapping[str, Any] | None = None,
    tool_calls: tuple[ToolCall, ...] = (),
    rest: bool = False,
    by: str,
) -> tuple[Event, ...]:
    """Pass a person's answer on to the run. `edited`: `{"given": value}` or None if nothing was
    changed. The value is the changed arguments of a call, the answer itself, or the result of a
    command. `tool_calls`: the calls in an answer for a model. `rest`: further calls of the same
    tool in this run need no approval.

    Raises NotThere, BadRequest if this kind of question does not take such an answer, and
    AnsweredMeanwhile if another person or the run itself was first.
    """
    approval = _open(id)
    if tool_calls and approval.kind != Approval.Kind.MODEL:
        raise BadRequest("Only an answer for a model has tool calls.", where="tool_calls")
    signal = _to_signal(approval, approve, reason.strip(), event, edited, tool_calls)
    signal = replace(signal, rest=rest)
    try:
        return runs.signal(approval.run_id, signal, by=by)
    except SignalRefused:
        _open(id)
        raise


def _open(id: UUID | str) -> Approval:
    """Lock an open approval. Raises NotThere and AnsweredMeanwhile."""
    approval = found(
        Approval.objects.filter(pk=id),
        NotThere("No approval has this id.", hint="Its run may have been deleted."),
    )
    if approval.status == Approval.Status.OPEN:
        return approval
    if approval.status == Approval.Status.WITHDRAWN:
        raise AnsweredMeanwhile("The run has continued or ended and no longer needs this.")
    who = approval.answered_by or "Another person"
    act = act_on(approval)
    verb = act.verb if act else approval.status
    detail = approval.reason or (act.detail if act else "")
    raise AnsweredMeanwhile(f"{who} has already {verb} this{f': {detail}' if detail else '.'}")


def _to_signal(
    approval: Approval,
    approve: bool,
    reason: str,
    event: str,
    edited: Mapping[str, Any] | None,
    tool_calls: tuple[ToolCall, ...],
) -> Approve:
    now = time.time()
    if not approve:
        if approval.kind not in YES_OR_NO:
            raise BadRequest(
                "This question needs an answer and cannot be denied.",
                hint="Answer it, or cancel the run.",
                where="approve",
            )
        return Approve(at=now, key=approval.key, approve=False, text=reason)
    if event:
        _check_event(approval, event)
        return Approve(at=now, key=approval.key, event=event)
    if tool_calls:
        text = "" if edited is None else str(edited[GIVEN] or "")
        return Approve(at=now, key=approval.key, text=text, tool_calls=tool_calls)
    if edited is None:
        _check_yes_is_enough(approval)
        return Approve(at=now, key=approval.key)
    return _with(approval, edited[GIVEN], now)


def _check_event(approval: Approval, event: str) -> None:
    labels = [choice["label"] for choice in approval.asks.get("choices") or ()]
    if approval.kind not in ("event", "answer") or event not in labels:
        choices = f": {', '.join(labels)}" if labels else ""
        raise BadRequest(f"The event {event!r} is not one of the choices{choices}.", where="event")


def _check_yes_is_enough(approval: Approval) -> None:
    if approval.kind == Approval.Kind.EVENT:
        raise BadRequest("Name the event in `event`.", where="event")
    if approval.kind in (Approval.Kind.ANSWER, Approval.Kind.MODEL):
        raise BadRequest("Put the answer in `edited`.", where="edited")


def _with(approval: Approval, value: Any, at: float) -> Approve:
    """Convert what a person typed. Text stays text where the effect takes text; everything else is
    structured."""
    match approval.kind:
        case Approval.Kind.APPROVE if len(approval.asks.get("choices") or ()) != 2:
            if approval.asks.get("call") is None or not isinstance(value, dict):
                sentence = "The arguments are a JSON object."
                if approval.asks.get("call") is None:
                    sentence = "This question has nothing to edit; approve or deny it."
                raise BadRequest(sentence, where="edited")
        case Approval.Kind.COMMAND if not isinstance(value, dict):
            raise BadRequest(RESULT_OF_COMMAND, where="edited")
        case Approval.Kind.COMMAND if type(value.get("exit")) is not int:
            raise BadRequest(RESULT_OF_COMMAND, where="edited")
        case Approval.Kind.EVENT:
            raise BadRequest("Name the event in `event`.", where="event")
    if isinstance(value, str):
        return Approve(at=at, key=approval.key, text=value)
    return Approve(at=at, key=approval.key, structured=value)
