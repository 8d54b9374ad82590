"""Agents that Signalbox writes pass Climpt's own validation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from tests.core.convert.packs import converted, everything
from tests.dialects.steps_registry import upstream_verdicts as upstream
from tests.support.corpus import at_least
from workflows.core.convert.conversion import CannotConvert
from workflows.core.dialects import dialects
from workflows.core.rules.check import check

RECORD_AGAIN = (
    "The written files changed. Record the verdicts again; upstream_verdicts has the way."
)


def test_climpt_accepts_every_agent_that_signalbox_writes() -> None:
    recorded = json.loads(upstream.RECORDED.read_text())
    written = dict(upstream.written_packs())
    refused = {name: item["errors"] for name, item in recorded.items() if item["errors"]}
    assert refused == {}
    assert set(recorded) == set(written)
    digests = {name: upstream.digest(files) for name, files in written.items()}
    assert {name: item["digest"] for name, item in recorded.items()} == digests, RECORD_AGAIN
    print(f"{len(recorded)} of {len(written)} written agents are accepted by Climpt 1.13.27")


if upstream.COMMAND:

    def test_a_copy_of_climpt_accepts_them_today() -> None:
        refused = {name: upstream.errors(files) for name, files in upstream.written_packs()}
        assert {name: said for name, said in refused.items() if said} == {}


@pytest.mark.third_party
def test_written_agents_fit_climpts_published_schemas(corpus: Path) -> None:
    """Every sound pack of the corpus, as an agent, against the JSON schemas of 1.13.27,
    and against a copy of Climpt where there is one."""
    folder = corpus / "steps-registry/_schemas/1.13.27"
    schemas = {
        name: Draft7Validator(json.loads((folder / f"{name}.schema.json").read_text()))
        for name in ("agent", "steps_registry")
    }
    wrong, count = {}, 0
    for known in everything():
        if known.dialect == upstream.NAME or not _sound(known):
            continue
        try:
            files = converted(known, upstream.NAME).files
        except CannotConvert:
            continue
        count += 1
        if upstream.COMMAND and (refusal := upstream.errors(files)):
            wrong[known.name, "--validate"] = refusal
        for path, data in files.items():
            validator = schemas.get(path.rpartition("/")[2].removesuffix(".json"))
            said = [e.message for e in validator.iter_errors(json.loads(data))] if validator else []
            if said:
                wrong[known.name, path] = said
    assert count >= at_least(100, 5)
    assert wrong == {}


def _sound(known) -> bool:
    here = dialects()[known.dialect]
    source = here.read(known.files)
    return not any(finding.level == "error" for finding in check(here, source, here.profiles[0]))
