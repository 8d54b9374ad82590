"""Licences of the packages in a release, and the families that are allowed.

`docs/licences.md` is generated from this. `licences.toml` has the families.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from scripts.locked_packages import (
    REQUIREMENTS,
    ROOT,
    LockedPackage,
    javascript_packages,
    python_packages,
)

PAGE = ROOT / "docs" / "licences.md"
UNKNOWN = "unknown"


@cache
def rules() -> dict[str, Any]:
    """The content of licences.toml."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def python_licences() -> dict[LockedPackage, str]:
    """The licence of each package in requirements.txt. A package that this platform does not
    install keeps the licence that the page lists for its version."""
    listed = dict(_listed())
    found: dict[LockedPackage, str] = {}
    for package in python_packages(REQUIREMENTS):
        try:
            found[package] = licence_of(package.name, metadata(package.name))
        except PackageNotFoundError:
            found[package] = listed.get((package.name, package.version), UNKNOWN)
    return found


def javascript_licences() -> dict[LockedPackage, str]:
    """The licence of each package that the canvas needs at run time."""
    return {package: package.licence or UNKNOWN for package in javascript_packages(dev=False)}


def licence_of(name: str, data: Any) -> str:
    """The SPDX expression of a package's metadata, or UNKNOWN. Shapes: PEP 639, and the older
    fields `License` and `Classifier`."""
    if name in rules()["packages"]:
        return str(rules()["packages"][name])
    if expression := data.get("License-Expression"):
        return str(expression)
    first_line = (data.get("License") or "").strip().partition("\n")[0]
    classifiers = [
        each.rpartition(" :: ")[2]
        for each in data.get_all("Classifier") or []
        if each.startswith("License ::")
    ]
    for spelling in (first_line, classifiers[0] if len(classifiers) == 1 else ""):
        licence = str(rules()["spellings"].get(spelling, spelling))
        if licence and family(licence) != UNKNOWN:
            return licence
    return first_line or " / ".join(classifiers) or UNKNOWN


def family(expression: str) -> str:
    """The family of an SPDX expression, or UNKNOWN if it is not allowed.

    Every part of an AND has to be allowed, and one choice of an OR. Parentheses are not resolved:
    an expression that mixes both may be refused although it would be allowed, never the reverse.
    """
    families: Mapping[str, list[str]] = rules()["families"]
    by_licence = {licence: name for name, all_of in families.items() for licence in all_of}
    order = list(families)
    found: list[str] = []
    for part in expression.replace("(", "").replace(")", "").split(" AND "):
        choices = [by_licence[one] for one in part.split(" OR ") if one in by_licence]
        if not choices:
            return UNKNOWN
        found.append(min(choices, key=order.index))
    return max(found, key=order.index)


def problems(packages: Mapping[LockedPackage, str] | None = None) -> list[str]:
    """A sentence for each package of a release whose licence is not allowed."""
    if packages is None:
        packages = {**python_licences(), **javascript_licences()}
    return [
        f"{package.name} {package.version} ({package.ecosystem}): the licence {licence!r} is not in"
        " scripts/licences.toml. Replace the package, or let the maintainers allow the licence."
        for package, licence in packages.items()
        if family(licence) == UNKNOWN
    ]


def python_table() -> str:
    """The part `python` of the page."""
    return _table(python_licences().items())


def javascript_table() -> str:
    """The part `javascript` of the page."""
    return _table(javascript_licences().items())


def _table(packages: Iterable[tuple[LockedPackage, str]]) -> str:
    rows = ["| package | version | licence | family |", "|---|---|---|---|"]
    rows += [
        f"| {package.name} | {package.version} | {licence} | {family(licence)} |"
        for package, licence in packages
    ]
    return "\n".join(rows)


def _listed() -> Iterable[tuple[tuple[str, str], str]]:
    """(name, version) → licence, from the page as it is."""
    text = PAGE.read_text(encoding="utf-8").partition("<!-- end python -->")[0]
    for name, version, licence in re.findall(r"^\| (\S+) \| (\S+) \| ([^|]+) \|", text, re.M):
        yield (name, version), licence
