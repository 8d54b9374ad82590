"""The profile `promptkit`, compared with the schema that PromptKit ships."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.dialects.promptpack.full_pack import damaged, full_pack
from tests.dialects.promptpack.packs import codes
from workflows.core.dialects.promptpack.schemas.versions import NEWEST, accepts

REFUSED = {"PP206", "PP901", "PP902", "PP903", "PP908", "PP912"}
"""Rules for packs that PromptKit's schema refuses although the format allows them."""
UNKNOWN = (
    "prompts/a/variables/0/binding", "prompts/a/provider", "prompts/a/extensions",
    "prompts/a/validators/0/id", "prompts/a/validators/0/message",
    "prompts/a/validators/0/extensions", "tools/t/action_scope", "tools/t/extensions", "requires",
    "evals/0/threshold", "evals/0/message", "evals/0/when", "evals/0/groups", "evals/0/extensions",
    "workflow/states/s/control", "workflow/states/s/extensions", "agents/members/a/governance",
    "agents/members/a/extensions", "compositions/k/extensions", "compositions/k/steps/5",
)  # fmt: skip


@pytest.fixture(scope="module")
def embedded(corpus: Path) -> Any:
    file = corpus / "promptpack/schema/promptkit-embedded-v1.5.0.schema.json"
    return jsonschema_rs.Draft202012Validator(json.loads(file.read_text(encoding="utf-8")))


def known_to_promptkit(keep: str = "") -> Any:
    """A pack with all fields that PromptKit knows, and one that it does not."""
    tree = full_pack()
    tree["workflow"]["states"]["c"]["on_event"] = {}
    for pointer in UNKNOWN:
        if pointer != keep:
            *path, last = [int(key) if key.isdigit() else key for key in pointer.split("/")]
            place = tree
            for key in path:
                place = place[key]
            del place[last]
    return tree


def is_reported(tree: Any) -> bool:
    return bool(REFUSED & set(codes(tree, "promptkit")))


@pytest.mark.third_party
def test_packs_that_only_promptkit_refuses_have_a_finding_for_it(
    corpus: Path, embedded: Any
) -> None:
    looked = 0
    for path in sorted((corpus / "promptpack").rglob("*.pack.json")):
        tree = json.loads(path.read_text(encoding="utf-8"))
        if accepts(NEWEST, tree):
            assert is_reported(tree) != embedded.is_valid(tree), path.name
            looked += 1
    assert looked > 80


@pytest.mark.third_party
@pytest.mark.parametrize("field", UNKNOWN)
def test_a_field_unknown_to_promptkit_is_reported(field: str, embedded: Any) -> None:
    tree = known_to_promptkit(field)
    assert not embedded.is_valid(tree)
    assert is_reported(tree)


@pytest.mark.third_party
def test_a_value_that_promptkit_refuses_is_reported(embedded: Any) -> None:
    base = known_to_promptkit()
    assert embedded.is_valid(base)
    assert not is_reported(base)
    looked = 0
    for name, tree in damaged(base, every=13, first=1):
        if accepts(NEWEST, tree):
            assert is_reported(tree) != embedded.is_valid(tree), name
            looked += 1
    assert looked > 80
