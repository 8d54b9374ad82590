"""`signalbox check`: findings of every pack, for people and for machines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from signalbox.commands.errors import FINDINGS, OK, UNREADABLE
from signalbox.commands.packs import PackHere, packs_at
from workflows.core.pack.findings import Finding, Level
from workflows.core.rules.check import check, summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One pack and its findings."""

    pack: PackHere
    profile: str
    findings: tuple[Finding, ...]
    readable: bool


def run(options: argparse.Namespace) -> int:
    """Exit 0 clean, 1 with findings at or above `--fail-on`, 2 if a pack is unreadable."""
    checked = [_checked(pack, options.profile) for path in options.paths for pack in packs_at(path)]
    print(FORMATS[options.format](checked))
    if not all(one.readable for one in checked):
        return UNREADABLE
    bad: set[Level] = {"error"} if options.fail_on == "error" else {"error", "warning"}
    return FINDINGS if any(f.level in bad for one in checked for f in one.findings) else OK


def _checked(pack: PackHere, wanted: str | None) -> Checked:
    profile = pack.profile(wanted)
    source = pack.dialect.read(pack.files)
    return Checked(
        pack=pack,
        profile=profile,
        findings=check(pack.dialect, source, profile),
        readable=source.readable,
    )


def counted(checked: Sequence[Checked]) -> dict[Level, int]:
    """Number of findings of each level in all packs together."""
    return summary(finding for one in checked for finding in one.findings)


def as_text(checked: Sequence[Checked]) -> str:
    """`path:line: level code message`, then the fix; at the end the totals."""
    lines = []
    for one in checked:
        for finding in one.findings:
            place = f"{one.pack.show(finding.place.path or one.pack.found.main)}"
            if finding.place.line:
                place += f":{finding.place.line}"
            lines.append(f"{place}: {finding.level} {finding.code} {finding.message}")
            if finding.hint:
                lines.append(f"    {finding.hint}")
    counts = ", ".join(_number(count, level) for level, count in counted(checked).items())
    lines.append(f"{_number(len(checked), 'pack')}: {counts}.")
    return "\n".join(lines)


def _number(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def finding_json(one: Checked, finding: Finding) -> dict[str, object]:
    """A finding with its path relative to the working directory."""
    path = one.pack.show(finding.place.path or one.pack.found.main)
    return {**finding.to_json(), "path": path}


def as_json(checked: Sequence[Checked]) -> str:
    """`{packs: [{path, dialect, profile, name, readable, findings, counts}], counts}`."""
    packs = [
        {
            "path": one.pack.shown,
            "name": one.pack.found.name,
            "dialect": one.pack.dialect.name,
            "profile": one.profile,
            "readable": one.readable,
            "findings": [finding_json(one, finding) for finding in one.findings],
            "counts": summary(one.findings),
        }
        for one in checked
    ]
    return json.dumps({"packs": packs, "counts": counted(checked)}, indent=2, ensure_ascii=False)


def as_github(checked: Sequence[Checked]) -> str:
    """Workflow commands: annotations on the lines of a pull request."""
    words = {"error": "error", "warning": "warning", "hint": "notice"}
    lines = []
    for one in checked:
        for finding in one.findings:
            path = _escaped(one.pack.show(finding.place.path or one.pack.found.main), part=True)
            text = finding.message + (f" {finding.hint}" if finding.hint else "")
            lines.append(
                f"::{words[finding.level]} file={path},line={finding.place.line or 1},"
                f"title={_escaped(finding.code, part=True)}::{_escaped(text)}"
            )
    return "\n".join(lines)


def _escaped(text: str, *, part: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if part else text


def as_sarif(checked: Sequence[Checked]) -> str:
    from signalbox.commands.sarif import sarif

    return json.dumps(sarif(checked), indent=2, ensure_ascii=False)


FORMATS: dict[str, Callable[[Sequence[Checked]], str]] = {
    "text": as_text,
    "json": as_json,
    "github": as_github,
    "sarif": as_sarif,
}
