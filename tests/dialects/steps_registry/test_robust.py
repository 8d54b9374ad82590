"""Runs of malformed packs end, with any value at any place."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.dialects.steps_registry.packs import SCHEMA, tree
from tests.dialects.steps_registry.scripted_run import play
from tests.support.checks import each_seed, seed_ranges
from workflows.core.dialects.steps_registry import DIALECT

ODD: list[Any] = [
    None, True, 0, 1.5, "", {}, [], [None], {"a": None}, "x", "a|b", "next", {"target": 3}, "#/",
    {"$ref": "#/a"}, {"$ref": 5}, {"allOf": 3}, {"properties": []}, {"enum": "x"}, [["x"]], "..",
]  # fmt: skip
ANSWERS: list[Any] = [
    {"next_action": {"action": "next"}},
    {"next_action": {"action": "handoff"}},
    {"next_action": {"action": "closing"}},
    {"next_action": 3},
    {"__text": "x"},
    {"__throw": "429"},
]


def _places(node: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if place:
        yield place
    items = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, item in items:
        yield from _places(item, (*place, key))


def _spoil(whole: dict[str, Any], chance: random.Random) -> None:
    part = whole[chance.choice(["registry", "registry", "registry", "schema", "agent"])]
    *keys, last = chance.choice(list(_places(part)) or [("x",)])
    for key in keys:
        part = part[key]
    if last in ("x",) and last not in part:
        part[last] = None
    elif chance.random() < 0.2:
        del part[last]
    else:
        part[last] = copy.deepcopy(chance.choice(ODD))


@pytest.mark.parametrize("seeds", seed_ranges(10, 40))
def test_a_run_of_a_misshapen_pack_ends(seeds: range) -> None:
    each_seed(seeds, a_run_of_a_misshapen_pack_ends)


def a_run_of_a_misshapen_pack_ends(seed: int) -> None:
    chance = random.Random(seed)
    whole = copy.deepcopy(tree())
    _spoil(whole, chance)
    vector = {
        "registry": whole["registry"],
        "agentJson": whole["agent"],
        "files": {**whole["files"], SCHEMA: json.dumps(whole["schema"])},
        "llmScript": [chance.choice(ANSWERS) for _ in range(8)],
    }
    for profile in DIALECT.profiles:
        assert play(vector, profile).status in ("completed", "failed", "budget_exhausted")
