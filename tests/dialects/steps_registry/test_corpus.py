"""Promises kept for every registry of the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dialects.steps_registry.packs import corpus_packs, findings, folder
from tests.support.corpus import at_least
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.pack.edits import Connect
from workflows.core.pack.files import Files

ITERATOR = ".agent/iterator"


def test_every_registry_is_found_and_nothing_else(corpus: Path) -> None:
    found = DIALECT.recognises(folder(corpus / "steps-registry"))
    assert len(found) == at_least(27, 6)
    assert all(pack.main.endswith("/steps_registry.json") for pack in found)
    assert len(DIALECT.recognises(folder(corpus / "steps-registry-history"))) == at_least(13, 2)
    for other in ("promptpack", "stages", "agent-graph", "prompt-config"):
        assert DIALECT.recognises(folder(corpus / other)) == []


@pytest.mark.third_party
def test_each_agent_of_a_repository_has_its_own_files(corpus: Path) -> None:
    files = folder(corpus / "steps-registry/_all-1.13.27")
    packs = DIALECT.recognises(files)
    owned = [path for pack in packs for path in pack.paths]
    assert len(packs) == 7
    assert len(owned) == len(set(owned))
    reviewer = next(pack for pack in packs if pack.name == "reviewer")
    assert ".agent/climpt/config/reviewer-steps-app.yml" in reviewer.paths
    assert not any("iterator" in path for path in reviewer.paths)


def test_another_steps_registry_is_not_taken_for_one() -> None:
    files = Files.of({"data/steps_registry.json": b'{"1.1": {"name": "merge"}, "1.2": {}}'})
    assert DIALECT.recognises(files) == []
    broken = Files.of({".agent/x/steps_registry.json": b"{ not json"})
    assert [pack.main for pack in DIALECT.recognises(broken)] == [".agent/x/steps_registry.json"]


@pytest.mark.third_party
def test_the_iterator_takes_a_new_intent_in_three_places(corpus: Path) -> None:
    source = DIALECT.read(folder(corpus / "steps-registry/iterator"))
    edit = Connect(source="initial.polling", target="closure.polling", label="handoff")
    after = DIALECT.apply(source, edit)
    main, schema = f"{ITERATOR}/steps_registry.json", f"{ITERATOR}/schemas/polling.schema.json"
    assert set(source.files.difference(after.files)) == {main, schema}
    step = after.value["steps"]["initial.polling"]
    assert step["structuredGate"]["allowedIntents"] == ["next", "repeat", "handoff"]
    assert step["transitions"]["handoff"] == {"target": "closure.polling"}
    old, new = source.files[schema].splitlines(), after.files[schema].splitlines()
    differing = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    assert differing == [
        (
            b'            "enum": ["next", "repeat"],',
            b'            "enum": ["next", "repeat", "handoff"],',
        )
    ]
    assert "SR304" not in {found.code for found in findings(after)}


@pytest.mark.third_party
def test_shipped_agents_load(corpus: Path) -> None:
    """All seven load upstream, so none may have a finding of the load families here."""
    for main, source in corpus_packs(corpus):
        if "_all-1.13.27" in main:
            codes = {found.code for found in findings(source) if found.level == "error"}
            assert not [code for code in codes if code.startswith(("SR1", "SR30"))], main
