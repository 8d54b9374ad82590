"""Values of any type at any place of a pack are checked, projected and shown without an
exception."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.dialects.promptpack.full_pack import damaged, full_pack
from tests.dialects.promptpack.packs import DIALECT, source
from tests.support.checks import quick_and_slow
from workflows.core.dialects.promptpack.schemas.versions import NEWEST, accepts
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import EditRefused
from workflows.core.rules.check import check


def elements(found: PackSource) -> Iterator[str]:
    drawn = DIALECT.graph(found, "documented")
    yield from ("pack", "workflow", "budget", "agents")
    yield from (element for part in DIALECT.outline(found) for element, _ in part.items)
    yield from (state.element for state in drawn.states)
    yield from (arrow.element for arrow in drawn.transitions)


def shown(found: PackSource) -> int:
    """The number of elements with a form."""
    count = 0
    for element in elements(found):
        with suppress(EditRefused):
            DIALECT.fields(found, element, "documented")
            count += 1
    return count


@pytest.mark.parametrize("first", quick_and_slow([0], [1, 2, 3]))
def test_a_value_of_a_wrong_type_is_only_a_finding(first: int) -> None:
    refused = 0
    for name, tree in damaged(full_pack(), every=160, first=first * 40):
        found = source(tree)
        for profile in DIALECT.profiles:
            findings = check(DIALECT, found, profile)
        assert shown(found) > 3 or not found.readable, name
        if not accepts(NEWEST, tree):
            refused += 1
            assert "error" in {item.level for item in findings}, name
    assert refused > 10


PLACES: list[tuple[str, Any]] = [
    ("workflow/states/c/composition", {}),
    ("metadata/governance/reviews/0/satisfies/0", {"x": 1}),
    ("prompts/a/tool_policy/blocklist", -3),
    ("compositions/k/steps/0/kind", []),
    ("agents/members/a/tags", {"a": 1}),
    ("requires/providers/0", [[]]),
    ("skills/0", None),
]


@pytest.mark.parametrize(("pointer", "value"), PLACES, ids=[pointer for pointer, _ in PLACES])
def test_values_that_are_no_names_are_findings(pointer: str, value: Any) -> None:
    tree = full_pack()
    *path, last = [int(key) if key.isdigit() else key for key in pointer.split("/")]
    place = tree
    for key in path:
        place = place[key]
    place[last] = value
    found = source(tree)
    assert any(item.level == "error" for item in check(DIALECT, found, "documented"))
    assert shown(found) > 3
    for export in DIALECT.exports():
        assert export.make(found).files
