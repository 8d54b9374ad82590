"""A mutated pack never raises, and an edit of it changes its own place only.

`python -m tests.fuzz.packs` makes many more inputs, and `make fuzz` runs it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.dialects.agent_graph.packs import TEAM
from tests.dialects.promptpack.full_pack import full_pack
from tests.dialects.promptpack.rich_pack import RICH as RICH_PROMPTS
from tests.dialects.stages.packs import files, to, when
from tests.dialects.steps_registry.packs import pack
from tests.fuzz.packs.inputs import cases, fuzz_input
from tests.fuzz.packs.locality import BytesChanged, changed_elsewhere, check_locality
from tests.fuzz.packs.mutations import with_other_values
from tests.fuzz.packs.operations import ALL, check_pack
from tests.support.checks import each_row, each_seed, quick_and_slow, seed_ranges
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files

BLOCK = 50


@pytest.mark.parametrize("block", quick_and_slow(range(1), range(1, 18)))
def test_mutated_packs(block: int) -> None:
    each_seed(range(block * BLOCK, (block + 1) * BLOCK), lambda seed: fuzz_input(f"{seed}").check())


PIPELINE: dict[str, Any] = {
    "a": {
        "next": {"cases": [when(True, to("b", "c", "d", join="d"))], "else": to("a")},
        "setup": {"task": {"from": "run.input.task"}},
        "gate": {"when": {"path": "slot.x", "op": "exists"}, "else": "defer"},
        "assert": [{"unless": {"path": "result.parsed.ok", "op": "equals"}, "verdict": "retry"}],
        "exit": {"slot": {"x": "result.parsed"}},
        "onParallelFailure": to("a"),
        "maxVisits": 2,
    },
    "b": to(), "c": to(), "d": to("a"),
}  # fmt: skip
GRANTS = [{"tool": "bash", "stages": ["a"], "max": 1}]
RICH = {
    "agent_graph": [Files({"team.json": TEAM.encode()})],
    "promptpack": [
        Files({"a.pack.json": json.dumps(tree).encode()}) for tree in (full_pack(), RICH_PROMPTS)
    ],
    "stages": [Files.of(files(PIPELINE, grants=GRANTS, runInputSchema={}))],
    "steps_registry": [pack().files],
}
"""Packs with more features than the samples have."""


@pytest.mark.parametrize("seeds", seed_ranges(8, 40))
@pytest.mark.parametrize("name", sorted(set(dialects()) - {"flow", "tiny"}))
def test_any_value_at_any_place(name: str, seeds: range) -> None:
    """Every form of a damaged pack opens, and every kind of edit is made or refused."""
    dialect = dialects()[name]
    whole = [*RICH.get(name, ()), *dialect.samples().values()]

    def damaged(seed: int) -> None:
        chance = Random(f"{name} {seed}")
        found = dict(whole[seed % len(whole)])
        path = chance.choice(list(found))
        found[path] = with_other_values(found[path], chance)
        check_pack(dialect, Files.of(found), chance, ALL)

    each_seed(seeds, damaged)


FOUND = dict(cases())


@pytest.mark.parametrize("seeds", seed_ranges(2, 10))
@pytest.mark.parametrize("name", FOUND)
def test_a_case_that_was_found(name: str, seeds: range) -> None:
    """The seed chooses edits and elements, so a case is tried with other seeds too."""
    case = FOUND[name]
    case.check()
    each_seed(seeds, lambda seed: replace(case, seed=f"{seed}").check())


OLD = b'{"a": "\\u0061", "b": [1, 1.0, {"c": 1e2}],\t"d": {"e":"f"}}\n'


@each_row(
    [
        b'{"a": "\\u0061", "b": [1, 1.0, {"c": 1e2}],\t"d": {"e":"another value"}}\n',
        b'{"a": "\\u0061", "b": [1, 1.0, {"c": 1e2}]}\n',
        b'{"b": [1, 1.0, {"c": 1e2}],\t"d": {"e":"f"}}\n',
        b'{"a": "\\u0061", "b": [1.0, {"c": 1e2}],\t"d": {"e":"f"}}\n',
        b'{"a": "\\u0061", "b": [{"c": 1e2}, 1, 1.0],\t"d": {"e":"f"}}\n',
        b'{"z": "\\u0061", "b": [1, 1.0, {"c": 1e2}],\t"d": {"e":"f"}}\n',
        b"no JSON any more",
    ]
)
def test_the_oracle_accepts_a_change_in_its_place(new: bytes) -> None:
    check_locality(Files({"x": OLD}), Files({"x": new}))


@each_row(
    [
        (b'{"a": "a", "b": [1, 1.0, {"c": 1e2}],\t"d": {"e":"g"}}\n', "/a"),
        (b'{"a": "\\u0061", "b": [1, 1, {"c": 1e2}],\t"d": {"e":"g"}}\n', "/b"),
        (b'{"a": "\\u0061", "b": [1, 1.0, {"c": 100}],\t"d": {"e":"g"}}\n', "/b"),
        (b'{"a": "\\u0061", "b": [1, 1.0, {"c": 1e2}], "d": {"e":"g"}}\n', ""),
        (b'{"a": "\\u0061", "b": [1, 1.0, {"c": 1e2}],\t"d": {"e": "g"}}\n', "/d"),
        (b'{"a": "\\u0061", "b": [1, 1.0, {"c": 1e2}],\t"d": {"e":"g"}}', "outside the value"),
    ]
)
def test_the_oracle_finds_bytes_that_changed_elsewhere(new: bytes, place: str) -> None:
    assert json.loads(new)
    assert place in [found for found, _, _ in changed_elsewhere(OLD, new)]
    with pytest.raises(BytesChanged):
        check_locality(Files({"x": OLD}), Files({"x": new}))


STAGE = b"""\xef\xbb\xbf---
id: 'plan'   # kept
# a comment
turnCap: 0x14
completionSchema: { type: object,  required: [a] }
---
Body
"""


@each_row([(b"0x14", b"21"), (b"turnCap: 0x14\n", b""), (b"Body", b"Text"), (b"turnCap", b"cap")])
def test_the_oracle_accepts_a_change_of_front_matter(old: bytes, new: bytes) -> None:
    check_locality(Files({"x.md": STAGE}), Files({"x.md": STAGE.replace(old, new)}))


@each_row([(b"'plan'", b"plan"), (b"0x14", b"20"), (b",  req", b", req"), (b"   # kept", b"")])
def test_the_oracle_finds_front_matter_that_changed_elsewhere(old: bytes, new: bytes) -> None:
    with pytest.raises(BytesChanged):
        check_locality(Files({"x.md": STAGE}), Files({"x.md": STAGE.replace(old, new)}))
