"""The baseline: findings that are already known, so that only new ones fail.

A finding is recognised by its file, code, element and the names in its message. Its line and the
rest of the wording do not count, so neither an edit above it nor another release makes it new.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from signalbox.commands.errors import Trouble
from signalbox.commands.inputs import read_json
from signalbox.commands.output import write_files
from workflows.core.pack.findings import Finding

NAME = ".signalbox-baseline.json"
"""The file that is used without a setting."""

VERSION = 1
MARK = "signalbox-baseline"
"""The key of the version."""

_NAMES = re.compile(r"'([^']*)'|\"([^\"]*)\"|“([^“”]*)”|`([^`]*)`")


class Fingerprint(NamedTuple):
    """The parts of a finding that stay while its text and its line change."""

    path: str
    code: str
    element: str
    names: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The parts as one short text, for other programs."""
        text = json.dumps([self.path, self.code, self.element, *self.names])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def fingerprint(path: str, finding: Finding) -> Fingerprint:
    """The fingerprint of a finding in the file at this path."""
    names = tuple("".join(match) for match in _NAMES.findall(finding.message))
    return Fingerprint(path, finding.code, finding.place.element, names)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A known finding. `pack` is the main file of its pack; paths are relative to the baseline."""

    pack: str
    path: str
    code: str
    element: str
    names: tuple[str, ...]
    message: str

    @property
    def fingerprint(self) -> Fingerprint:
        return Fingerprint(self.path, self.code, self.element, self.names)


class KnownCoverage(NamedTuple):
    """The coverage of a pack in per cent, and True if runs of its rehearsal failed."""

    percentage: float
    failed: bool = False


class Compared(NamedTuple):
    """Findings of one pack that are new, and those that are known."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The known findings of a file, and the known coverage by the main file of each pack."""

    file: Path
    entries: tuple[Known, ...] = ()
    coverage: Mapping[str, KnownCoverage] = field(default_factory=dict)

    def relative(self, path: Path) -> str:
        """A path as the baseline writes it."""
        return Path(os.path.relpath(path, self.file.parent)).as_posix()

    def known(self, home: Path, main: str, finding: Finding) -> Known:
        """The entry of a finding."""
        path = self.relative(home / (finding.place.path or main))
        identity = fingerprint(path, finding)
        pack = self.relative(home / main)
        return Known(pack=pack, message=finding.message, **identity._asdict())

    def compare(
        self, findings: Mapping[tuple[Path, str], Sequence[Finding]]
    ) -> tuple[dict[tuple[Path, str], Compared], tuple[Known, ...]]:
        """The findings of each pack (its folder and main file) as new and known, and the entries
        of these packs, or of packs that no longer exist, that are gone."""
        left = Counter(entry.fingerprint for entry in self.entries)
        compared = {}
        for (home, main), mine in findings.items():
            new: list[Finding] = []
            known: list[Finding] = []
            for finding in mine:
                key = self.known(home, main, finding).fingerprint
                (known if left[key] > 0 else new).append(finding)
                left[key] -= 1
            compared[home, main] = Compared(tuple(new), tuple(known))
        packs = {self.relative(home / main) for home, main in findings}
        gone = []
        for entry in self.entries:
            over = left[entry.fingerprint] > 0
            if over and (entry.pack in packs or not (self.file.parent / entry.pack).exists()):
                gone.append(entry)
                left[entry.fingerprint] -= 1
        return compared, tuple(gone)


def read_baseline(file: Path, shown: str) -> Baseline:
    """Read a baseline. Raises Trouble if it is missing or invalid."""
    if not file.exists():
        raise Trouble(
            f"There is no baseline at {shown}.",
            hint="`signalbox check --write-baseline` writes it from the present findings.",
        )
    body = read_json(str(file))
    if not isinstance(body, dict) or body.get(MARK) != VERSION:
        raise Trouble(f"{shown}: this is not a baseline of version {VERSION}.")
    listed = body.get("findings")
    if not isinstance(listed, list):
        raise Trouble(f"{shown}: 'findings' must be a list.")
    return Baseline(
        file=file,
        entries=tuple(_entry(shown, n, one) for n, one in enumerate(listed, start=1)),
        coverage=_coverage(shown, body.get("coverage", {})),
    )


def _coverage(shown: str, body: object) -> dict[str, KnownCoverage]:
    if not isinstance(body, dict):
        raise Trouble(f"{shown}: 'coverage' must be an object.")
    known: dict[str, KnownCoverage] = {}
    for pack, one in body.items():
        match one:
            case {"percentage": int() | float() as percentage, "failed": bool(failed)}:
                known[pack] = KnownCoverage(percentage, failed)
            case _:
                raise Trouble(
                    f"{shown}: the coverage of {pack!r} is incomplete.",
                    hint="It has a percentage, and failed as true or false.",
                )
    return known


def _entry(shown: str, number: int, body: object) -> Known:
    match body:
        case {
            "pack": str(pack),
            "path": str(path),
            "code": str(code),
            "element": str(element),
            "names": [*names],
            "message": str(message),
        } if all(isinstance(name, str) for name in names):
            texts = {"pack": pack, "path": path, "code": code, "element": element}
            return Known(**texts, names=tuple(names), message=message)
        case _:
            raise Trouble(
                f"{shown}: finding {number} lacks a text.",
                hint="Every finding has pack, path, code, element, names and message.",
            )


def write_baseline(
    file: Path, entries: Iterable[Known], coverage: Mapping[str, KnownCoverage] | None = None
) -> int:
    """Write a baseline, sorted, so that versions of it can be compared. Returns the number of its
    findings."""
    ordered = sorted(entries, key=lambda one: (one.pack, *one.fingerprint, one.message))
    body: dict[str, Any] = {MARK: VERSION, "findings": [asdict(one) for one in ordered]}
    if coverage:
        body["coverage"] = {pack: coverage[pack]._asdict() for pack in sorted(coverage)}
    text = json.dumps(body, indent=1, ensure_ascii=False) + "\n"
    write_files(file.parent, {file.name: text.encode("utf-8", "backslashreplace")})
    return len(ordered)
