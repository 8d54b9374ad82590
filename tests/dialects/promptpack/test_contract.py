"""Promises for PromptPacks of the corpus: its schema, transitions, removed fields, and fixes."""

from __future__ import annotations

import json
from pathlib import Path

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
