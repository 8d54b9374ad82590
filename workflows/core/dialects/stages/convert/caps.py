"""Steps for stages that reached their visit cap: a case before each route to that stage.

{"when": {"all": [<the route's own condition>, {"path": "run.visits.draft", "op": "gte",
                                                "value": 3}]}, "then": …}
"""

from __future__ import annotations

import json
from bisect import bisect_right
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
    instead: dict[str, set[str]] = {}
    unguarded: set[str] = set()
    for stage in source.stages:
        leaving = _Leaving(routes(source, stage))
        unguarded |= leaving.unguarded
        for index, (guard, route) in leaving.guards.items():
            most = source.entry(guard.stage).get("maxVisits")
            if most == guard.most and leaving.catches_only(index):
                instead.setdefault(guard.stage, set()).add(route.plan.stages[0])
    return {
        stage: targets.pop()
        for stage, targets in instead.items()
        if len(targets) == 1 and stage not in unguarded
    }


class _Leaving:
    """The routes of one stage, and the guards among them by their index. A stage may have thousands
    of routes, so conditions are compared as texts that are found in an index."""

    def __init__(self, routes: tuple[Route, ...]) -> None:
        self.routes = routes
        self.guards: dict[int, tuple[Guard, Route]] = {}
        self._same: dict[str, list[int]] = {}
        self._guarded: dict[str, set[str]] = {}
        for index, route in enumerate(routes):
            self._same.setdefault(_key(route.when), []).append(index)
            guard = parse_guard(route.when)
            if guard is not None:
                self.guards[index] = guard, route
                self._guarded.setdefault(guard.stage, set()).add(_key(guard.when))

    @property
    def unguarded(self) -> set[str]:
        """Stages with a route to them whose condition has no guard."""
        none: set[str] = set()
        return {
            stage
            for route in self.routes
            for stage in route.plan.stages
            if _key(route.when) not in self._guarded.get(stage, none)
        }

    def catches_only(self, index: int) -> bool:
        """Return True if the guard only catches the later route to the capped stage."""
        guard, route = self.guards[index]
        same = self._same.get(_key(guard.when), [])
        later = same[bisect_right(same, index) :][:2]
        meant = [self.routes[one].plan.stages for one in later]
        return len(route.plan.stages) == 1 and meant == [(guard.stage,)]


def _key(when: Any) -> str:
    return json.dumps(when, sort_keys=True, default=str)
