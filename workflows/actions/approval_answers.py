"""A person answers what a run asked: yes, no with a reason, or yes with what they changed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from workflows.actions import runs
from workflows.core.engine.events import Event
from workflows.core.engine.signals import Approve
from workflows.errors import AnsweredMeanwhile, BadRequest, NotThere, SignalRefused
from workflows.models import Approval

GIVEN = "given"
"""`edited` may be None (JSON's null), so whether there is one is told by its absence."""

YES_OR_NO = (Approval.Kind.APPROVE, Approval.Kind.COMMAND, Approval.Kind.TOOL, Approval.Kind.MODEL)


def answer(
    id: UUID | str,
    *,
    approve: bool = True,
    reason: str = "",
    event: str = "",
    edited: Mapping[str, Any] | None = None,
    by: str,
) -> tuple[Event, ...]:
    """Pass a person's word on to the run. `edited`: `{"given": value}`, or None where nothing was
    changed: the arguments of the call, the answer itself, or how a command went.

    Raises NotThere, BadRequest where this kind of question takes no such answer, and
    AnsweredMeanwhile where somebody else, or the run itself, was first.
    """
    approval = _open(id)
    said = _said(approval, approve, reason.strip(), event, edited)
    try:
        return runs.signal(approval.run_id, said, by=by)
    except SignalRefused:
        _open(id)
        raise


def _open(id: UUID | str) -> Approval:
    """Raises NotThere and AnsweredMeanwhile."""
    approval = Approval.objects.filter(pk=id).first()
    if approval is None:
        raise NotThere("There is no approval with this id.", hint="Its run may have been deleted.")
    if approval.status == Approval.Status.OPEN:
        return approval
    if approval.status == Approval.Status.WITHDRAWN:
        raise AnsweredMeanwhile("The run went on or ended meanwhile and no longer asks this.")
    who = approval.answered_by or "Somebody"
    why = f": {approval.reason}" if approval.reason else "."
    raise AnsweredMeanwhile(f"{who} has {approval.status} this meanwhile{why}")


def _said(
    approval: Approval, approve: bool, reason: str, event: str, edited: Mapping[str, Any] | None
) -> Approve:
    now = time.time()
    if not approve:
        if approval.kind not in YES_OR_NO:
            raise BadRequest(
                "This question asks for an answer; there is nothing to deny.",
                hint="Answer it, or cancel the run.",
                where="approve",
            )
        return Approve(at=now, key=approval.key, approve=False, text=reason)
    if event:
        _check_event(approval, event)
        return Approve(at=now, key=approval.key, event=event)
    if edited is None:
        _check_yes_is_enough(approval)
        return Approve(at=now, key=approval.key)
    return _with(approval, edited[GIVEN], now)


def _check_event(approval: Approval, event: str) -> None:
    labels = [choice["label"] for choice in approval.asks.get("choices") or ()]
    if approval.kind not in ("event", "answer") or event not in labels:
        known = f"; there are {', '.join(labels)}" if labels else ""
        raise BadRequest(f"There is no event {event!r} to choose here{known}.", where="event")


def _check_yes_is_enough(approval: Approval) -> None:
    if approval.kind == Approval.Kind.EVENT:
        raise BadRequest("Say in `event` which one happened.", where="event")
    if approval.kind in (Approval.Kind.ANSWER, Approval.Kind.MODEL):
        raise BadRequest("Write the answer in `edited`.", where="edited")


def _with(approval: Approval, value: Any, at: float) -> Approve:
    """What a person wrote. A text stays one where texts are taken; all else is structured."""
    match approval.kind:
        case Approval.Kind.APPROVE:
            if approval.asks.get("call") is None or not isinstance(value, dict):
                sentence = "The arguments are a JSON object."
                if approval.asks.get("call") is None:
                    sentence = "There is nothing to edit in this question; say yes or no."
                raise BadRequest(sentence, where="edited")
        case Approval.Kind.COMMAND if not isinstance(value, dict):
            sentence = "How a command went is an object of `exit`, `stdout` and `stderr`."
            raise BadRequest(sentence, where="edited")
        case Approval.Kind.EVENT:
            raise BadRequest("Say in `event` which one happened.", where="event")
    if isinstance(value, str):
        return Approve(at=at, key=approval.key, text=value)
    return Approve(at=at, key=approval.key, structured=value)
