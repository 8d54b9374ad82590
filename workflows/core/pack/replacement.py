"""The edits of a replacement that a pack accepts, and the files after them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workflows.core.pack.edits import Edit, EditRefused
from workflows.core.pack.files import BadFiles, Files
from workflows.core.pack.find import MAX_ADDED, TOO_LONG, FindResult

if TYPE_CHECKING:
    from workflows.core.dialects.base import Dialect

MAX_READ = 24_000_000
"""Bytes that the edits of one replacement read, about: each reads the files of the pack again."""
FEW = 100
"""Edits that a pack of any size accepts in one replacement."""
MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """`problems` are the reasons why other edits are not possible."""

    edits: tuple[Edit, ...]
    problems: tuple[str, ...]
    files: Files


def replacement(dialect: Dialect, source: Any, result: FindResult) -> Replacement:
    """Apply the edits in their order. Without edits if together they cost or add too much."""
    files: Files = source.files
    size = files.size
    most = max(MAX_READ // max(size, 1), FEW)
    if result.refused:
        return _refused(files, result.refused)
    if len(result.edits) > most:
        return _refused(
            files,
            f"The replacement has {len(result.edits):,} edits; a pack of this size accepts"
            f" {most:,} at once. Choose fewer areas, or a longer text to find.",
        )
    edits: list[Edit] = []
    problems: list[str] = []
    after = source
    for edit in result.edits:
        try:
            after = dialect.apply(after, edit)
        except (EditRefused, BadFiles) as refused:
            problems.append(refused.message)
            continue
        edits.append(edit)
        if after.files.size > size + 2 * MAX_ADDED:
            return _refused(files, TOO_LONG)
    return Replacement(edits=tuple(edits), problems=_first(problems), files=after.files)


def _refused(files: Files, problem: str) -> Replacement:
    return Replacement(edits=(), problems=(problem,), files=files)


def _first(problems: list[str]) -> tuple[str, ...]:
    """The first of the different reasons, and the number of the others."""
    different = list(dict.fromkeys(problems))
    more = len(different) - MAX_PROBLEMS
    rest = [f"{more:,} more edits are not possible."] if more > 0 else []
    return (*different[:MAX_PROBLEMS], *rest)
