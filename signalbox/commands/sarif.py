"""Findings as SARIF 2.1.0, for code hosts and editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from workflows.core.pack.findings import Finding
from workflows.core.rules.check import BROKEN_RULE, STOPPED_RULE, rules_for

if TYPE_CHECKING:
    from signalbox.commands.report import Checked

LEVELS = {"error": "error", "warning": "warning", "hint": "note"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(checked: Sequence[Checked]) -> dict[str, Any]:
    """One SARIF run for all packs. Rules are listed once, with their help pages."""
    rules = _rules(checked)
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "Signalbox", "rules": rules}},
                "columnKind": "utf16CodeUnits",
                "results": [
                    _result(one, finding, numbers[finding.code])
                    for one in checked
                    for finding in one.findings
                ],
            }
        ],
    }


def _rules(checked: Sequence[Checked]) -> list[dict[str, Any]]:
    known: dict[str, dict[str, Any]] = {}
    for one in checked:
        for each in rules_for(one.pack.dialect):
            known[each.code] = {
                "id": each.code,
                "shortDescription": {"text": each.title},
                "fullDescription": {"text": each.help},
                "defaultConfiguration": {"level": LEVELS[each.level]},
            }
        for finding in one.findings:
            known.setdefault(finding.code, _bare_rule(finding))
    return [known[code] for code in sorted(known)]


def _bare_rule(finding: Finding) -> dict[str, Any]:
    """A rule entry for read findings, which have no rule."""
    titles = {BROKEN_RULE: "A rule failed", STOPPED_RULE: "A rule was stopped"}
    title = titles.get(finding.code, "The pack cannot be read as written")
    return {
        "id": finding.code,
        "shortDescription": {"text": title},
        "defaultConfiguration": {"level": LEVELS[finding.level]},
    }


def _result(one: Checked, finding: Finding, number: int) -> dict[str, Any]:
    text = finding.message + (f" {finding.hint}" if finding.hint else "")
    path = one.pack.show(finding.place.path or one.pack.found.main)
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(path)},
            "region": {"startLine": max(1, finding.place.line)},
        }
    }
    if finding.place.element:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.place.element}]
    return {
        "ruleId": finding.code,
        "ruleIndex": number,
        "level": LEVELS[finding.level],
        "message": {"text": text},
        "locations": [location],
    }
