"""The dialect's own rules and the rules on any graph do not overlap."""

from __future__ import annotations

from typing import Any

from tests.dialects.steps_registry.packs import Change, definition, pack, setting, step
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.rules.check import check, rules_for

S = "registry/steps"


def _with(*steps: tuple[str, str, dict[str, Any]], reached_by: str = "") -> Change:
    """More steps, the first of them reached from the entry if need be."""

    def change(whole: dict[str, Any]) -> None:
        for id, kind, rules in steps:
            whole["registry"]["steps"][id] = step(id, kind, list(rules), rules)
            whole["schema"][id] = definition(list(rules))
            folder = f".agent/t/prompts/steps/{id.replace('.', '/')}"
            whole["files"][f"{folder}/f_default.md"] = "next_action"
        if reached_by:
            rules = whole["registry"]["steps"]["initial.a"]["transitions"]
            rules[reached_by] = {"target": steps[0][0]}

    return change


LONELY = ("continuation.lonely", "work", {"handoff": {"target": "closure.a"}})
ROUND = (
    ("continuation.b", "work", {"next": {"target": "continuation.c"}}),
    ("continuation.c", "work", {"next": {"target": "continuation.b"}}),
)
STAYS = ("continuation.b", "work", {"repeat": {"target": "continuation.b"}})

REPEATED = [
    ("no entry", setting(("registry/entryStep", ...)), "GR101", "SR105"),
    ("an entry that is no name", setting(("registry/entryStep", 5)), "GR101", "SR105"),
    ("an entry that is no step", setting(("registry/entryStep", "initial.x")), "GR102", "SR106"),
    (
        "a mapped entry that is no step",
        setting(("registry/entryStepMapping", {"poll:state": "initial.x"})),
        "GR102",
        "SR107",
    ),
    (
        "a target that is no step",
        setting((f"{S}/initial.a/transitions/next/target", "continuation.x")),
        "GR103",
        "SR201",
    ),
    ("a step nobody leads to", _with(LONELY), "GR104", "SR601"),
    ("a circle", _with(*ROUND, reached_by="jump"), "GR108", "SR605"),
    ("a step that only repeats", _with(STAYS, reached_by="jump"), "GR108", "SR611"),
]


@each_row([row[1:] for row in REPEATED])
def test_an_own_rule_covers_the_generic_rule(change: Change, proof: str, own: str) -> None:
    codes = {found.code for found in check(DIALECT, pack(change), "documented")}
    assert own in codes
    assert proof not in codes
    assert proof in DIALECT.covers


def test_a_closure_step_may_end_the_run_and_send_it_back() -> None:
    change = setting((f"{S}/closure.a/transitions/repeat/target", "continuation.a"))
    found = check(DIALECT, pack(change), "documented")
    assert not [each for each in found if each.code == "GR106"]


def test_generic_rules_without_an_own_rule_stay() -> None:
    kept = {rule.code for rule in rules_for(DIALECT) if rule.code.startswith("GR")}
    assert kept >= {"GR105", "GR107", "GR113", "GR114"}
    assert kept.isdisjoint(DIALECT.covers)
