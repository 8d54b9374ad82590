"""Rules: the packs that each one reports, and the packs that it does not."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.fine_rows import FINE
from tests.dialects.promptpack.packs import DIALECT, applied, codes, pack, source
from tests.dialects.promptpack.rule_rows import PROMPTKIT, STEP, WRONG, S, composed
from tests.support.checks import each_row
from workflows.core.rules.check import check

BESIDE = {"GR114", "PP331"}
"""The cost of a loop, and a hint about paths: findings that good packs have too."""


@each_row(FINE)
def test_a_good_pack_has_no_findings(changes: dict[str, Any]) -> None:
    assert set(codes(pack(changes))) <= BESIDE


def profile_of(code: str) -> str:
    """The profile for a code: the PP9xx rules apply to PromptKit only, PP913 to its second
    generation."""
    if code == "PP913":
        return "promptkit-2"
    return "promptkit-1" if code.startswith("PP9") else "documented"


def has_exactly(tree: Any, row: str, beside: set[str]) -> None:
    """The pack has these codes, and a fix of the first removes it."""
    before, code = source(tree), row[:5]
    told = check(DIALECT, before, profile := profile_of(code))
    found = {finding.code for finding in told}
    assert code in found
    assert found | beside == {*row.split(), *beside}
    for finding in told:
        if finding.code == code and finding.fix is not None:
            after = check(DIALECT, applied(before, *finding.fix.edits), profile)
            left = {(item.code, item.message, item.place.pointer) for item in after}
            assert (code, finding.message, finding.place.pointer) not in left


@each_row(WRONG)
def test_a_wrong_pack(changes: dict[str, Any], codes: str) -> None:
    has_exactly(pack(changes), codes, BESIDE)


@each_row(PROMPTKIT)
def test_a_pack_that_only_promptkit_rejects(changes: dict[str, Any], row: str) -> None:
    tree = pack(changes)
    has_exactly(tree, row, {*BESIDE, "PP911"})  # None of these packs has `compilation`.
    assert row[:5] not in codes(tree, "documented")


def test_more_rows_are_fine_than_wrong() -> None:
    assert len(FINE) > len(WRONG)


def test_every_rule_has_a_row_here() -> None:
    shown = {codes[:5] for _, codes in (*WRONG, *PROMPTKIT)}
    elsewhere = {"PP101", "PP102", "PP103", "PP104", "PP332", "PP607", "PP609"}
    elsewhere |= {"PP121", "PP122", "PP408", "PP409", "PP410"}
    assert {rule.code for rule in DIALECT.rules()} == shown | elsewhere


def test_nested_branches_and_implicit_joins_are_reported() -> None:
    branch = {
        "id": "b",
        "kind": "branch",
        "predicate": {"path": "${input}", "exists": True},
        "then": "one",
    }
    parallel = {
        "id": "p",
        "kind": "parallel",
        "branches": [STEP, branch],
        "reduce": {"strategy": "append", "into": "x"},
    }
    found = codes(pack(composed(parallel, {**STEP, "id": "last"})))
    assert {"PP607", "PP609"} <= set(found)


def test_a_finding_has_its_line_and_its_element() -> None:
    (found,) = check(DIALECT, source(pack({f"{S}/draft/on_event/Submit": "nope"})), "documented")[
        :1
    ]
    assert found.code == "PP204"
    assert found.place.element == "transition:draft|Submit|nope"
    lines = source(pack({f"{S}/draft/on_event/Submit": "nope"})).files["good.pack.json"].decode()
    assert '"Submit": "nope"' in lines.splitlines()[found.place.line - 1]


def test_an_unbounded_loop_has_a_walk() -> None:
    tree = pack({f"{S}/done": {"prompt_task": "done", "on_event": {"Again": "review"}}})
    (found,) = [item for item in check(DIALECT, source(tree), "documented") if item.code == "PP220"]
    assert found.walk == ("draft|Submit|review", "review|Approve|done", "done|Again|review")


def test_fragments_that_lead_to_a_cycle_are_not_in_it() -> None:
    texts = {"a": "{{b}}", "b": "{{c}}", "c": "{{fragments.b}}", "d": "{{missing}}"}
    found = check(DIALECT, source(pack({"fragments": texts})), "documented")
    pointers = [item.place.pointer for item in found if item.code == "PP307"]
    assert pointers == ["/fragments/b", "/fragments/c"]


ROUND = {f"{S}/review/on_event": {"Approve": "done", "Reject": "draft"}}


@each_row(
    [
        ({**ROUND, f"{S}/draft/max_visits": 3}, ""),
        ({**ROUND, f"{S}/draft/max_visits": 3, f"{S}/draft/on_max_visits": "done"}, ""),
        ({**ROUND, f"{S}/draft/max_visits": 3, f"{S}/draft/on_max_visits": "review"}, "review"),
        (
            {**ROUND, f"{S}/draft/max_visits": 3, f"{S}/draft/on_max_visits": "draft"},
            "draft → review",
        ),
        (
            {
                **ROUND,
                f"{S}/draft/max_visits": 1,
                f"{S}/draft/on_max_visits": "review",
                f"{S}/review/max_visits": 1,
                f"{S}/review/on_max_visits": "done",
            },
            "review",
        ),
        ({**ROUND, f"{S}/review/on_event/Again": "review", f"{S}/draft/max_visits": 3}, "review"),
    ]
)
def test_a_cap_bounds_a_loop_only_if_its_redirect_leaves_the_loop(
    changes: dict[str, Any], names: str
) -> None:
    found = check(DIALECT, source(pack(changes)), "documented")
    messages = [item.message for item in found if item.code == "PP220"]
    assert messages == (
        [f"The loop {names} has no bound: no cap and no budget ends it."] if names else []
    )


def test_the_transitions_of_a_walk_are_drawn_and_connected() -> None:
    changes = {**ROUND, f"{S}/draft/max_visits": 3, f"{S}/draft/on_max_visits": "review"}
    after = source(pack(changes))
    arrows = {arrow.id: arrow for arrow in DIALECT.graph(after, "documented").transitions}
    (found,) = [item for item in check(DIALECT, after, "documented") if item.code == "PP220"]
    walk = [arrows[id] for id in found.walk]
    assert [arrow.source for arrow in walk] == ["draft", *(arrow.target for arrow in walk[:-1])]
    assert walk[-1].target == "review"
