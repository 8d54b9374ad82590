"""Promises for PromptPacks of the corpus: its schema, transitions, removed fields, and fixes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.dialects.promptpack.packs import DIALECT
from tests.support.corpus import at_least
from workflows.core.dialects.promptpack.schemas import validator
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.files import Files
from workflows.core.rules.check import check


@pytest.fixture(scope="module")
def packs(corpus: Path) -> list[tuple[str, PackSource]]:
    """Every pack that parses, with its name."""
    found = []
    for path in sorted(corpus.glob("promptpack*/**/*.pack.json")):
        source = DIALECT.read(Files.of({path.name: path.read_bytes()}))
        if source.readable:
            found.append((path.name, source))
    assert len(found) >= at_least(101, 7)
    return found


@pytest.mark.third_party
def test_our_schema_agrees_with_the_published_schema(
    corpus: Path, packs: list[tuple[str, PackSource]]
) -> None:
    published = json.loads(
        (corpus / "promptpack/schema/promptpack-v1.9.0.schema.json").read_text(encoding="utf-8")
    )
    official = jsonschema_rs.Draft202012Validator(published)
    for name, source in packs:
        reported = any(
            found.code.startswith("PP11") for found in check(DIALECT, source, "documented")
        )
        assert validator().is_valid(source.json.value) == official.is_valid(source.json.value), name
        assert reported != official.is_valid(source.json.value), name


@pytest.mark.third_party
def test_our_schema_agrees_on_packs_with_one_invalid_value(
    corpus: Path, packs: list[tuple[str, PackSource]]
) -> None:
    published = json.loads(
        (corpus / "promptpack/schema/promptpack-v1.9.0.schema.json").read_text(encoding="utf-8")
    )
    official = jsonschema_rs.Draft202012Validator(published)
    tried = 0
    for name, source in packs[::3]:
        for pointer in list(_places(source.json.value))[::5]:
            for value in (None, 0, "", {}, [], -1.5):
                tree = _with(source.json.value, pointer, value)
                assert validator().is_valid(tree) == official.is_valid(tree), (name, pointer, value)
                tried += 1
    assert tried > 1_000


def _places(value: Any, pointer: tuple[Any, ...] = ()) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*pointer, key)
        if isinstance(item, (dict, list)):
            yield from _places(item, (*pointer, key))


def _with(tree: Any, pointer: tuple[Any, ...], value: Any) -> Any:
    if not pointer:
        return value
    fresh = dict(tree) if isinstance(tree, dict) else list(tree)
    fresh[pointer[0]] = _with(tree[pointer[0]], pointer[1:], value)
    return fresh
