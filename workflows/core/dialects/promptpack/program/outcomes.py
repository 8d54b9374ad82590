"""Short ways to say what happened and what is next."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.program.state_machine import Machine, Refusal
from workflows.core.engine.budget import exhausted, limits_on
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Ask, End, Next, Outcome
from workflows.core.engine.run import RunState


def note(type: str, **fields: Any) -> Draft:
    return Draft(type=type, fields=fields)


def failed(reason: str, *drafts: Draft) -> Outcome:
    return Outcome(drafts=drafts, next=End(status="failed", reason=reason))


def refused(refusal: Refusal) -> Next:
    """Caps and budgets end the run as used up; anything else is the run's failure."""
    if refusal.code in ("budget_exhausted", "max_visits_exceeded"):
        return End(status="budget_exhausted", reason=refusal.message)
    return End(status="failed", reason=refusal.message)


def unresolved(names: tuple[str, ...]) -> tuple[Draft, ...]:
    """Placeholders that nothing filled are told, once for each prompt that was sent."""
    return (note("promptpack.unresolved", names=list(names)),) if names else ()


def within_budget(machine: Machine, run: RunState, outcome: Outcome) -> Outcome:
    """The budget of the workflow is looked at before each model round and each tool call too, so
    that a run that never moves on is stopped as well."""
    if not isinstance(outcome.next, Ask):
        return outcome
    spent = exhausted(machine.budget, machine.counted(run), limits_on(outcome.next.effect))
    if not spent:
        return outcome
    reason = f"workflow budget exhausted: {spent}"
    end = End(status="budget_exhausted", reason=reason)
    return Outcome(drafts=outcome.drafts, next=end)
