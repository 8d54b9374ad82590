"""Security advisories in the OSV format, and the locked packages that they affect.

Read from the files that osv.dev publishes per ecosystem: a zip of JSON files, a folder of them, or
one JSON file with an advisory or a list. Format: https://ossf.github.io/osv-schema/
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion
from packaging.version import Version as PythonVersion
from semver import Version as SemanticVersion

from scripts.locked_packages import Ecosystem, LockedPackage

ECOSYSTEMS: tuple[Ecosystem, ...] = ("PyPI", "npm")


class UnusableFile(Exception):
    """The file has no advisories. The message names it."""


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A locked package that an advisory affects. `fixed` is the first version after it that is
    not affected, "" if the advisory names none."""

    advisory: str
    aliases: tuple[str, ...]
    package: LockedPackage
    fixed: str
    summary: str


@dataclass(kw_only=True)
class Advisories:
    """The advisories of all files. `unreadable` names those that could not be compared."""

    newest: datetime | None = None
    counts: dict[str, int] = field(default_factory=dict)
    records: list[Mapping[str, Any]] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def load(paths: Iterable[Path]) -> Advisories:
    """Read every advisory in force. Raises UnusableFile."""
    found = Advisories()
    for path in paths:
        before = len(found.records) + len(found.unreadable)
        for name, text in _texts(path):
            try:
                body = json.loads(text)
            except ValueError:
                found.unreadable.append(f"{name}: not JSON")
                continue
            for record in body if isinstance(body, list) else [body]:
                _add(found, name, record)
        if len(found.records) + len(found.unreadable) == before:
            raise UnusableFile(f"{path} has no advisories.")
    return found


def _texts(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in sorted(path.rglob("*.json")):
            yield str(file), file.read_bytes()
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if name.endswith(".json"):
                    yield f"{path}/{name}", archive.read(name)
    elif path.is_file():
        yield str(path), path.read_bytes()
    else:
        raise UnusableFile(f"{path} does not exist.")


def _add(found: Advisories, name: str, record: Any) -> None:
    """Keep an advisory that names an ecosystem of ours. A withdrawn one counts for the date."""
    try:
        modified = datetime.fromisoformat(record["modified"])
        modified = modified if modified.tzinfo else modified.replace(tzinfo=UTC)
        record["id"].strip()
        ecosystems = {_ecosystem(one) for one in record.get("affected", ())}
    except (AttributeError, KeyError, TypeError, ValueError):
        found.unreadable.append(f"{name}: not an advisory")
        return
    found.newest = max(found.newest, modified) if found.newest else modified
    if record.get("withdrawn"):
        return
    for ecosystem in ecosystems:
        found.counts[ecosystem] = found.counts.get(ecosystem, 0) + 1
    found.records.append(record)


def _ecosystem(affected: Any) -> str:
    return str(affected.get("package", {}).get("ecosystem", "")).partition(":")[0]


def hits(advisories: Advisories, packages: Iterable[LockedPackage]) -> list[Hit]:
    """The affected packages, by name. Incomparable advisories are added to `unreadable`."""
    by_name: dict[tuple[str, str], list[LockedPackage]] = {}
    for package in packages:
        by_name.setdefault((package.ecosystem, package.name), []).append(package)
    found: dict[tuple[str, LockedPackage], Hit] = {}
    for record in advisories.records:
        for affected in record.get("affected", ()):
            ecosystem = _ecosystem(affected)
            name = str(affected.get("package", {}).get("name", ""))
            name = canonicalize_name(name) if ecosystem == "PyPI" else name
            for package in by_name.get((ecosystem, name), ()):
                try:
                    fixed = _fixed_version(affected, package)
                except (AttributeError, KeyError, TypeError, ValueError) as error:
                    advisories.unreadable.append(f"{record['id']} for {name}: {error}")
                    continue
                if fixed is not None:
                    found[record["id"], package] = Hit(
                        advisory=record["id"],
                        aliases=tuple(record.get("aliases") or ()),
                        package=package,
                        fixed=fixed,
                        summary=str(record.get("summary", "")),
                    )
    return sorted(found.values(), key=lambda hit: (hit.package, hit.advisory))


def _fixed_version(affected: Mapping[str, Any], package: LockedPackage) -> str | None:
    """None if the version is not affected, else the fixed version or ""."""
    parse: Callable[[str], Any] = _python if package.ecosystem == "PyPI" else _semantic
    version = parse(package.version)
    for one in affected.get("ranges") or ():
        if one["type"] in ("ECOSYSTEM", "SEMVER") and _inside(one["events"], version, parse):
            return _first_fix(one["events"], version, parse)
    if any(_same(listed, version, parse) for listed in affected.get("versions") or ()):
        return ""
    return None


def _inside(events: Iterable[Mapping[str, str]], version: Any, parse: Callable[[str], Any]) -> bool:
    """The evaluation of the OSV schema: events in the order of versions."""
    order = {"introduced": 0, "fixed": 1, "limit": 1, "last_affected": 2}
    steps = [
        (None if text == "0" else parse(text), order[kind], kind)
        for event in events
        for kind, text in event.items()
    ]
    steps.sort(key=lambda step: (step[0] is not None, step[0] or version, step[1]))
    inside = False
    for at, _, kind in steps:
        match kind:
            case "introduced":
                inside = inside or at is None or version >= at
            case "last_affected":
                inside = inside and version <= at
            case _:
                inside = inside and version < at
    return inside


def _first_fix(
    events: Iterable[Mapping[str, str]], version: Any, parse: Callable[[str], Any]
) -> str:
    fixes = [event["fixed"] for event in events if "fixed" in event]
    later = [text for text in fixes if parse(text) > version]
    return min(later, key=parse, default="")


def _same(listed: str, version: Any, parse: Callable[[str], Any]) -> bool:
    """Versions of a list are compared one by one: old releases have names that no rule covers."""
    try:
        return bool(parse(listed) == version)
    except (InvalidVersion, ValueError):
        return False


def _python(text: str) -> PythonVersion:
    return PythonVersion(text)


def _semantic(text: str) -> SemanticVersion:
    return SemanticVersion.parse(text, optional_minor_and_patch=True)
