"""Damaged compositions are projected, shown and edited without an exception."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, source
from tests.support.checks import each_seed, seed_ranges
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
)
from workflows.core.rules.check import check
from workflows.core.text import spans

(SAMPLE,) = DIALECT.samples()["mail-triage"].values()
JUNK = [None, 0, "", [], {}, "x", ["a", 3], [{}], {"a": 1}, "${note.output}", "note", [["x"]]]
LABELS = ["", "depends_on", "then", "else", "branches", "Other"]
KINDS = ["", "prompt", "agent", "tool", "branch", "parallel", "acme.lookup"]


def places(value: Any, pointer: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*pointer, key)
        if isinstance(item, (dict, list)):
            yield from places(item, (*pointer, key))


def damaged(dice: Random) -> PackSource:
    """The sample with up to three values of its composition removed or replaced."""
    tree = json.loads(SAMPLE)
    for _ in range(dice.randint(0, 3)):
        *path, last = dice.choice([p for p in places(tree) if p[0] == "compositions"])
        place = tree
        for key in path:
            place = place[key]
        if dice.random() < 0.3:
            del place[last]
        else:
            place[last] = json.loads(json.dumps(dice.choice(JUNK)))
        if not tree.get("compositions"):
            break
    return source(tree)


def some_edit(found: PackSource, dice: Random) -> Edit:
    graph = DIALECT.graph(found, "documented")
    one, other = (dice.choice(graph.states).id for _ in range(2))
    arrow = dice.choice(graph.transitions).id if graph.transitions else "a|b|c"
    number = dice.randint(0, 9)
    edits: list[Edit] = [
        Connect(source=one, target=other, label=dice.choice(LABELS)),
        Disconnect(transition=arrow),
        Retarget(transition=arrow, target=other),
        Retarget(transition=arrow, source=other),
        Relabel(transition=arrow, label=dice.choice(LABELS)),
        AddState(id=f"triage/n{number}", kind=dice.choice(KINDS)),
        RemoveState(id=one),
        RenameState(id=one, new_id=f"{one}z"),
        DuplicateState(id=one, new_id=f"{one}_2"),
        SetEntry(id=one, key="composition:triage"),
        SetField(element=f"state:{one}", field="/depends_on", value=dice.choice(JUNK)),
        Paste(fragment=DIALECT.copy(found, (one,))),
    ]
    return dice.choice(edits)


@pytest.mark.parametrize("seeds", seed_ranges(4, 12))
def test_a_damaged_composition_is_projected_shown_and_edited(seeds: range) -> None:
    each_seed(seeds, a_damaged_composition_is_projected_shown_and_edited)


def a_damaged_composition_is_projected_shown_and_edited(seed: int) -> None:
    dice = Random(seed)
    carried_out = 0
    for _ in range(8):
        found = damaged(dice)
        graph = DIALECT.graph(found, "documented")
        ids = [state.id for state in graph.states]
        assert len(ids) == len(set(ids))
        for state in graph.states:
            assert DIALECT.fields(found, state.element, "documented").title
            DIALECT.offers(found, state.id, "documented")
        for arrow in graph.transitions:
            assert arrow.source in ids
            assert DIALECT.fields(found, arrow.element, "documented").values
        check(DIALECT, found, "documented", graph)
        for _ in range(5):
            after = edited(found, some_edit(found, dice))
            carried_out += after is not found
            found = after
    assert carried_out > 10


def edited(before: PackSource, edit: Edit) -> PackSource:
    """The next source, or the same one if the edit is refused. Checks that its projection equals
    that of a new read, and that the byte change can be undone."""
    try:
        after = DIALECT.apply(before, edit)
    except EditRefused as refused:
        assert refused.message
        return before
    fresh = DIALECT.graph(DIALECT.read(after.files), "documented")
    assert fresh == DIALECT.graph(after, "documented"), edit
    old, new = before.files[before.main], after.files[after.main]
    assert spans.apply(new, spans.inverse(old, spans.difference(old, new))) == old
    return after
