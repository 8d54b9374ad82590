"""Edits of transitions: adding, removing, moving and relabeling."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.stages.packs import (
    applied,
    folder,
    nexts,
    read,
    source,
    stage,
    to,
    tree,
    when,
)
from tests.support.checks import each_row
from workflows.core.dialects.stages import DIALECT
from workflows.core.pack.edits import (
    Connect,
    Disconnect,
    Edit,
    Relabel,
    Retarget,
    SetEntry,
    SetField,
)
from workflows.core.pack.files import Files

Row = tuple[str, dict[str, Any], Edit, dict[str, Any]]
A3: dict[str, Any] = {"b": to(), "c": to(), "d": to()}
FORK = {"a": to("b", "c"), **A3}
JOINED = {"a": to("b", "c", "d", join="d"), **A3}
APART = {"a": to("b", "c", join="d"), **A3}
TRUE = when(True, to("b"))
CASES = {"a": {"cases": [TRUE], "else": to("c")}, **A3}


def connect(label: str, target: str = "b", source: str = "a") -> Connect:
    return Connect(source=source, target=target, label=label)


ROWS: list[Row] = [
    ("then from an end", {"a": to(), "b": to()}, connect("then"), {"a": to("b")}),
    ("then where nothing was said", {"a": None, "b": to()}, connect("then"), {"a": to("b")}),
    ("a first parallel arrow", {"a": to(), **A3}, connect("parallel"),
     {"a": to("b", parallel=True)}),
    ("a second one makes branches", {"a": to("b"), **A3}, connect("parallel", "c"),
     {"a": to("b", "c")}),
    ("a third branch", FORK, connect("parallel", "d"), {"a": to("b", "c", "d")}),
    ("a branch stands before the join", {**JOINED, "e": to()}, connect("parallel", "e"),
     {"a": to("b", "c", "e", "d", join="d")}),
    ("a join is listed", FORK, connect("join", "d", "b"), {"a": to("b", "c", "d", join="d")}),
    ("a join is listed beside one that is not",
     {**APART, "e": to("f", "g"), "f": to(), "g": to()},
     connect("join", "d", "g"), {"e": to("f", "g", "d", join="d")}),
    ("a condition from an end", {"a": to(), "b": to()}, connect("approved = true"),
     {"a": {"cases": [TRUE], "else": to()}}),
    ("a condition beside a way on", {"a": to("c"), **A3}, connect("approved = true"),
     {"a": {"cases": [TRUE], "else": to("c")}}),
    ("a condition where nothing was said", {"a": None, **A3}, connect("approved = true"),
     {"a": {"cases": [TRUE]}}),
    ("a second condition", CASES, connect("approved = false", "d"),
     {"a": {"cases": [TRUE, when(False, to("d"))], "else": to("c")}}),
    ("a condition before an else alone", {"a": {"else": to("c")}, **A3},
     connect("approved = true"), {"a": {"cases": [TRUE], "else": to("c")}}),
    ("else", {"a": {"cases": [TRUE]}, **A3}, connect("else", "c"),
     {"a": {"cases": [TRUE], "else": to("c")}}),
    ("else that ended", {"a": {"cases": [TRUE], "else": to()}, **A3}, connect("else", "c"),
     {"a": {"cases": [TRUE], "else": to("c")}}),
    ("the same condition again forks", CASES, connect("approved = true", "d"),
     {"a": {"cases": [when(True, to("b", "d"))], "else": to("c")}}),
    ("else again forks", CASES, connect("else", "d"),
     {"a": {"cases": [TRUE], "else": to("c", "d")}}),
    ("a loop", {"a": to(), "b": to()}, connect("then", "a"), {"a": to("a")}),
    ("a word for the end gives way", {"a": {"next": {"nextStages": [], "execution": "terminate"}},
     "b": to()}, connect("then"), {"a": to("b")}),
    ("remove the way on", {"a": to("b"), "b": to()}, Disconnect(transition="a|then|b"),
     {"a": to()}),
    ("remove a branch", JOINED, Disconnect(transition="a|parallel|c"),
     {"a": to("b", "d", join="d")}),
    ("remove the last branch", {"a": to("b", "d", join="d"), "b": to(), "d": to()},
     Disconnect(transition="a|parallel|b"), {"a": to()}),
    ("remove a listed join", JOINED, Disconnect(transition="c|join|d"), {"a": to("b", "c")}),
    ("remove a join apart", APART, Disconnect(transition="b|join|d"), {"a": to("b", "c")}),
    ("remove the only case", CASES, Disconnect(transition="a|approved = true|b"),
     {"a": to("c")}),
    ("remove the else", CASES, Disconnect(transition="a|else|c"), {"a": {"cases": [TRUE]}}),
    ("remove a branch of a case", {"a": {"cases": [when(True, to("b", "c"))]}, **A3},
     Disconnect(transition="a|approved = true|c"),
     {"a": {"cases": [when(True, to("b", parallel=True))]}}),
    ("remove all there is", {"a": {"cases": [TRUE]}, **A3},
     Disconnect(transition="a|approved = true|b"), {"a": to()}),
    ("move an end", {"a": to("b"), **A3}, Retarget(transition="a|then|b", target="c"),
     {"a": to("c")}),
    ("move a branch", JOINED | {"e": to()}, Retarget(transition="a|parallel|b", target="e"),
     {"a": to("e", "c", "d", join="d")}),
    ("move a listed join", JOINED | {"e": to()}, Retarget(transition="b|join|d", target="e"),
     {"a": to("b", "c", "e", join="e")}),
    ("move a join apart", APART | {"e": to()}, Retarget(transition="b|join|d", target="e"),
     {"a": to("b", "c", join="e")}),
    ("move a beginning", {"a": to("c"), **A3}, Retarget(transition="a|then|c", source="b"),
     {"a": to(), "b": to("c")}),
    ("move a condition", CASES, Retarget(transition="a|approved = true|b", source="b", target="d"),
     {"a": to("c"), "b": {"cases": [when(True, to("d"))], "else": to()}}),
    ("move nothing", {"a": to("b"), **A3}, Retarget(transition="a|then|b"), {"a": to("b")}),
    ("then becomes parallel", {"a": to("b"), **A3},
     Relabel(transition="a|then|b", label="parallel"), {"a": to("b", parallel=True)}),
    ("parallel becomes then", {"a": to("b", "d", join="d"), **A3},
     Relabel(transition="a|parallel|b", label="then"), {"a": to("b")}),
    ("then becomes a condition", {"a": to("b"), **A3},
     Relabel(transition="a|then|b", label="approved = true"), {"a": {"cases": [TRUE]}}),
    ("another condition", CASES,
     Relabel(transition="a|approved = true|b", label="approved = false"),
     {"a": {"cases": [when(False, to("b"))], "else": to("c")}}),
    ("else becomes a condition", CASES, Relabel(transition="a|else|c", label="approved = false"),
     {"a": {"cases": [TRUE, when(False, to("c"))]}}),
    ("else alone becomes a condition", {"a": {"else": to("b")}, **A3},
     Relabel(transition="a|else|b", label="approved = true"), {"a": {"cases": [TRUE]}}),
    ("a condition becomes else", {"a": {"cases": [TRUE, when(False, to("c"))]}, **A3},
     Relabel(transition="a|approved = false|c", label="else"),
     {"a": {"cases": [TRUE], "else": to("c")}}),
    ("the only condition becomes then", {"a": {"cases": [TRUE]}, **A3},
     Relabel(transition="a|approved = true|b", label="then"), {"a": to("b")}),
    ("the only condition becomes else", {"a": {"cases": [TRUE]}, **A3},
     Relabel(transition="a|approved = true|b", label="else"), {"a": to("b")}),
]  # fmt: skip


@each_row(ROWS)
def test_relabeling_a_transition_changes_only_its_condition(
    name: str, before: dict[str, Any], edit: Edit, after: dict[str, Any]
) -> None:
    pack = source(before)
    found = nexts(applied(pack, edit))
    assert found == {**nexts(pack), **after}


def test_where_a_failed_branch_leads_is_an_arrow_too() -> None:
    pack = applied(source(FORK), connect("on failure", "d"))
    assert tree(pack)["stages"]["a"]["onParallelFailure"] == to("d")
    pack = applied(pack, Retarget(transition="a|on failure|d", target="a"))
    assert tree(pack)["stages"]["a"]["onParallelFailure"] == to("a")
    pack = applied(pack, Disconnect(transition="a|on failure|a"))
    assert "onParallelFailure" not in tree(pack)["stages"]["a"]


REFUSED: list[tuple[str, dict[str, Any], Edit, str]] = [
    ("no such source", FORK, connect("then", "b", "x"), "no stage 'x'"),
    ("no such target", FORK, connect("then", "x"), "no stage 'x'"),
    ("no label", FORK, connect(" "), "A transition needs a label"),
    ("no condition", FORK, connect("Approve"), "not a condition"),
    ("then twice", {"a": to("b"), **A3}, connect("then", "c"), "already leads to 'b'"),
    ("then beside cases", CASES, connect("then", "d"), "has conditions"),
    ("else without cases", {"a": to("b"), **A3}, connect("else", "c"), "no conditions"),
    ("a branch twice", FORK, connect("parallel", "c"), "already"),
    ("a branch that is the join", APART, connect("parallel", "d"), "already"),
    ("a join of no branch", FORK, connect("join", "d", "a"), "is not a branch"),
    ("a join twice", JOINED, connect("join", "a", "b"), "already join in 'd'"),
    ("a join at a branch", FORK, connect("join", "c", "b"), "is a branch itself"),
    ("a failure of nothing", {"a": to("b"), **A3}, connect("on failure", "c"), "no branches"),
    ("no such arrow", FORK, Disconnect(transition="a|then|b"), "no transition"),
    ("an end moved onto another", FORK, Retarget(transition="a|parallel|b", target="c"),
     "already"),
    ("an end moved onto the join", APART, Retarget(transition="a|parallel|b", target="d"),
     "already"),
    ("a join moved onto a branch", JOINED, Retarget(transition="b|join|d", target="c"), "already"),
    ("a join from elsewhere", JOINED, Retarget(transition="b|join|d", source="d"), "Only the"),
    ("a join that says more", JOINED, Relabel(transition="b|join|d", label="x = 1"),
     "has no condition"),
    ("the label of another way", CASES, Relabel(transition="a|else|c", label="approved = true"),
     "already"),
    ("then with branches", FORK, Relabel(transition="a|parallel|b", label="then"),
     "several stages"),
    ("then with conditions", CASES, Relabel(transition="a|else|c", label="then"),
     "has other conditions"),
    ("else without conditions", {"a": to("b"), **A3},
     Relabel(transition="a|then|b", label="else"), "no conditions"),
    ("a label that is none", CASES, Relabel(transition="a|else|c", label="x"), "not a condition"),
]  # fmt: skip


def test_the_first_arrow_between_stages_makes_their_pipeline() -> None:
    pack = applied(folder("a", "b"), connect("then"))
    assert pack.main == "pipeline.json"
    assert tree(pack)["entryStage"] == "a"
    assert nexts(pack) == {"a": to("b"), "b": to()}
    assert [tree(pack)["stages"][id]["file"] for id in "ab"] == ["stages/a.md", "stages/b.md"]


def test_the_first_entry_makes_the_pipeline_too() -> None:
    assert tree(applied(folder("a", "b"), SetEntry(id="b")))["entryStage"] == "b"


def test_a_new_pipeline_takes_over_existing_successors() -> None:
    said = {"entryStage": "b", "transitions": {"b": to("a", "gone"), "a": to()}}
    pack = {**folder("a", "b", "c").files, "stages/t.json": json.dumps(said).encode()}
    c = stage("c").replace("owner: us", "next: [a]").encode()
    (found,) = DIALECT.recognises(Files.of({**pack, "stages/c.md": c}))
    assert "stages/t.json" in found.paths
    after = applied(read({**pack, "stages/c.md": c}), SetField(element="pack", field="/name",
                                                               value="X"))  # fmt: skip
    assert nexts(after) == {"a": to(), "b": to("a", "gone"), "c": to("a")}
    assert tree(after)["entryStage"] == "b"


def test_a_run_begins_where_the_first_arrow_begins() -> None:
    assert tree(applied(folder("a", "b"), connect("then", "a", "b")))["entryStage"] == "b"


def test_shared_joins_move_together() -> None:
    nexts_ = {"a": to("b", "c", join="d"), "d": to("b", "c", join="d"), "b": to(), "c": to()}
    pack = applied(source({**nexts_, "e": to()}), Retarget(transition="b|join|d", target="e"))
    assert nexts(pack)["a"] == nexts(pack)["d"] == to("b", "c", join="e")
