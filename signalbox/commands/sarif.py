"""Findings as SARIF 2.1.0, for code hosts and editors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from signalbox.project.baseline import fingerprint
from signalbox.project.repository import root_of
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import BROKEN_RULE, STOPPED_RULE, rules_for
from workflows.installation import version

if TYPE_CHECKING:
    from signalbox.commands.report import Checked

LEVELS = {"error": "error", "warning": "warning", "hint": "note"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
"""The base of relative paths, as code hosts name it."""

FINGERPRINT = "signalboxFinding/v1"


def sarif(checked: Sequence[Checked]) -> dict[str, Any]:
    """One SARIF run for all packs. The rules of the results are listed once, with their help
    pages. Paths are relative to the root of the repository, outside one to the working
    directory."""
    rules = _rules(checked)
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    results = [
        _result(one, finding, numbers[finding.code]) for one in checked for finding in one.findings
    ]
    _number(results)
    driver = {
        "name": "Signalbox",
        "version": version(),
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True}],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "utf16CodeUnits",
        "results": results,
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rules(checked: Sequence[Checked]) -> list[dict[str, Any]]:
    rules: dict[str, dict[str, Any]] = {}
    for one in checked:
        found = {finding.code for finding in one.findings}
        for each in (rule for rule in rules_for(one.pack.dialect) if rule.code in found):
            rules[each.code] = {
                "id": each.code,
                "shortDescription": {"text": each.title},
                "fullDescription": {"text": each.help},
                "help": {
                    "text": f"{each.title}\n\n{each.help}",
                    "markdown": f"**{each.title}**\n\n{each.help}",
                },
                "defaultConfiguration": {"level": LEVELS[each.level]},
            }
        for finding in one.findings:
            rules.setdefault(finding.code, _bare_rule(finding))
    return [rules[code] for code in sorted(rules)]


def _bare_rule(finding: Finding) -> dict[str, Any]:
    """A rule entry for read findings, which have no rule."""
    titles = {BROKEN_RULE: "A rule failed", STOPPED_RULE: "A rule was stopped"}
    title = titles.get(finding.code, "The pack cannot be read as written")
    return {
        "id": finding.code,
        "shortDescription": {"text": title},
        "help": {"text": title},
        "defaultConfiguration": {"level": LEVELS[finding.level]},
    }


def _result(one: Checked, finding: Finding, number: int) -> dict[str, Any]:
    text = finding.message + (f" {finding.hint}" if finding.hint else "")
    place = _artifact(one, finding)
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": place,
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
        "partialFingerprints": {FINGERPRINT: fingerprint(place["uri"], finding).digest},
    }


def _artifact(one: Checked, finding: Finding) -> dict[str, str]:
    """The file of a finding: below the root, or with its whole path."""
    path = finding.place.path or one.pack.location.main
    if one.pack.root is None:
        return {"uri": quote(path), "uriBaseId": ROOT}
    file = one.pack.root / path
    root = root_of(one.pack.root) or Path.cwd()
    if file.is_relative_to(root):
        return {"uri": quote(file.relative_to(root).as_posix()), "uriBaseId": ROOT}
    return {"uri": file.as_uri()}


def _number(results: Sequence[dict[str, Any]]) -> None:
    """Number equal fingerprints, so that each result has its own."""
    counts: Counter[str] = Counter()
    for result in results:
        digest = result["partialFingerprints"][FINGERPRINT]
        counts[digest] += 1
        result["partialFingerprints"][FINGERPRINT] = f"{digest}:{counts[digest]}"
