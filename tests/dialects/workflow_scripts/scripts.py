"""The scripts of the corpus and their expectations."""

from __future__ import annotations

import json
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from tests.support.corpus import CORPUS
from workflows.core.dialects.workflow_scripts import DIALECT
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check

FOLDER = CORPUS / "workflow-scripts"


@cache
def vectors() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "own/vectors.json").read_text())["files"]
    return found


@cache
def graphs() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "graphs/expected.json").read_text())["graphs"]
    return found


@cache
def odd() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "odd/expected.json").read_text())["files"]
    return found


@cache
def source(path: Path) -> Any:
    """A script, with the agent definitions in the folder next to it."""
    files = {path.name: path.read_bytes()}
    for one in sorted((path.parent / "agents").glob("*.md")):
        files[f"agents/{one.name}"] = one.read_bytes()
    return DIALECT.read(Files.of(files))


def of_text(text: str) -> Any:
    """A script with a meta before this code."""
    return DIALECT.read(Files.of({"workflow.js": (META + text).encode()}))


META = "export const meta = { name: 'x', description: 'y' }\n"


def has(findings: tuple[Finding, ...], expected: str) -> bool:
    """True if a finding has this code, at this line: `WS305@19`."""
    code, _, line = expected.partition("@")
    return any(one.code == code and (not line or one.place.line == int(line)) for one in findings)


def check_findings(script: Any, expected: dict[str, Any], profile: str) -> None:
    """All expected findings, and none of the excluded ones."""
    findings = check(DIALECT, script, profile)
    shown = [f"{one.code}@{one.place.line}" for one in findings]
    assert [one for one in expected.get("must", ()) if not has(findings, one)] == [], shown
    assert [one for one in expected.get("must_not", ()) if has(findings, one)] == [], shown


def value_of(formula: str, names: dict[str, int]) -> int:
    """The value of a formula in the notation of the vectors, which are our own."""
    scope = {"min": min, "max": max, "ceil": ceil, **names}
    return int(eval(formula, {"__builtins__": {}}, scope))
