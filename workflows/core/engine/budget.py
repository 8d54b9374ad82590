"""Limits of a run: which ones are reached."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from math import floor
from operator import attrgetter
from typing import Any, assert_never

from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.program import Budget
from workflows.core.engine.result import rounded
from workflows.core.engine.run import RunState

BEFORE_TAKING = frozenset({"max_total_visits", "max_tool_calls", "max_wall_time_sec"})
"""Limits that stop a transition. The entry counts as a visit: N visits are N - 1 transitions."""

BEFORE_ASKING = frozenset({"max_wall_time_sec"})
BEFORE_CALLING = frozenset({"max_tool_calls", "max_wall_time_sec"})
BEFORE_THINKING = frozenset(
    {"max_tool_calls", "max_wall_time_sec", "max_model_calls", "max_tokens", "max_cost"}
)
EVERY_LIMIT = BEFORE_TAKING | BEFORE_THINKING


def limits_on(effect: Effect) -> frozenset[str]:
    """Names of the limits that prevent this effect."""
    match effect:
        case AskModel():
            return BEFORE_THINKING
        case CallTool():
            return BEFORE_CALLING
        case RunCommand() | AskHuman() | Wait():
            return BEFORE_ASKING
        case _:
            assert_never(effect)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReachedLimit:
    """A limit that is reached, as in `max_total_visits 3 reached limit 3`."""

    name: str
    current: float
    max: float

    def __str__(self) -> str:
        return f"{self.name} {self.current:g} reached limit {self.max:g}"


def exhausted(budget: Budget, run: RunState, limits_checked: Container[str] = EVERY_LIMIT) -> str:
    """The text of the first reached limit, or "" if there is none."""
    limit = reached_limit(budget, run, limits_checked)
    return "" if limit is None else str(limit)


def reached_limit(
    budget: Budget, run: RunState, limits_checked: Container[str] = EVERY_LIMIT
) -> ReachedLimit | None:
    """The first reached limit. Order and wording of the first three: promptpack.md section 4.3."""
    for field, limit in budget.limits:
        name, spent = _SPENT[field]
        if name in limits_checked and (so_far := spent(run)) >= limit:
            return ReachedLimit(name=name, current=so_far, max=limit)
    return None


def _wall_seconds(run: RunState) -> int:
    return floor(run.active_seconds)


_SPENT: Mapping[str, tuple[str, Callable[[RunState], float]]] = {
    "total_visits": ("max_total_visits", lambda run: sum(run.visits.values())),
    "tool_calls": ("max_tool_calls", attrgetter("tool_requests")),
    "wall_seconds": ("max_wall_time_sec", _wall_seconds),
    "model_calls": ("max_model_calls", attrgetter("model_calls")),
    "tokens": ("max_tokens", lambda run: run.input_tokens + run.output_tokens),
    "cost": ("max_cost", lambda run: rounded(run.cost)),
}
"""Limit of a budget → its name in messages, and the amount that a run has used of it."""


def smaller(one: Budget, other: Budget) -> Budget:
    """The tighter of two budgets, limit by limit."""
    limits: dict[str, Any] = dict(one.limits)
    for name, limit in other.limits:
        limits[name] = min(limit, limits.get(name, limit))
    return Budget(**limits)
