"""Damaged packs: every operation returns or refuses, and none crashes."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.dialects.stages.packs import files, read, to, when
from tests.support.checks import each_seed, seed_ranges
from workflows.core.dialects.stages import DIALECT
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import (
    AddObject,
    AddState,
    Connect,
    Disconnect,
    DuplicateState,
    Edit,
    EditRefused,
    Paste,
    Relabel,
    RemoveObject,
    RemoveState,
    RenameObject,
    RenameState,
    Retarget,
    SetEntry,
    SetField,
    UnsetField,
)
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

PACK = {
    "a": {
        "next": {"cases": [when(True, to("b", "c", join="d"))], "else": to("a")},
        "setup": {"task": {"from": "run.input.task"}},
        "gate": {"when": {"path": "slot.x", "op": "exists"}, "else": "defer"},
        "assert": [{"unless": {"path": "result.parsed.ok", "op": "equals"}, "verdict": "retry"}],
        "exit": {"slot": {"x": "result.parsed"}},
        "onParallelFailure": to("a"),
        "maxVisits": 2,
    },
    "b": to(), "c": to(), "d": to("a"),
}  # fmt: skip
MORE = {"grants": [{"tool": "bash", "stages": ["a"], "max": 1}], "runInputSchema": {}}
STRANGE: list[Any] = [
    None,
    True,
    -1,
    1.5,
    "",
    "a",
    "x" * 300,
    [],
    {},
    [[]],
    {"a": {}},
    [None],
    "\u2028",
]


def _with_strange_value(tree: Any, random: Random) -> Any:
    """The tree with one value replaced by an unusual one."""
    if not isinstance(tree, dict | list) or not tree or random.random() < 0.15:
        return random.choice(STRANGE)
    fresh = dict(tree) if isinstance(tree, dict) else list(tree)
    place: Any = random.choice(list(fresh) if isinstance(fresh, dict) else range(len(fresh)))
    fresh[place] = _with_strange_value(fresh[place], random)
    return fresh


def _strange(random: Random) -> Files:
    """The pack with a few unusual values in its pipeline, and flipped bytes in a stage file."""
    pack = dict(files(PACK, **MORE))
    tree = json.loads(pack["pipeline.json"])
    for _ in range(random.randrange(1, 4)):
        tree = _with_strange_value(tree, random)
    tree = tree if isinstance(tree, dict) else {}
    tree["format"] = "signalbox.stud-pipeline/1"
    pack["pipeline.json"] = json.dumps(tree, indent=2).encode()
    data = bytearray(pack["stages/a.md"])
    for _ in range(random.randrange(4)):
        start = random.randrange(len(data))
        data[start : start + random.randrange(3)] = random.choice(
            [b"", b"\n", b"---\n", b": ", b"\xff", b"[", b"  ", b"&x ", b"*x", b"'", b"\t"]
        )
    pack["stages/a.md"] = bytes(data)
    if random.random() < 0.2:
        del pack["stages/b.md"]
    if random.random() < 0.2:
        del pack["pipeline.json"]
    return Files.of(pack)


def _edits(source: StagesSource) -> list[Edit]:
    graph = DIALECT.graph(source, "documented")
    arrow = graph.transitions[0].id if graph.transitions else "a|then|b"
    return [
        *(Connect(source="a", target="b", label=label)
          for label in ("then", "parallel", "join", "else", "on failure", "ok = true")),
        Disconnect(transition=arrow), Retarget(transition=arrow, target="d"),
        Retarget(transition=arrow, source="d"), Relabel(transition=arrow, label="n = 1"),
        Relabel(transition=arrow, label="else"), Relabel(transition=arrow, label="then"),
        AddState(id="new"), RemoveState(id="a"), RemoveState(id="d"),
        RenameState(id="a", new_id="z"), DuplicateState(id="a", new_id="z"), SetEntry(id="b"),
        SetField(element="state:a", field="/turnCap", value=3),
        SetField(element="state:a", field="/retryPolicy/maxAttempts", value=3),
        SetField(element="state:a", field="/body", value="x"),
        SetField(element="state:a", field="/setup/task/from", value="run.input.x"),
        SetField(element="pack", field="/runInputSchema/type", value="object"),
        UnsetField(element="state:a", field="/turnCap"),
        UnsetField(element="state:a", field="/next"),
        AddObject(kind="grant", key="edit"), AddObject(kind="setup", key="a/fresh"),
        RemoveObject(element="grant:bash"), RenameObject(element="setup:a/task", new_key="goal"),
    ]  # fmt: skip


@pytest.mark.parametrize("seeds", seed_ranges(8, 40))
def test_a_damaged_pack_is_drawn_shown_checked_and_edited(seeds: range) -> None:
    each_seed(seeds, a_damaged_pack_is_drawn_shown_checked_and_edited)


def a_damaged_pack_is_drawn_shown_checked_and_edited(seed: int) -> None:
    source = read(_strange(Random(seed)))
    for profile in DIALECT.profiles:
        graph = DIALECT.graph(source, profile)
        json.dumps(graph.to_json(), allow_nan=False)
        ids = [arrow.id for arrow in graph.transitions]
        assert len(ids) == len(set(ids))
        for finding in check(DIALECT, source, profile, graph):
            assert finding.place.line >= 1
            json.dumps(finding.to_json(), allow_nan=False)
    if not source.readable:
        return
    for element in [state.element for state in graph.states] + [
        a.element for a in graph.transitions
    ]:
        json.dumps(DIALECT.fields(source, element, "documented").to_json(), allow_nan=False)
    for section in DIALECT.outline(source):
        for element, _ in section.items:
            assert DIALECT.fields(source, element, "documented").title
    for state in graph.states:
        for offer in DIALECT.offers(source, state.id, "documented"):
            assert offer.source == state.id
    edits = _edits(source)
    if source.stages:
        edits.append(Paste(fragment=DIALECT.copy(source, tuple(source.stages))))
    for edit in edits:
        try:
            after = DIALECT.apply(source, edit)
        except EditRefused as refused:
            assert refused.message
        else:
            again = read(after.files)
            assert DIALECT.graph(again, "documented") == DIALECT.graph(after, "documented")
