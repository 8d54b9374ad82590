"""The published versions of the format, compared with the published schemas."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from tests.dialects.promptpack.full_pack import damaged, full_pack, full_pack_of
from tests.dialects.promptpack.packs import pack, prompt
from tests.dialects.promptpack.rule_rows import S
from tests.support.checks import each_row, quick_or_slow
from workflows.core.dialects.promptpack.schemas.versions import (
    MARKS,
    VERSIONS,
    accepts,
    missing_fields,
    named_version,
    newest_field,
    oldest_version,
    schema_for,
    version_key,
    with_version,
)

PUBLISHED = {
    "1.0": "v1.0",
    "1.1": "v1.1.0",
    "1.2": "v1.2.0",
    "1.3": "v1.3.0",
    "1.3.1": "v1.3.1",
    "1.4": "v1.4.0",
    "1.4.1": "v1.4.1",
    "1.5.1": "v1.5.1",
    "1.8.1": "v1.8.1",
    "1.9": "v1.9.0",
}
"""Version → the file of its published schema."""


@cache
def published(corpus: Path, version: str) -> Any:
    file = corpus / f"promptpack/schema/promptpack-{PUBLISHED[version]}.schema.json"
    return json.loads(file.read_text(encoding="utf-8"))


def packs(corpus: Path) -> dict[str, Any]:
    found = sorted((corpus / "promptpack").rglob("*.pack.json"))
    return {str(path): json.loads(path.read_text(encoding="utf-8")) for path in found}


@pytest.mark.third_party
def test_every_published_schema_on_disk_is_tested(corpus: Path) -> None:
    on_disk = {path.name for path in (corpus / "promptpack/schema").glob("promptpack-*.json")}
    assert on_disk == {f"promptpack-{file}.schema.json" for file in PUBLISHED.values()}


@pytest.mark.third_party
@pytest.mark.parametrize("version", PUBLISHED)
def test_every_pack_gets_the_verdict_of_the_published_schema(corpus: Path, version: str) -> None:
    official = jsonschema.Draft202012Validator(published(corpus, version))
    seen = packs(corpus)
    assert len(seen) >= 120
    assert {name for name, tree in seen.items() if accepts(version, tree)} == {
        name for name, tree in seen.items() if official.is_valid(tree)
    }


@pytest.mark.third_party
@pytest.mark.parametrize("version", PUBLISHED)
def test_a_pack_with_everything_a_version_knows_is_accepted(corpus: Path, version: str) -> None:
    tree = full_pack_of(version)
    assert list(missing_fields(version, tree)) == []
    assert accepts(version, tree)
    assert jsonschema_rs.Draft202012Validator(published(corpus, version)).is_valid(tree)


@pytest.mark.third_party
@pytest.mark.parametrize("every", quick_or_slow(25, 5))
@pytest.mark.parametrize("version", PUBLISHED)
def test_a_damaged_pack_gets_the_verdict_of_the_published_schema(
    corpus: Path, version: str, every: int
) -> None:
    official = jsonschema_rs.Draft202012Validator(published(corpus, version))
    verdicts: dict[bool, int] = {True: 0, False: 0}
    for name, tree in damaged(
        full_pack_of(version), every=every, first=VERSIONS.index(version) % 5
    ):
        verdict = official.is_valid(tree)
        assert accepts(version, tree) == verdict, name
        verdicts[verdict] += 1
    assert min(verdicts.values()) > 250 / every, verdicts


def test_a_version_is_recognised_in_every_spelling() -> None:
    assert schema_for("1.3.0") == schema_for("1.3") != schema_for("1.3.1")
    with pytest.raises(ValueError, match=r"no version '2.0'"):
        schema_for("2.0")


def test_a_schema_is_complete_and_has_no_marks() -> None:
    for version in VERSIONS:
        text = json.dumps(schema_for(version))
        assert not [mark for mark in MARKS if mark in text]
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


@each_row(
    [
        ({"workflow": {}, "prompts": {}}, ""),
        ({}, "1.4"),
        ({f"{S}/done": {"prompt_task": "done"}}, "1.3"),
        ({f"{S}/done": {"prompt_task": "done", "skills": "none"}}, "1.3.1"),
        ({f"{S}/draft/control": "user"}, "1.7"),
        ({"requires": {}}, "1.5.1"),
        ({"prompts/draft/provider": "x"}, "1.9"),
        ({"metadata": {"governance": {"capabilities": ["x"]}}}, "1.4"),
    ]
)
def test_the_oldest_version_that_accepts_a_pack(changes: dict[str, Any], version: str) -> None:
    assert oldest_version(pack(changes)) == version


@pytest.mark.third_party
def test_the_oldest_version_agrees_with_the_published_schemas(corpus: Path) -> None:
    official = {
        version: jsonschema_rs.Draft202012Validator(published(corpus, version))
        for version in PUBLISHED
    }
    for name, tree in packs(corpus).items():
        first = next((v for v in PUBLISHED if official[v].is_valid(tree)), "")
        ours = oldest_version(tree)
        if ours in PUBLISHED or not ours:
            assert ours == first, name
        else:
            assert version_key(ours) < version_key(first), name


def test_a_missing_field_is_listed_once_with_the_version_that_added_it() -> None:
    tree = full_pack()
    found = {lack.pointer: lack.since for lack in missing_fields("1.4", tree)}
    assert found[("compositions",)] == "1.5"
    assert found[("workflow", "states", "s", "control")] == "1.7"
    assert found[("prompts", "a", "provider")] == "1.9"
    assert not any(len(pointer) > 1 and pointer[0] == "compositions" for pointer in found)
    steps = [lack.pointer for lack in missing_fields("1.8.1", tree)]
    assert ("compositions", "k", "steps", 0, "provider") in steps


def test_version_1_2_lacks_the_later_corrections_of_1_1() -> None:
    tree = pack({"prompts/draft": prompt("draft", validators=[{"type": "length", "message": "m"}])})
    here = ("prompts", "draft", "validators", 0, "message")
    assert here in [lack.pointer for lack in missing_fields("1.2", tree)]
    assert here not in [lack.pointer for lack in missing_fields("1.1", tree)]


@each_row(
    [
        ("https://promptpack.org/schema/v1.4.0/promptpack.schema.json", "1.4"),
        ("https://promptpack.org/schema/v1.3.1/promptpack.schema.json", "1.3.1"),
        ("https://promptpack.org/schema/latest/promptpack.schema.json", ""),
        ("https://promptpack.org/schema/v1/promptpack.schema.json", ""),
        ("https://promptpack.org/schema/v7.0/promptpack.schema.json", ""),
        (7, ""),
    ]
)
def test_the_version_that_a_pack_names(address: Any, version: str) -> None:
    assert named_version(pack({"$schema": address})) == version


def test_an_address_is_changed_to_another_version() -> None:
    latest = "https://promptpack.org/schema/latest/promptpack.schema.json"
    old = "https://promptpack.org/schema/v1.3/promptpack.schema.json"
    assert with_version(latest, "1.3") == old
    assert with_version("pack.schema.json", "1.3") == "pack.schema.json"


def test_the_newest_field_of_a_pack_with_everything_is_from_the_newest_version() -> None:
    assert newest_field(full_pack())[0] == "1.9"
