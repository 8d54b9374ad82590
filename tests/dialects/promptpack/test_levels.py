"""Compositions as levels: their projection, and the bytes that edits of them change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, applied, codes, pack, source, tree_of
from tests.dialects.promptpack.rule_rows import COMPOSED, TOOL
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import (
    AddState,
    Connect,
    Disconnect,
    DuplicateState,
    Edit,
    EditRefused,
    Paste,
    Relabel,
    RemoveState,
    RenameState,
    Retarget,
    SetEntry,
    SetField,
    UnsetField,
)
from workflows.core.pack.graph import Graph
from workflows.core.rules.check import check


def step(id: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "kind": "prompt", "prompt_task": "draft", "input": "${input}", **more}


def branch(id: str, then: str, other: str = "", **more: Any) -> dict[str, Any]:
    ways = {"then": then, **({"else": other} if other else {})}
    return {"id": id, "kind": "branch", "predicate": {"path": "${input}", "exists": True}} | (
        ways | more
    )


def parallel(id: str, *branches: dict[str, Any], **more: Any) -> dict[str, Any]:
    reduce = {"strategy": "barrier", "into": "all"}
    return {"id": id, "kind": "parallel", "branches": list(branches), "reduce": reduce, **more}


def composed(*steps: dict[str, Any], **more: Any) -> PackSource:
    composition = {"version": 1, "steps": list(steps), **more}
    return source(pack({**COMPOSED, "compositions": {"c": composition}, "tools/find": TOOL}))


def drawn(found: PackSource) -> Graph:
    return DIALECT.graph(found, "documented").on("composition:c")


def arrows(found: PackSource) -> list[str]:
    """`source -label-> target` of the level, without the composition's name, with forks and joins
    marked."""
    signs = {"fork": "⇉", "join": "⇇", "fallback": "⇢"}
    return [
        f"{a.source[2:]} {a.label}{signs.get(a.kind, '→')} {a.target[2:]}"
        for a in drawn(found).transitions
    ]


def order(found: PackSource) -> list[str]:
    return [item["id"] for item in tree_of(found)["compositions"]["c"]["steps"]]


A, B, C, D = step("a"), step("b"), step("c"), step("d")
DRAWN: list[tuple[str, list[dict[str, Any]], list[str]]] = [
    ("one", [A], []),
    ("order", [A, B, C], ["a → b", "b → c"]),
    ("written", [A, B, step("c", depends_on=["a"])], ["a → b", "a depends_on→ c"]),
    (
        "what was not followed is followed",
        [A, step("b", depends_on=["a"]), step("c", depends_on=["a"]), D],
        ["a depends_on→ b", "a depends_on→ c", "b → d", "c → d"],
    ),
    (
        "two ways",
        [branch("x", "a", "b"), A, B, C],
        ["x then→ a", "x else→ b", "a → c", "b → c"],
    ),
    (
        "one way, and past it",
        [branch("x", "a"), A, B],
        ["x then→ a", "x ⇢ b", "a → b"],
    ),
    (
        "a branch that is named by what it leads to",
        [branch("x", "a", "b"), step("a", depends_on=["x"]), B],
        ["x then→ a", "x else→ b"],
    ),
    (
        "at once, and together again",
        [A, parallel("p", B, C), D],
        ["a → p", "p ⇉ b", "p ⇉ c", "b ⇇ d", "c ⇇ d"],
    ),
    (
        "together again as written",
        [parallel("p", B, C), step("d", depends_on=["p"])],
        ["p ⇉ b", "p ⇉ c", "b depends_on⇇ d", "c depends_on⇇ d"],
    ),
    ("nothing to depend on", [A, step("b", depends_on=["ghost"])], ["a → b"]),
    ("nothing to lead to", [branch("x", "ghost"), A], ["x then→ ghost", "x ⇢ a"]),
    ("itself", [A, step("b", depends_on=["b"])], ["a → b"]),
    ("backwards", [step("a", depends_on=["b"]), B], ["b depends_on→ a", "a → b"]),
]


@each_row([row[1:] for row in DRAWN])
def test_transitions_show_the_order_of_execution(
    steps: list[dict[str, Any]], expected: list[str]
) -> None:
    assert arrows(composed(*steps)) == expected


def test_the_state_of_a_composition_opens_its_level() -> None:
    graph = DIALECT.graph(composed(A, parallel("p", B, C), D), "documented")
    opening = {state.id: state.inside for state in graph.states if state.inside}
    assert opening == {"done": "composition:c"}
    level = graph.on("composition:c")
    assert [(state.id, state.kind, state.group) for state in level.states] == [
        ("c/a", "prompt", None),
        ("c/p", "parallel", None),
        ("c/b", "prompt", "c/p"),
        ("c/c", "prompt", "c/p"),
        ("c/d", "prompt", None),
    ]
    assert [state.id for state in level.states if state.terminal] == ["c/d"]
    assert [(entry.state, entry.key) for entry in level.entries] == [("c/a", "composition:c")]
    assert [group.id for group in level.groups] == ["c/p"]
    assert graph.on("").groups == ()
    assert {state.level for state in graph.on("").states} == {""}


def test_a_composition_that_no_state_runs_is_a_level_as_well() -> None:
    found = source(pack({"compositions": {"c": {"version": 1, "steps": [A]}}}))
    assert [state.id for state in drawn(found).states] == ["c/a"]


def test_a_state_has_precedence_over_a_step_of_the_same_name() -> None:
    tree = pack({"compositions": {"c": {"version": 1, "steps": [A, B]}}})
    tree["workflow"]["states"]["c/a"] = {"prompt_task": "draft", "terminal": True}
    graph = DIALECT.graph(source(tree), "documented")
    assert [(s.id, s.level) for s in graph.states if s.id.startswith("c/")] == [
        ("c/a", ""),
        ("c/b", "composition:c"),
    ]
    after = tree_of(applied(source(tree), RenameState(id="c/a", new_id="e")))
    assert "e" in after["workflow"]["states"]


def test_an_invalid_step_is_not_drawn() -> None:
    tree = pack({"compositions": {"c": {"version": 1, "steps": [7, {"kind": "tool"}, A, A, None]}}})
    assert [state.id for state in drawn(source(tree)).states] == ["c/a"]


EDITS: list[tuple[str, list[dict[str, Any]], Edit, list[str]]] = [
    (
        "another to wait for",
        [A, B, C],
        Connect(source="c/a", target="c/c", label="depends_on"),
        ["a → b", "b depends_on→ c", "a depends_on→ c"],
    ),
    (
        "list order becomes depends_on",
        [A, B],
        Connect(source="c/a", target="c/b", label=""),
        ["a depends_on→ b"],
    ),
    (
        "after what comes out of a parallel step",
        [parallel("p", A, B), C, D],
        Connect(source="c/a", target="c/d", label="depends_on"),
        [
            "p ⇉ a",
            "p ⇉ b",
            "a ⇇ c",
            "b ⇇ c",
            "c depends_on→ d",
            "a depends_on⇇ d",
            "b depends_on⇇ d",
        ],
    ),
    (
        "the last step goes before the one that waits for it",
        [A, B, C],
        Connect(source="c/c", target="c/b", label="depends_on"),
        ["a → c", "c depends_on→ b"],
    ),
    (
        "the one that waits goes behind",
        [A, B, step("c", depends_on=["b"]), step("d", depends_on=["b"])],
        Connect(source="c/d", target="c/c", label="depends_on"),
        ["a → b", "b depends_on→ d", "b depends_on→ c", "d depends_on→ c"],
    ),
    (
        "the other way",
        [branch("x", "a"), A, B],
        Connect(source="c/x", target="c/b", label="else"),
        ["x then→ a", "x else→ b"],
    ),
    (
        "one more branch",
        [parallel("p", A, B), C, D],
        Connect(source="c/p", target="c/c", label="branches"),
        ["p ⇉ a", "p ⇉ b", "p ⇉ c", "a ⇇ d", "b ⇇ d", "c ⇇ d"],
    ),
    (
        "one branch less",
        [parallel("p", A, B, C), D],
        Disconnect(transition="c/p||c/c"),
        ["p ⇉ a", "p ⇉ b", "a ⇇ c", "b ⇇ c", "c → d"],
    ),
    (
        "order again",
        [A, B, step("c", depends_on=["a"])],
        Disconnect(transition="c/a|depends_on|c/c"),
        ["a → b", "b → c"],
    ),
    (
        "one of two that the order led here from",
        [branch("x", "a", "b"), A, B, C],
        Disconnect(transition="c/a||c/c"),
        ["x then→ a", "x else→ b", "b depends_on→ c"],
    ),
    (
        "no more otherwise",
        [branch("x", "a", "b"), A, B],
        Disconnect(transition="c/x|else|c/b"),
        ["x then→ a", "x ⇢ b", "a → b"],
    ),
    (
        "another end",
        [branch("x", "a"), A, B],
        Retarget(transition="c/x|then|c/a", target="c/b"),
        ["x then→ b", "x ⇢ a"],
    ),
    (
        "another beginning",
        [A, B, step("c", depends_on=["a"])],
        Retarget(transition="c/a|depends_on|c/c", source="c/b"),
        ["a → b", "b depends_on→ c"],
    ),
    (
        "another source than the list order",
        [A, B, C],
        Retarget(transition="c/b||c/c", source="c/a"),
        ["a → b", "a depends_on→ c"],
    ),
    (
        "the other way round",
        [branch("x", "a", "b"), A, B],
        Relabel(transition="c/x|then|c/a", label="else"),
        ["x then→ b", "x else→ a"],
    ),
    ("a new step", [A], AddState(id="c/n", kind="tool"), ["a → n"]),
    ("a new step of no kind", [A], AddState(id="c/n"), ["a → n"]),
    (
        "a new step where branches meet",
        [parallel("p", A, B)],
        AddState(id="c/n", kind="prompt"),
        ["p ⇉ a", "p ⇉ b", "a depends_on⇇ n", "b depends_on⇇ n"],
    ),
    (
        "a new parallel step",
        [A],
        AddState(id="c/n", kind="parallel"),
        ["a → n", "n ⇉ n_a", "n ⇉ n_b"],
    ),
    (
        "a step less",
        [A, step("b", depends_on=["a"]), step("c", depends_on=["a", "b"])],
        RemoveState(id="c/a"),
        ["b depends_on→ c"],
    ),
    (
        "where a branch leads",
        [branch("x", "a", "b"), A, B],
        RemoveState(id="c/a"),
        ["x else→ b"],
    ),
    (
        "another name",
        [A, branch("x", "b", "a"), step("b", depends_on=["a"])],
        RenameState(id="c/a", new_id="c/first"),
        ["first → x", "x then→ b", "x else→ first", "first depends_on→ b"],
    ),
    ("a copy", [A, B], DuplicateState(id="c/a", new_id="c/n"), ["a → n", "n → b"]),
    ("first", [A, B], SetEntry(id="c/b", key="composition:c"), ["b → a"]),
    (
        "a name set in a form",
        [A, B],
        SetField(element="state:c/a", field="/id", value="z"),
        ["z → b"],
    ),
    (
        "an order set in a form",
        [A, B, C],
        SetField(element="state:c/c", field="/depends_on", value=["a"]),
        ["a → b", "a depends_on→ c"],
    ),
    (
        "and unset",
        [A, B, step("c", depends_on=["a"])],
        UnsetField(element="state:c/c", field="/depends_on"),
        ["a → b", "b → c"],
    ),
]


@each_row([row[1:] for row in EDITS])
def test_an_edit_of_a_level_is_drawn(
    steps: list[dict[str, Any]], edit: Edit, expected: list[str]
) -> None:
    after = applied(composed(*steps), edit)
    assert arrows(after) == expected
    assert DIALECT.graph(DIALECT.read(after.files), "documented") == DIALECT.graph(
        after, "documented"
    )


REFUSED: list[tuple[str, Edit, str]] = [
    ("back", Connect(source="c/d", target="c/a", label="depends_on"), "must run before"),
    ("itself", Connect(source="c/a", target="c/a", label="depends_on"), "depend on itself"),
    ("twice", Connect(source="c/a", target="c/d", label="depends_on"), "already"),
    ("no way out", Connect(source="c/a", target="c/d", label="then"), "not a branch step"),
    ("unknown", Connect(source="c/a", target="c/d", label="next"), "the label 'next'"),
    ("elsewhere", Connect(source="c/a", target="draft", label="depends_on"), "no step 'draft'"),
    ("at once", Connect(source="c/b", target="c/c", label="depends_on"), "run in parallel"),
    ("branch taken", Connect(source="c/p", target="c/b", label="branches"), "already"),
    ("no parallel", Connect(source="c/a", target="c/d", label="branches"), "not a parallel step"),
    ("order", Disconnect(transition="c/a||c/p"), "because of the list order"),
    ("two are left", Disconnect(transition="c/p||c/b"), "at least two branches"),
    ("no arrow", Disconnect(transition="c/a|x|c/p"), "no transition"),
    ("end of order", Retarget(transition="c/a||c/p", target="c/d"), "cannot be changed"),
    ("end of fork", Retarget(transition="c/p||c/b", target="c/d"), "another"),
    ("name", Relabel(transition="c/a|depends_on|c/d", label="then"), "'then' and 'else'"),
    ("taken", AddState(id="c/b", kind="prompt"), "already"),
    ("not a name", AddState(id="c/9 lives", kind="prompt"), "not a valid step id"),
    ("state's kind", AddState(id="x/y", kind="prompt"), "Unknown kind of state"),
    ("moves out", RenameState(id="c/a", new_id="a"), "cannot leave it"),
    ("not a name either", RenameState(id="c/a", new_id="c/a-b"), "not a valid step id"),
    ("gone", RemoveState(id="c/z"), "no step"),
    ("not first", SetEntry(id="c/d", key="composition:c"), "cannot be the first"),
]


def test_the_only_step_cannot_be_removed() -> None:
    with pytest.raises(EditRefused, match="only step"):
        DIALECT.apply(composed(A), RemoveState(id="c/a"))


def test_a_step_rename_changes_references_to_its_output() -> None:
    reading = step("b", input={"x": "${a.output.text}", "y": "see ${a.output} and ${ab.output}"})
    test = branch("q", "b", predicate={"not": {"path": "${a.output}", "exists": True}})
    before = composed(A, step("ab"), test, reading, output="a")
    after = applied(before, RenameState(id="c/a", new_id="c/first"))
    composition = tree_of(after)["compositions"]["c"]
    assert composition["output"] == "first"
    assert composition["steps"][2]["predicate"]["not"]["path"] == "${first.output}"
    assert composition["steps"][3]["input"] == {
        "x": "${first.output.text}",
        "y": "see ${first.output} and ${ab.output}",
    }
    back = applied(after, RenameState(id="c/first", new_id="c/a"))
    assert back.files == before.files


def test_a_step_is_never_moved_before_a_step_that_it_reads() -> None:
    before = composed(A, B, step("c", input="${b.output}"))
    after = applied(before, Connect(source="c/c", target="c/a", label="depends_on"))
    assert order(after) == ["b", "c", "a"]
    with pytest.raises(EditRefused, match="must run before"):
        applied(after, Connect(source="c/c", target="c/b", label="depends_on"))


@each_row(["prompt", "agent", "tool", "parallel"])
def test_a_new_step_is_valid_from_the_start(kind: str) -> None:
    before = composed(A, step("z"), output="a")
    after = applied(before, AddState(id="c/fresh", kind=kind))
    new = set(codes(tree_of(after))) - set(codes(tree_of(before)))
    assert not {code for code in new if code.startswith(("PP1", "PP60"))}
    assert tree_of(after)["compositions"]["c"]["steps"][-1]["kind"] == kind


def test_a_vendors_step_is_drawn_and_kept() -> None:
    odd = {"id": "v", "kind": "acme.lookup", "table": "x"}
    found = composed(A, odd, B)
    assert [state.kind for state in drawn(found).states] == ["prompt", "acme.lookup", "prompt"]
    after = applied(found, DuplicateState(id="c/v", new_id="c/w"))
    assert tree_of(after)["compositions"]["c"]["steps"][2] == {**odd, "id": "w"}


def test_every_offer_can_be_accepted() -> None:
    found = composed(
        A, parallel("p", B, C), branch("x", "d"), D, step("e", input="${a.output}"), step("f")
    )
    taken = 0
    for state in drawn(found).states:
        for offer in DIALECT.offers(found, state.id, "documented"):
            for target in () if offer.reason else offer.targets or ():
                edit = Connect(source=state.id, target=target, label=offer.label)
                after = applied(found, edit)
                ends = {(a.source, a.target) for a in drawn(after).transitions}
                assert (state.id, target) in ends, edit
                taken += 1
    assert taken > 20


def test_copied_steps_are_pasted_under_free_names() -> None:
    found = composed(A, parallel("p", B, C), step("d", depends_on=["p", "a"], input="${p.output}"))
    fragment = DIALECT.copy(found, ("c/p", "c/b", "c/d"))
    assert isinstance(fragment, dict)
    after = applied(found, Paste(fragment=fragment))
    steps = tree_of(after)["compositions"]["c"]["steps"]
    assert [item["id"] for item in steps] == ["a", "p", "d", "p_2", "d_2"]
    assert [item["id"] for item in steps[3]["branches"]] == ["b_2", "c_2"]
    assert steps[4]["depends_on"] == ["p_2"]
    assert steps[4]["input"] == "${p_2.output}"


def test_steps_are_pasted_into_a_composition_only() -> None:
    found = composed(A)
    fragment = DIALECT.copy(found, ("c/a",))
    assert isinstance(fragment, dict)
    with pytest.raises(EditRefused, match="into a composition"):
        DIALECT.apply(found, Paste(fragment={**fragment, "level": ""}))
    with pytest.raises(EditRefused, match="same canvas"):
        DIALECT.copy(found, ("c/a", "draft"))


def test_findings_of_a_step_are_at_its_state() -> None:
    found = composed(A, parallel("p", step("b", prompt_task="nobody"), C))
    findings = [f for f in check(DIALECT, found, "documented") if f.code == "PP603"]
    assert [finding.place.element for finding in findings] == ["state:c/b"]


@each_row(["prompt", "agent", "tool", "branch", "parallel", "acme.lookup"])
def test_the_form_of_a_step_has_the_fields_of_its_kind(kind: str) -> None:
    form = DIALECT.fields(composed(A, {"id": "s", "kind": kind}), "state:c/s", "documented")
    own = {
        "prompt": "prompt_task",
        "agent": "termination",
        "tool": "args",
        "branch": "predicate",
        "parallel": "reduce",
    }
    fields = form.schema["properties"]
    assert isinstance(fields, dict)
    assert {"kind", "depends_on", own.get(kind, "modifiers")} <= set(fields)
    assert {"id", "branches"}.isdisjoint(fields)
    assert (form.removable, form.renamable) == (True, True)


@each_row(["c/a||c/p", "c/p||c/b", "c/b|depends_on|c/d", "c/x|then|c/d", "c/x||c/e"])
def test_every_transition_of_a_level_has_a_form(transition: str) -> None:
    found = composed(
        A, parallel("p", B, C), branch("x", "d"), step("d", depends_on=["p"]), step("e")
    )
    form = DIALECT.fields(found, f"transition:{transition}", "documented")
    assert form.values["target"] == transition.rpartition("|")[2]
