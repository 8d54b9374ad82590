"""The findings that count: codes are selected or ignored, in all files or in some."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache

from workflows.core.dialects import dialects
from workflows.core.rules.check import rules_for

INTERNAL = "IN"
"""The family of findings about a rule that failed or was stopped."""

_CODE = re.compile(r"[A-Z]{2}[0-9]{0,3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Codes or their beginnings. No `select` means every code; `ignore` wins over it. The keys of
    `per_path` are patterns of paths, in which `**` matches any number of folders."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_path: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def includes(self, code: str, path: str) -> bool:
        """True if a finding with this code in this file counts."""
        if self.select and not code.startswith(self.select):
            return False
        ignored = [*self.ignore]
        for pattern, codes in self.per_path.items():
            if matches(pattern, path):
                ignored += codes
        return not code.startswith(tuple(ignored))


def unknown_codes(codes: Iterable[str]) -> list[str]:
    """Entries that are neither a finding code nor the beginning of one."""
    return [code for code in codes if not _CODE.fullmatch(code) or code[:2] not in known_families()]


@cache
def known_families() -> frozenset[str]:
    """The first two letters of every code."""
    codes = {rule.code[:2] for dialect in dialects().values() for rule in rules_for(dialect)}
    return frozenset({INTERNAL, *codes})


def matches(pattern: str, path: str) -> bool:
    """True if the path, or a folder above it, matches. `*` and `?` match within a name."""
    wanted = pattern.removeprefix("./").rstrip("/").split("/")
    return _fits(tuple(wanted), tuple(path.split("/")))


@cache
def _fits(wanted: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    if not wanted:
        return True
    if wanted[0] == "**":
        return _fits(wanted[1:], parts) or (bool(parts) and _fits(wanted, parts[1:]))
    return bool(parts) and fnmatchcase(parts[0], wanted[0]) and _fits(wanted[1:], parts[1:])
