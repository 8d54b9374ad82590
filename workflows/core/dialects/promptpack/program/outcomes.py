"""Constructors of common events and outcomes."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.program.state_machine import Machine, Refusal
from workflows.core.engine.budget import exhausted, limits_on
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


def unresolved_event(names: tuple[str, ...]) -> tuple[Draft, ...]:
    """The event for unfilled placeholders, once per prompt that is sent."""
    return (make_event("promptpack.unresolved", names=list(names)),) if names else ()


def within_budget(machine: Machine, run: RunState, outcome: Outcome) -> Outcome:
    """End the run if the workflow's budget is spent. It is checked before each model round and each
    tool call too, so that a run without transitions is stopped as well."""
    if not isinstance(outcome.next, Ask):
        return outcome
    spent = exhausted(machine.budget, machine.without_steps(run), limits_on(outcome.next.effect))
    if not spent:
        return outcome
    reason = f"workflow budget exhausted: {spent}"
    end = End(status="budget_exhausted", reason=reason)
    return Outcome(drafts=outcome.drafts, next=end)
