"""Small files whose reading, drawing and checking took seconds: the work grows with the file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tests.attacks.pack_attacks import Tree
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.core.rules.check import check

FIELD = "result.parsed.f"


def stages(condition: dict[str, Any], listed: list[Any] | None = None) -> Tree:
    """A pipeline of two stages with one case, after which there is no else if values of the field
    are listed."""
    case = {"when": condition, "then": {"nextStages": ["b"]}}
    after = {"cases": [case]} if listed else {"cases": [case], "else": {"nextStages": ["a"]}}
    schema = {"type": "object", "required": ["f"], "properties": {"f": {"enum": listed or [0]}}}
    main = {
        "format": "signalbox.stud-pipeline/1",
        "id": "p",
        "entryStage": "a",
        "stages": {
            "a": {"file": "a.md", "next": after},
            "b": {"file": "b.md", "next": {"nextStages": []}},
        },
    }
    text = "---\nid: {0}\nname: {0}\ndescription: d\ncompletionSchema: {1}\n---\nWork.\n"
    files = {f"{id}.md": text.format(id, json.dumps(schema)).encode() for id in main["stages"]}
    return {"pipeline.json": json.dumps(main).encode(), **files}


def one_of(count: int) -> Tree:
    return stages({"path": FIELD, "op": "in", "value": list(range(count))})


def alternatives(count: int) -> Tree:
    return stages({"any": [{"path": FIELD, "op": "equals", "value": n} for n in range(count)]})


def limits(count: int) -> Tree:
    return stages({"any": [{"path": FIELD, "op": "lt", "value": n} for n in range(count)]})


def every_listed_value(count: int) -> Tree:
    values = [f"v{number}" for number in range(count)]
    return stages({"path": FIELD, "op": "in", "value": values}, values)


def parallel_edges(count: int) -> Tree:
    nodes = [{"id": "a", "role": "orchestrator"}, {"id": "b", "role": "implementer"}]
    edges = [{"from": "a", "to": "b", "label": "x"}] * count
    graph = {"agent_graph": 1, "name": "t", "entry": "a", "nodes": nodes, "edges": edges}
    return {"team.agents.json": json.dumps(graph).encode()}


PACKS: dict[str, tuple[str, Callable[[int], Tree], int]] = {
    "a list of values": ("stages", one_of, 100),
    "alternatives": ("stages", alternatives, 40),
    "limits": ("stages", limits, 40),
    "every listed value": ("stages", every_listed_value, 100),
    "parallel edges": ("agent_graph", parallel_edges, 50),
}
"""Name → dialect, files of a size, and a size at which the old work is already plain."""


def opened_and_checked(dialect: str, tree: Tree) -> None:
    one = dialects()[dialect]
    source = one.read(Files.of(tree))
    assert source.readable
    assert check(one, source, one.profiles[0])


def calls(action: Callable[[], object]) -> int:
    """The number of function calls of an action, in Python and C."""
    count = 0

    def counting(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", PACKS)
def test_the_work_grows_with_the_file(name: str) -> None:
    dialect, tree_of, size = PACKS[name]
    opened_and_checked(dialect, tree_of(1))
    once, twice, four = (
        calls(lambda size=size: opened_and_checked(dialect, tree_of(size)))
        for size in (size, 2 * size, 4 * size)
    )
    assert four - twice < 3 * (twice - once)
