"""Steps for stages that reached their visit cap: a case before each route to that stage.

{"when": {"all": [<the route's own condition>, {"path": "run.visits.draft", "op": "gte",
                                                "value": 3}]}, "then": …}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.format.parts import Route, routes
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.forms import Json

VISITS = "run.visits."


def with_guard(when: Json, stage: str, most: int) -> dict[str, Json]:
    """The condition, and the test that this stage reached its visit cap."""
    full: dict[str, Json] = {"path": f"{VISITS}{stage}", "op": "gte", "value": most}
    return full if when is None else {"all": [when, full]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A parsed case of this kind. `when` is the route's own condition, None for the last route."""

    stage: str
    most: int
    when: Any


def parse_guard(when: Any) -> Guard | None:
    """The guard of a condition; None for any other condition."""
    if not isinstance(when, Mapping):
        return None
    own, full = None, when
    parts = when.get("all")
    if isinstance(parts, list) and len(parts) == 2 and set(when) == {"all"}:
        own, full = parts
    if not isinstance(full, Mapping) or set(full) != {"path", "op", "value"}:
        return None
    path, most = full["path"], full["value"]
    if full["op"] != "gte" or not isinstance(path, str) or not path.startswith(VISITS):
        return None
    if not isinstance(most, int) or isinstance(most, bool):
        return None
    return Guard(stage=path.removeprefix(VISITS), most=most, when=own)


def redirects(source: StagesSource) -> Mapping[str, str]:
    """Stage → the stage to enter instead after its visit cap, if every route to it is guarded and
    all guards lead to the same stage."""
    known = {stage: routes(source, stage) for stage in source.stages}
    instead: dict[str, set[str]] = {}
    for leaving in known.values():
        for index, route in enumerate(leaving):
            found = parse_guard(route.when)
            if found is not None and _fits(source, found, route, leaving[index + 1 :]):
                instead.setdefault(found.stage, set()).add(route.plan.stages[0])
    return {
        stage: targets.pop()
        for stage, targets in instead.items()
        if len(targets) == 1 and all(_guards_all(stage, leaving) for leaving in known.values())
    }


def _fits(source: StagesSource, guard: Guard, route: Route, later: tuple[Route, ...]) -> bool:
    """Return True if the case only catches the later route to the capped stage."""
    most = source.entry(guard.stage).get("maxVisits")
    meant = [each for each in later if each.when == guard.when]
    return (
        most == guard.most
        and len(route.plan.stages) == 1
        and len(meant) == 1
        and meant[0].plan.stages == (guard.stage,)
    )


def _guards_all(stage: str, leaving: tuple[Route, ...]) -> bool:
    guards = [found.when for route in leaving if (found := parse_guard(route.when))
              and found.stage == stage]  # fmt: skip
    return all(route.when in guards for route in leaving if stage in route.plan.stages)
