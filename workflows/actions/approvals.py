"""Approvals: questions to people, as rows written together with the events that ask and answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, assert_never

from workflows.actions.approval_notices import write_notices
from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Effect,
    RunCommand,
    Wait,
    effect_from_json,
    performer_of,
)
from workflows.core.engine.events import Event
from workflows.core.engine.fold import ANSWER_EVENTS
from workflows.core.engine.people import verb_and_detail
from workflows.core.engine.run import RunState
from workflows.db.text import to_storable
from workflows.models import Approval, Run
from workflows.selectors.approval_deadlines import deadline, own_limits

MADE_UP = ("rehearsal",)
"""Drivers that also answer for people, so their runs never need a person."""

PLACE = ("key", "position", "state", "for", "memory", "run_memory")
"""Event fields that locate an answer and are not part of it."""


def follow(row: Run, before: RunState, after: RunState, events: Sequence[Event]) -> None:
    """Update the approval rows after these events. Part of the writer's transaction."""
    if row.driver in MADE_UP:
        return
    earlier, left = waiting_for_people(before, row), waiting_for_people(after, row)
    new = [_opened(row, after, effect) for key, effect in left.items() if key not in earlier]
    if new:
        _limit(row, new)
        _open_again([approval.key for approval in new if approval.key in after.allowed], row)
        Approval.objects.bulk_create(new)
        write_notices(new, row.owner)
    gone = [key for key in earlier if key not in left]
    for approval in Approval.objects.filter(run=row, key__in=gone) if gone else ():
        _close(approval, _answering(events, approval.key), after.now)


def waiting_for_people(run: RunState, row: Run) -> dict[str, dict[str, Any]]:
    """Pending effects that a person has to answer, by key."""
    unattended = row.options.get("deny") is True
    return {
        key: dict(effect)
        for key, effect in run.pending.items()
        if (key in run.left_to_people or performer_of(effect) == "person")
        and not (unattended and effect.get("kind") == "approve")
        and not _is_allowed(run, effect)
    }


def _is_allowed(run: RunState, effect: Mapping[str, Any]) -> bool:
    """Return True for a question about the call of a tool that is allowed for the rest of the
    run."""
    return bool(effect.get("call")) and effect["call"].get("name") in run.allowed_tools


def _open_again(keys: Sequence[str], row: Run) -> None:
    """Replace the rows of effects that were allowed, and then left to people once more."""
    if keys:
        Approval.objects.filter(run=row, key__in=keys).delete()


def _opened(row: Run, run: RunState, asks: dict[str, Any]) -> Approval:
    effect = effect_from_json(asks)
    return Approval(
        run=row,
        key=effect.key,
        kind=kind_of(effect),
        state=to_storable(effect.state),
        question=to_storable(question_of(effect)),
        asks=asks,
        blocked_reason=to_storable(run.left_reasons.get(effect.key, "")),
        can_allow=effect.key in run.can_allow,
        asked_at=datetime.fromtimestamp(run.now, UTC),
    )


def _limit(row: Run, new: Sequence[Approval]) -> None:
    """Set the time limits of new approvals."""
    limits = own_limits(row, (approval.state for approval in new))
    for approval in new:
        approval.limit = limits[approval.state]
        if approval.limit is not None:
            approval.due_at = deadline(approval)


def kind_of(effect: Effect) -> str:
    """Kind of answer that an effect takes from a person."""
    match effect:
        case AskHuman(kind=kind):
            return kind
        case RunCommand():
            return Approval.Kind.COMMAND
        case CallTool():
            return Approval.Kind.TOOL
        case AskModel() | Wait():
            return Approval.Kind.MODEL
        case _:
            assert_never(effect)


def question_of(effect: Effect) -> str:
    """The question as text."""
    match effect:
        case AskHuman(question=question):
            return question
        case RunCommand(why=why):
            return why
        case CallTool(name=name):
            return f"The run calls the tool {name}. What does it answer?"
        case AskModel(state=state):
            return f"Answer as the model in {state}."
        case Wait():
            return ""
        case _:
            assert_never(effect)


def _answering(events: Sequence[Event], key: str) -> Event | None:
    closing = (*ANSWER_EVENTS, "effect.allowed")
    return next((e for e in events if e.type in closing and e.fields.get("key") == key), None)


def _close(approval: Approval, answer: Event | None, at: float) -> None:
    approval.status, approval.reason = _verdict(answer)
    approval.reason = to_storable(approval.reason)
    approval.answered_at = datetime.fromtimestamp(at, UTC)
    if answer is not None:
        fields = {name: value for name, value in answer.fields.items() if name not in PLACE}
        approval.answered_by = fields.pop("by", "")
        approval.answer = fields
    approval.save(update_fields=["status", "reason", "answered_at", "answered_by", "answer"])


STATUSES = {
    "approved": Approval.Status.APPROVED,
    "allowed": Approval.Status.APPROVED,
    "denied": Approval.Status.DENIED,
}
"""Status by the verb of the act that closed an approval."""


def _verdict(answer: Event | None) -> tuple[str, str]:
    """Final status of an approval, and the reason of a denial."""
    if answer is None:
        return Approval.Status.WITHDRAWN, ""
    verb, detail = verb_and_detail(answer.type, answer.fields)
    status = STATUSES.get(verb, Approval.Status.ANSWERED)
    return status, detail if status == Approval.Status.DENIED else ""
