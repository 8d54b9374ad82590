"""A pack without alike parts has the versions of the whole pack, from edit to edit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.dialects.promptpack.full_pack import damaged, full_pack
from tests.dialects.promptpack.packs import pack, prompt, source
from tests.dialects.promptpack.rule_rows import S
from tests.support.checks import quick_or_slow
from workflows.core.dialects.promptpack import DIALECT
from workflows.core.dialects.promptpack.schemas.alike_parts import without_alike_parts
from workflows.core.dialects.promptpack.schemas.versions import (
    FORMAT,
    VERSIONS,
    accepts,
    describe_versions,
    newest_field,
)
from workflows.core.pack.edits import SetField


def assert_same_versions(tree: Any, treatments: Any = None) -> None:
    smaller = without_alike_parts(tree, {} if treatments is None else treatments)
    assert [accepts(version, smaller) for version in VERSIONS] == [
        accepts(version, tree) for version in VERSIONS
    ]
    assert newest_field(smaller) == newest_field(tree)
    assert describe_versions(smaller) == describe_versions(tree)


def test_alike_parts_do_not_change_the_versions_of_any_pack(corpus: Path) -> None:
    files = sorted((corpus / "promptpack").rglob("*.pack.json"))
    trees = [now.parts.tree for file in files if (now := source(file.read_bytes())).readable]
    assert len(trees) > 5
    for tree in trees:
        assert_same_versions(tree)


@pytest.mark.parametrize("every", quick_or_slow(45, 9))
def test_alike_parts_do_not_change_the_versions_of_damaged_packs(every: int) -> None:
    count = 0
    for _, tree in damaged(full_pack(), every=every, first=0):
        assert_same_versions(tree)
        count += 1
    assert count > 900 / every


def test_only_one_of_many_equal_states_is_left() -> None:
    states = {f"s{n}": {"prompt_task": "draft"} for n in range(50)}
    tree = pack({"workflow/states": {**states, "last": {"prompt_task": "draft", "skills": "x"}}})
    smaller = without_alike_parts(tree, {})
    assert list(smaller["workflow"]["states"]) == ["s0", "last"]
    assert list(smaller["prompts"]) == ["draft"]
    assert len(tree["workflow"]["states"]) == 51


def test_a_changed_part_is_validated_again() -> None:
    treatments: dict[Any, Any] = {}
    before = pack({f"{S}/draft/control": "user"})
    assert_same_versions(before, treatments)
    after = {**before, "workflow": {**before["workflow"]}}
    after["workflow"]["states"] = {
        **before["workflow"]["states"],
        "draft": {"prompt_task": "draft", "control": 7},
    }
    assert_same_versions(after, treatments)
    assert_same_versions(before, treatments)


def test_the_form_of_a_large_pack_follows_each_edit() -> None:
    prompts = {f"p{n}": prompt(f"p{n}") for n in range(120)}
    now = source(pack({"prompts": prompts, f"{S}": {"draft": {"prompt_task": "p0"}}}))
    for edit, text in (
        (SetField(element="prompt:p7", field="/provider", value="x"), "1.9"),
        (SetField(element="prompt:p7", field="/provider", value=7), "no version accepts it"),
    ):
        changed = DIALECT.apply(now, edit)
        values = DIALECT.fields(changed, "pack", "documented").values
        assert values[FORMAT] == describe_versions(changed.parts.tree) == text
    assert DIALECT.fields(now, "pack", "documented").values[FORMAT] == "1.3 or newer"
