"""The packages that the lock files pin, with their versions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "requirements.txt"
PACKAGE_LOCK = ROOT / "frontend_static" / "package-lock.json"

Ecosystem = Literal["PyPI", "npm"]
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^]]*\])?==([^\s;\\]+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, order=True)
class LockedPackage:
    """One package at one version. `licence` is the one of the lock file, "" for Python."""

    ecosystem: Ecosystem
    name: str
    version: str
    licence: str = ""


def python_packages(*locks: Path) -> list[LockedPackage]:
    """The packages of these requirements files, each once."""
    found = {
        LockedPackage(ecosystem="PyPI", name=canonicalize_name(name), version=version)
        for lock in locks
        for name, version in _PIN.findall(lock.read_text(encoding="utf-8"))
    }
    return sorted(found)


def javascript_packages(lock: Path = PACKAGE_LOCK, *, dev: bool) -> list[LockedPackage]:
    """The packages of package-lock.json, each once; without `dev` those that the canvas needs at
    run time."""
    entries: dict[str, Any] = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    found = {
        LockedPackage(
            ecosystem="npm",
            name=entry.get("name") or place.rpartition("node_modules/")[2],
            version=entry["version"],
            licence=str(entry.get("license", "")),
        )
        for place, entry in entries.items()
        if place and not entry.get("link") and (dev or not _development(entry))
    }
    return sorted(found)


def _development(entry: dict[str, Any]) -> bool:
    """True also for an optional peer that only development packages ask for."""
    return bool(entry.get("dev") or entry.get("devOptional"))
