"""agent.json is judged as the two layers of Climpt's validation judge it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.dialects.steps_registry.agent_rows import ROWS, agent
from tests.dialects.steps_registry.packs import findings, pack, setting
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.rules.startup import first_failure
from workflows.core.rules.check import check

VERDICTS = json.loads(
    (Path(__file__).parents[2] / "vectors/climpt/agent-verdicts.json").read_text()
)
"""Row → the places that the JSON schema of 1.13.27 refuses, and the errors of its configuration
layer."""
CODES = ("SR114", "SR115", "SR118", "SR119", "SR121")
VERDICT = "runner.verdict.config."


def read(name):
    return pack(setting(("agent", agent(ROWS[name]))))


@each_row(ROWS)
def test_every_error_of_both_layers_has_a_finding(name):
    told = [found for found in findings(read(name), "climpt") if found.code in CODES]
    expected = VERDICTS[name]
    texts = " ".join(found.message for found in told)
    verdicts = any(found.code in ("SR114", "SR115") for found in told)
    for line in expected["configuration"]:
        plain = line.rstrip(".").split(". The flat")[0].split(" type '")[0]
        about_verdict = line.startswith(("Invalid verdict type", VERDICT))
        assert (about_verdict and verdicts) or _similar(plain, texts), line
    for path in expected["schema"]:
        assert path in texts or path.rpartition(".")[2] in texts.casefold() or verdicts, path
    assert bool(told) == bool(expected["schema"] or expected["configuration"])


def _similar(line, texts):
    """True if a finding has the beginning of Climpt's message."""
    return line[:28] in texts


def test_a_bare_file_has_all_errors_at_once():
    told = [found for found in findings(read("bare"), "climpt") if found.code in ("SR118", "SR119")]
    assert len(told) >= 8
    assert len({found.message for found in told}) == len(told)


def test_every_layer_is_covered_by_rows():
    lines = {line for item in VERDICTS.values() for line in item["configuration"]}
    places = {path for item in VERDICTS.values() for path in item["schema"]}
    assert set(VERDICTS) == set(ROWS)
    assert len(lines) >= 20
    assert len(places) >= 25
    print(f"{len(ROWS)} agent.json files agree: {len(lines)} errors, {len(places)} places")


def test_climpt_does_not_start_with_an_invalid_definition():
    assert first_failure(read("complete")) is None
    code, message = first_failure(read("no display name"))
    assert (code, "displayName" in message) == ("AC-VALID-001", True)
    assert first_failure(read("no description")) is None


def test_fixes_complete_a_file():
    source = read("no boundaries")
    for _ in range(5):
        fixes = [
            f.fix for f in findings(source, "climpt") if f.code in ("SR118", "SR119") and f.fix
        ]
        if not fixes:
            break
        for edit in fixes[0].edits:
            source = DIALECT.apply(source, edit)
    assert [f.code for f in check(DIALECT, source, "climpt") if f.code in CODES] == []


def test_under_documented_both_layers_are_hints():
    told = [found for found in findings(read("bare")) if "agent.json" in found.message]
    assert len(told) >= 8
    assert {found.level for found in told} == {"hint"}


def test_a_registry_without_agent_json_has_no_such_findings():
    source = pack(lambda whole: whole.update(agent=None))
    assert not [found for found in findings(source) if found.code in ("SR118", "SR119", "SR120")]
