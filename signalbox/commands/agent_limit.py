"""The worst case of a pack in agents and money, and the limits of the project."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from signalbox.commands.errors import Trouble
from signalbox.commands.packs import PackHere
from signalbox.project.settings_file import Project
from workflows.core.pack import call_bound
from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.findings import Finding, Place
from workflows.core.rules.worst_case import pack_bound
from workflows.providers.call_costs import ASSUMED, RunCost, run_cost

OVER = {"workflow_scripts": "WS606"}
"""Dialect → the code of a bound above the limit; `GR114` for others."""


def bound_of(pack: PackHere, source: Any, profile: str, project: Project) -> CallBound | None:
    """The most agents, or model calls, of one run."""
    if project.max_agents is None and project.max_cost is None:
        return pack.dialect.call_bound(source, _of_formula(project))
    graph = pack.dialect.graph(source, profile)
    return pack_bound(pack.dialect, source, graph, _of_formula(project))


def cost_of(bound: CallBound | None, project: Project) -> RunCost | None:
    """The cost of that many calls, if the project has a limit or assumes tokens."""
    if bound is None or (project.max_cost is None and not {*ASSUMED} & project.assume.keys()):
        return None
    return run_cost(bound.calls, project.assume, project.session_model)


def _of_formula(project: Project) -> Mapping[str, int]:
    return {name: number for name, number in project.assume.items() if name not in ASSUMED}


def over_limit(
    pack: PackHere, bound: CallBound | None, cost: RunCost | None, project: Project
) -> tuple[Finding, ...]:
    """The errors of a run that can start more agents, or cost more, than the project allows."""
    problems: list[tuple[str, str]] = []
    if bound is not None and project.max_agents is not None:
        problems += _over_agents(bound, project.max_agents)
    if cost is not None and project.max_cost is not None:
        problems += _over_cost(cost, project.max_cost)
    place = Place(path=pack.location.main, line=1, element="pack")
    code = OVER.get(pack.dialect.name, "GR114")
    return tuple(
        Finding(code=code, level="error", message=message, place=place, hint=hint)
        for message, hint in problems
    )


def _over_cost(cost: RunCost, limit: float) -> Iterator[tuple[str, str]]:
    if cost.most is None:
        yield (
            f"Nothing limits the cost of a run ({'; '.join(cost.missing)}); max-cost is "
            f"${limit:,.2f}.",
            "Give the missing number in [assume], or session-model.",
        )
    elif cost.most > limit:
        yield (
            f"A run can cost ${cost.most:,.2f}; max-cost is ${limit:,.2f}.",
            f"Lower the worst case or pin a cheaper model. The figure {cost.basis}.",
        )


def _over_agents(bound: CallBound, limit: int) -> Iterator[tuple[str, str]]:
    if bound.most is not None and bound.most <= limit:
        return
    if bound.most is None:
        names = ", ".join(bound.open) or bound.formula
        message = f"Nothing limits the agents of a run ({names}); max-agents is {limit:,}."
        hint = "Limit the list or loop, or give the unknown a number in [assume]."
    else:
        number = f"{bound.most:,}"
        formula = "" if number == bound.formula else f" ({bound.formula})"
        message = f"A run can start {number} agents{formula}; max-agents is {limit:,}."
        hint = "Lower the worst case, or raise max-agents."
    yield message, hint


def assumptions(texts: Sequence[str]) -> dict[str, int]:
    """`NAME=NUMBER` of the command line. Raises Trouble."""
    try:
        return call_bound.assumptions(texts)
    except ValueError as wrong:
        raise Trouble(f"--assume {str(wrong)!r} must be NAME=NUMBER, such as claims=20.") from None
