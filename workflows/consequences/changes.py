"""Differences of the files and findings of two versions of a pack."""

from __future__ import annotations

from collections.abc import Iterable

from roles.core.file_diffs import file_differences
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding

WORST_CASE = "GR114"
"""The finding whose message has the worst case, which is shown before and after the change."""


def files_change(old: Files, new: Files) -> list[dict[str, str]]:
    """Each file that differs: its path, the kind of change, and a unified difference."""
    return [{**one, "change": _change(one["path"], old, new)} for one in file_differences(old, new)]


def findings_change(
    old: Iterable[Finding], new: Iterable[Finding]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings that a change adds, and those that it removes."""
    before, after = tuple(old), tuple(new)
    had, has = set(map(_key, before)), set(map(_key, after))
    return (
        tuple(one for one in after if _key(one) not in had),
        tuple(one for one in before if _key(one) not in has),
    )


def _change(path: str, old: Files, new: Files) -> str:
    if path not in old:
        return "added"
    return "deleted" if path not in new else "changed"


def _key(finding: Finding) -> tuple[str, str]:
    return finding.code, "" if finding.code == WORST_CASE else finding.message
