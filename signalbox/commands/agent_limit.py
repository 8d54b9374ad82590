"""The worst case of a pack, and the limit of the project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from signalbox.commands.errors import Trouble
from signalbox.commands.packs import PackHere
from signalbox.project.settings_file import Project
from workflows.core.pack import call_bound
from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.findings import Finding, Place
from workflows.core.rules.worst_case import pack_bound

OVER = {"workflow_scripts": "WS606"}
"""Dialect → the code of a bound above the limit; `GR114` for others."""


def bound_of(pack: PackHere, source: Any, profile: str, project: Project) -> CallBound | None:
    """The most agents, or model calls, of one run."""
    if project.max_agents is None:
        return pack.dialect.call_bound(source, project.assume)
    return pack_bound(pack.dialect, source, pack.dialect.graph(source, profile), project.assume)


def over_limit(pack: PackHere, bound: CallBound | None, project: Project) -> tuple[Finding, ...]:
    """The error of a run that can start more agents than the project allows."""
    limit = project.max_agents
    if limit is None or bound is None or (bound.most is not None and bound.most <= limit):
        return ()
    if bound.most is None:
        names = ", ".join(bound.open) or bound.formula
        message = f"Nothing limits the agents of a run ({names}); max-agents is {limit:,}."
        hint = "Limit the list or loop, or give the unknown a number in [assume]."
    else:
        number = f"{bound.most:,}"
        formula = "" if number == bound.formula else f" ({bound.formula})"
        message = f"A run can start {number} agents{formula}; max-agents is {limit:,}."
        hint = "Lower the worst case, or raise max-agents."
    place = Place(path=pack.location.main, line=1, element="pack")
    code = OVER.get(pack.dialect.name, "GR114")
    return (Finding(code=code, level="error", message=message, place=place, hint=hint),)


def assumptions(texts: Sequence[str]) -> dict[str, int]:
    """`NAME=NUMBER` of the command line. Raises Trouble."""
    try:
        return call_bound.assumptions(texts)
    except ValueError as wrong:
        raise Trouble(f"--assume {str(wrong)!r} must be NAME=NUMBER, such as claims=20.") from None
