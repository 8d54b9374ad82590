"""Bounds of a run in the graph: iterations, calls, and checks that no path may avoid."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.steps_registry.packs import (
    Change,
    definition,
    pack,
    put,
    setting,
    step,
)
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check

VERDICT = "agent/runner/verdict"
LIMITS: list[tuple[str, Change, int]] = [
    ("as the verdict says", setting((f"{VERDICT}/config/maxIterations", 7)), 7),
    ("10 where nothing is configured", setting((f"{VERDICT}/config", ...)), 10),
    ("20 where something else is", setting((f"{VERDICT}/config", {"maxChecks": 3})), 20),
    ("10 without an agent.json", setting(("agent", None)), 10),
    ("20 for nonsense", setting((f"{VERDICT}/config", {"maxIterations": "many"})), 20),
]


@pytest.mark.parametrize(
    ("change", "most"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS]
)
@pytest.mark.parametrize("profile", DIALECT.profiles)
def test_iterations_bound_the_visits(change: Change, most: int, profile: str) -> None:
    assert DIALECT.graph(pack(change), profile).most_visits == most


def _process(whole: dict[str, Any]) -> None:
    put(whole, "registry/steps/closure.a/runner", {"command": "make"})
    section = {"stepId": "section.x", "name": "x", "c2": "section", "c3": "x"}
    put(whole, "registry/steps/section.x", section)


def test_a_visit_makes_one_call_and_a_process_none() -> None:
    graph = DIALECT.graph(pack(_process), "documented")
    assert {state.id: state.most_calls for state in graph.states} == {
        "initial.a": 1,
        "continuation.a": 1,
        "closure.a": 0,
        "section.x": 0,
    }


def _guarded(key: str) -> Change:
    """Two closure steps, and a validator under this key."""

    def change(whole: dict[str, Any]) -> None:
        steps = whole["registry"]["steps"]
        steps["closure.b"] = step(
            "closure.b", "closure", ["closing"], {"closing": {"target": None}}
        )
        whole["schema"]["closure.b"] = definition(["closing"])
        steps["initial.a"]["structuredGate"]["allowedIntents"] = ["next", "repeat", "handoff"]
        steps["initial.a"]["transitions"]["handoff"] = {"target": "closure.b"}
        whole["schema"]["initial.a"] = definition(["next", "repeat", "handoff"])
        whole["registry"]["validationSteps"] = {
            key: {
                "stepId": key,
                "name": "n",
                "c2": "retry",
                "c3": "a",
                "validationConditions": [{"validator": "clean"}],
            }
        }

    return change


def _around(change: Change, profile: str) -> list[Finding]:
    found = check(DIALECT, pack(change), profile)
    return [each for each in found if each.code == "GR113"]


def test_a_path_around_a_checked_closure_is_reported() -> None:
    """The document checks closure.a alone; in Climpt that key is never looked up."""
    (told,) = _around(_guarded("closure.a"), "documented")
    assert told.walk == ("initial.a|handoff|closure.b",)
    assert told.place.element == "state:closure.b"
    assert _around(_guarded("closure.a"), "climpt") == []


@each_row(DIALECT.profiles)
def test_checks_by_verdict_type_guard_every_closure(profile: str) -> None:
    assert _around(_guarded("closure.iteration"), profile) == []
    graph = DIALECT.graph(pack(_guarded("closure.iteration")), profile)
    assert {state.id for state in graph.states if state.required} == {"closure.a", "closure.b"}
    assert all(state.counts["validators"] == 1 for state in graph.states if state.required)


def test_the_worst_case_cost_of_a_pack_is_reported() -> None:
    (told,) = [each for each in check(DIALECT, pack(), "documented") if each.code == "GR114"]
    assert told.message == "At worst, a run enters 10 states and makes 10 model calls."
    assert not [each for each in check(DIALECT, pack(), "documented") if each.code == "GR109"]
