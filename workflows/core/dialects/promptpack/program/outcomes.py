"""Constructors of common events and outcomes."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.program.state_machine import Machine, Refusal
from workflows.core.engine.budget import limits_on
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Ask, End, Next, Outcome
from workflows.core.engine.run import RunState


def make_event(type: str, **fields: Any) -> Draft:
    return Draft(type=type, fields=fields)


def failed(reason: str, *drafts: Draft) -> Outcome:
    return Outcome(drafts=drafts, next=End(status="failed", reason=reason))


def refusal_end(refusal: Refusal) -> Next:
    """Caps and budgets end the run with an exhausted budget; any other refusal fails it."""
    if refusal.code in ("budget_exhausted", "max_visits_exceeded"):
        return End(status="budget_exhausted", reason=refusal.message)
    return End(status="failed", reason=refusal.message)


def refusal_event(refusal: Refusal) -> tuple[Draft, ...]:
    """The event of a cap or budget that ends the run, with its facts; none for other refusals."""
    if not refusal.fields:
        return ()
    fields = {**refusal.fields, "reason": refusal.message, "terminated": True}
    return (make_event(f"promptpack.{refusal.code}", **fields),)


def unresolved_event(names: tuple[str, ...]) -> tuple[Draft, ...]:
    """The event for unfilled placeholders, once per prompt that is sent."""
    return (make_event("promptpack.unresolved", names=list(names)),) if names else ()


def within_budget(machine: Machine, run: RunState, outcome: Outcome) -> Outcome:
    """End the run if the workflow's budget is spent. It is checked before each model round and each
    tool call too, so that a run without transitions is stopped as well."""
    if not isinstance(outcome.next, Ask):
        return outcome
    effect = outcome.next.effect
    spent = machine.spent(run, effect.state, limits_on(effect))
    if spent is None:
        return outcome
    return Outcome(drafts=(*outcome.drafts, *refusal_event(spent)), next=refusal_end(spent))
