"""The graph of a pipeline, and offers for new transitions."""

from __future__ import annotations

from typing import Any

from tests.dialects.stages.packs import drawn, files, folder, read, source, to, when
from tests.support.checks import each_row
from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.format.parts import failure_plan, forks, routes

ROWS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("one after another", {"a": to("b"), "b": to()}, ["a|then|b event"]),
    (
        "several one by one",
        {"a": to("b", "c", parallel=False), "b": to(), "c": to()},
        ["a|then|b event", "a|then|c event"],
    ),
    (
        "branches that meet, the join listed",
        {"a": to("b", "c", "d", join="d"), "b": to(), "c": to(), "d": to()},
        ["a|parallel|b fork", "a|parallel|c fork", "b|join|d join", "c|join|d join"],
    ),
    (
        "branches that meet, the join not listed",
        {"a": to("b", "c", join="d"), "b": to(), "c": to(), "d": to()},
        ["a|parallel|b fork", "a|parallel|c fork", "b|join|d join", "c|join|d join"],
    ),
    (
        "cases and an else",
        {"a": {"cases": [when(True, to("b"))], "else": to("a")}, "b": to()},
        ["a|approved = true|b conditional", "a|else|a conditional"],
    ),
    (
        "a case that forks",
        {"a": {"cases": [when(True, to("b", "c"))]}, "b": to(), "c": to()},
        ["a|approved = true|b fork", "a|approved = true|c fork"],
    ),
    (
        "two cases that say the same",
        {"a": {"cases": [when(True, to("b")), when(True, to("b"))]}, "b": to()},
        ["a|approved = true|b conditional", "a|approved = true (2)|b conditional"],
    ),
    (
        "a way out of a failure",
        {"a": {"next": to("b", "c"), "onParallelFailure": to("d")}, "b": to(), "c": to(),
         "d": to()},
        ["a|parallel|b fork", "a|parallel|c fork", "a|on failure|d fallback"],
    ),
    ("a stage that is nowhere", {"a": to("gone")}, ["a|then|gone event"]),
    ("the same stage twice", {"a": to("b", "b"), "b": to()}, ["a|parallel|b fork"]),
    (
        "an end by word",
        {"a": {"next": {"nextStages": ["b"], "execution": "terminate"}}, "b": to()},
        [],
    ),
    (
        "two forks that share a join",
        {"a": to("b", "c", join="d"), "d": to("b", "c", join="d"), "b": to(), "c": to()},
        ["a|parallel|b fork", "a|parallel|c fork", "d|parallel|b fork", "d|parallel|c fork",
         "b|join|d join", "c|join|d join"],
    ),
]  # fmt: skip


@each_row(ROWS)
def test_transitions_match_the_pipeline(
    name: str, nexts: dict[str, Any], arrows: list[str]
) -> None:
    assert drawn(source(nexts))[1] == arrows


def test_states_have_their_counts() -> None:
    checks = {"assert": [{"unless": {}}, {"unless": {}}], "gate": {"when": {}}, "maxVisits": 3}
    states = {
        state.id: state
        for state in DIALECT.graph(
            source({"a": {"next": to("b", "c", join="d"), **checks}, "b": to(), "c": to(),
                    "d": to()}), "documented"
        ).states
    }  # fmt: skip
    assert dict(states["a"].counts) == {"tools": 1, "turns": 6, "checks": 3}
    assert states["a"].most_calls == 12
    assert states["a"].max_visits == 3
    assert states["a"].name == "A"
    assert [state.kind for state in states.values()] == ["reader", "reader", "reader", "join"]
    assert [state.terminal for state in states.values()] == [False, False, False, True]


@each_row([("[read, grep]", "reader"), ("[]", "reader"), ("[read, edit]", "stage"),
     ("[read, mcp-thing]", "stage"), ("read", "stage"), ("[3]", "stage")])  # fmt: skip
def test_a_stage_that_can_change_nothing_looks_so(tools: str, kind: str) -> None:
    pack = dict(files({"a": to()}))
    pack["stages/a.md"] = pack["stages/a.md"].replace(b"[read]", tools.encode())
    (state,) = DIALECT.graph(read(pack), "documented").states
    assert state.kind == kind


def test_branches_form_a_group() -> None:
    graph = DIALECT.graph(source({"a": to("b", "c", join="d"), "b": to(), "c": to(), "d": to()}),
                          "documented")  # fmt: skip
    assert [group.name for group in graph.groups] == ["Parallel after a"]
    framed = {state.id for state in graph.states if state.group == graph.groups[0].id}
    assert framed == {"b", "c"}


def test_stages_without_a_pipeline_have_no_transitions() -> None:
    assert drawn(folder("a", "b")) == (["a", "b"], [], [])


def test_ways_and_plans_are_read_from_both_forms_alike() -> None:
    listed = source({"a": to("b", "c", "d", join="d"), "b": to(), "c": to(), "d": to()})
    apart = source({"a": to("b", "c", join="d"), "b": to(), "c": to(), "d": to()})
    for one, is_listed in ((listed, True), (apart, False)):
        plan = routes(one, "a")[0].plan
        assert plan.siblings == ("b", "c")
        assert plan.join == "d"
        assert plan.join_listed is is_listed
        assert [fork.stage for fork in forks(one)] == ["a"]
        assert failure_plan(one, "a") is None


def offered(nexts: dict[str, Any], state: str) -> list[str]:
    offers = DIALECT.offers(source(nexts), state, "documented")
    return [f"{offer.label} {offer.kind}" for offer in offers]


CONDITIONS = [
    "approved = true conditional", "approved = false conditional", 'level = "low" conditional',
    'level = "high" conditional', 'verdict = "fail" conditional', " conditional",
]  # fmt: skip
OFFERS: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("an end", {"a": to()}, "a", ["then event", "parallel fork", *CONDITIONS]),
    ("no next at all", {"a": None}, "a", ["then event", "parallel fork", *CONDITIONS]),
    ("one way on", {"a": to("b"), "b": to()}, "a", ["parallel fork", *CONDITIONS]),
    (
        "a fork",
        {"a": to("b", "c"), "b": to(), "c": to()},
        "a",
        ["parallel fork", *CONDITIONS, "on failure fallback"],
    ),
    (
        "a branch",
        {"a": to("b", "c"), "b": to(), "c": to()},
        "b",
        ["then event", "parallel fork", "join join", *CONDITIONS],
    ),
    (
        "a branch that has its join",
        {"a": to("b", "c", join="d"), "b": to(), "c": to(), "d": to()},
        "b",
        ["then event", "parallel fork", *CONDITIONS],
    ),
    (
        "cases",
        {"a": {"cases": [when(True, to("b"))]}, "b": to()},
        "a",
        ["approved = true fork", "else conditional", *CONDITIONS[1:]],
    ),
]


@each_row(OFFERS)
def test_only_arrows_that_fit_are_offered(
    name: str, nexts: dict[str, Any], state: str, labels: list[str]
) -> None:
    assert offered(nexts, state) == labels


def test_branches_meet_in_a_stage_that_is_none_of_them() -> None:
    pack = source({"a": to("b", "c"), "b": to(), "c": to(), "d": to()})
    join = next(offer for offer in DIALECT.offers(pack, "b", "documented") if offer.label == "join")
    assert join.targets == ("a", "d")
    assert join.reason


def test_a_state_that_is_not_there_is_offered_nothing() -> None:
    assert DIALECT.offers(source({"a": to()}), "b", "documented") == ()
