"""One mistake is one finding: it leads, and its consequences name it as their cause."""

from __future__ import annotations

import pytest

from workflows.core.dialects import dialects
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check, summary

# Dialect, sample, the text that is replaced, its replacement, code and hint of the leading finding.
ROWS = [
    ("steps_registry", "triage-bot", '{ "target": "verification.review" }',
     '{ "target": "verification.reveiw" }', "SR201", "'verification.review'"),
    ("steps_registry", "triage-bot", '"count:iteration": "initial.read"',
     '"count:iteration": "initial.raed"', "SR107", "'initial.read'"),
    ("steps_registry", "triage-bot", '{ "target": "verification.review" }',
     '{ "target": null }', "SR214", ""),
    ("steps_registry", "triage-bot", '["next", "escalate"]', '["nxt", "escalate"]', "SR103",
     "'next'"),
    ("steps_registry", "triage-bot", '"handoff": {', '"handof": {', "SR206", "'handoff'"),
    ("steps_registry", "triage-bot", '"schema": "initial.read"', '"schema": "initial.raed"',
     "SR302", "'initial.read'"),
    ("steps_registry", "triage-bot", '"file": "triage.schema.json"',
     '"file": "triage.shema.json"', "SR301", "triage.schema.json'"),
    ("steps_registry", "triage-bot", '"validator": "notes-written"',
     '"validator": "notes-writen"', "SR501", "'notes-written'"),
    ("steps_registry", "triage-bot", '"failurePattern": "notes-missing"',
     '"failurePattern": "note-missing"', "SR502", "'notes-missing'"),
    ("steps_registry", "triage-bot", "continuation.answer.reply", "continuation.anser.reply",
     "SR418", "'continuation.answer'"),
    ("promptpack", "review-loop", '"prompt_task": "review"', '"prompt_task": "reviw"', "PP203",
     "'review'"),
    ("stages", "feature-delivery", '["implement"]', '["implment"]', "ST403", "'implement'"),
    ("stages", "feature-delivery", '"join": "review-verdict"', '"join": "review-verdct"', "ST404",
     "'review-verdict'"),
]  # fmt: skip


def findings(dialect: str, sample: str, old: str, new: str) -> tuple[Finding, ...]:
    """The findings of a sample with one text replaced, without hints."""
    own = dialects()[dialect]
    files = own.samples()[sample]
    main = own.read(files).main
    text = files[main].decode()
    assert old in text
    source = own.read(Files.of({**files.as_dict(), main: text.replace(old, new, 1).encode()}))
    found = check(own, source, own.profiles[0])
    return tuple(one for one in found if one.level != "hint")


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[4]} {row[3]}" for row in ROWS])
def test_one_mistake_is_one_finding(row: tuple[str, str, str, str, str, str]) -> None:
    *change, code, near = row
    lead, *others = findings(*change)
    assert (lead.code, lead.cause) == (code, "")
    assert near in lead.hint
    assert not near or lead.hint.startswith("Did you mean ")
    assert {one.cause for one in others} <= {lead.key}
    assert sum(summary((lead, *others)).values()) == 1


def test_a_group_counts_as_its_worst_finding() -> None:
    found = findings("steps_registry", "triage-bot", '"handoff": {', '"handof": {')
    assert [one.level for one in found] == ["warning", "error", "error", "warning"]
    assert summary(found) == {"error": 1, "warning": 0, "hint": 0}


def test_a_consequence_without_its_cause_stands_for_itself() -> None:
    found = findings("stages", "feature-delivery", '["implement"]', '["implment"]')
    assert summary(found[1:]) == {"error": 0, "warning": len(found) - 1, "hint": 0}
