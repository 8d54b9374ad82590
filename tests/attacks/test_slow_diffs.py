"""Texts and packs whose comparison took seconds: many equal lines, and many steps."""

from __future__ import annotations

import difflib
import random
from typing import Any

import pytest

from roles.core import line_diff, merge_patch
from roles.core.file_diffs import unified
from tests.attacks.pack_attacks import promptpack
from workflows.core.compare.difference import difference
from workflows.core.dialects import dialects
from workflows.core.dialects.promptpack.graph.composition_flow import Flow
from workflows.core.pack.edits import DuplicateState
from workflows.core.pack.files import Files

STEPS = 200


def hard_texts(count: int) -> tuple[str, str]:
    """Two texts in which every second line is equal, each time between different lines."""
    before, after = [], []
    for number in range(count // 2):
        before += [f"k{number % 50}", f"a{number}"]
        after += [f"k{number % 50}", f"b{number}"]
    return "\n".join(before), "\n".join(after)


@pytest.fixture
def comparisons(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of comparisons of each search for a match."""
    steps: list[int] = []
    search = difflib.SequenceMatcher.find_longest_match

    def counted(self: Any, alo: int, ahi: int, blo: int, bhi: int) -> difflib.Match:
        steps.append(sum(len(self.b2j.get(line, ())) for line in self.a[alo:ahi]))
        return search(self, alo, ahi, blo, bhi)

    monkeypatch.setattr(difflib.SequenceMatcher, "find_longest_match", counted)
    monkeypatch.setattr(line_diff, "MAX_STEPS", 50_000)
    return steps


def lines_of(diff: list[str], sign: str) -> list[str]:
    """The lines of one side of a diff."""
    return [line[1:] for line in diff if line[0] in (" ", sign)]


def test_a_diff_of_a_role_has_a_maximum_cost(comparisons: list[int]) -> None:
    before, after = hard_texts(1_000)
    (change,) = merge_patch.differences({"system_prompt": before}, {"system_prompt": after})
    assert 0 < sum(comparisons) <= 50_000
    diff = [line for line in change.lines if not line.startswith("@@")]
    assert diff
    assert set(lines_of(diff, "-")) <= set(before.splitlines())
    assert set(lines_of(diff, "+")) <= set(after.splitlines())


def test_a_diff_of_a_revision_has_a_maximum_cost(comparisons: list[int]) -> None:
    before, after = hard_texts(1_000)
    diff = unified("a.md", before.encode(), after.encode())
    assert 0 < sum(comparisons) <= 50_000
    assert f"+{after.splitlines()[-1]}" in diff


def test_an_ordinary_diff_is_that_of_the_standard_library() -> None:
    chance = random.Random(1)
    for _ in range(500):
        before, after = (
            [f"{chance.choice('abcdef')}\n" for _ in range(chance.randrange(14))] for _ in "ab"
        )
        context = chance.randrange(4)
        expected = list(difflib.unified_diff(before, after, "x", "y", n=context))
        assert list(line_diff.unified_lines(before, after, "x", "y", context=context)) == expected


def test_the_steps_of_a_composition_are_collected_once_per_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    branches = [
        [{"id": f"{name}{number}", "kind": "prompt", "prompt_task": "x"} for number in range(STEPS)]
        for name in "bd"
    ]
    steps = [
        {"id": id, "kind": "parallel", "branches": inner}
        for id, inner in zip("pq", branches, strict=True)
    ]
    tree = promptpack(
        {"s0": {"orchestration": "composition", "composition": "c", "terminal": True}},
        compositions={"c": {"version": 1, "steps": steps}},
    )
    one = dialects()["promptpack"]
    before = one.read(Files.of(tree))
    after = one.apply(before, DuplicateState(id="c/b5", new_id="c/z"))
    made: list[str] = []
    begin = Flow.__init__
    monkeypatch.setattr(Flow, "__init__", lambda self, *a: (made.append(a[0]), begin(self, *a))[1])
    changes = difference(one, one.read(before.files), after, "documented")
    assert changes.states.added == ("c/z",)
    assert len(made) <= 4
