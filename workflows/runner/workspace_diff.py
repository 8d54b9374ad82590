"""What a call changed in a run's folder, as a unified diff.

The folder is looked at before and after. Where several calls run at once, what another one changed
meanwhile is in it too: nobody can tell whose it was.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from workflows.runner.tools import workspace
from workflows.runner.tools.base import ToolFailed

MAX_FILE = 512 * 1024
"""Bytes of a file whose lines are compared; of a larger one it is said that it changed."""
MAX_LINES = 20_000
MAX_READ = 64 * 1024 * 1024
"""Bytes read in one look; files after that are told apart by size and time alone."""
MAX_DIFF = 200_000
"""Characters of a diff."""

FileContent: TypeAlias = bytes | tuple[int, int]
"""A file's bytes, or its size and time where it is not read."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of a folder at one time, by path from there."""

    files: dict[str, FileContent] = field(default_factory=dict)


def take_snapshot(root: Path) -> Snapshot:
    """Every plain file of the folder; links are not followed. Empty where it has too many."""
    files: dict[str, FileContent] = {}
    read = 0
    home = root.resolve()
    try:
        for path in workspace.walk(home):
            seen = _file_content(path, read < MAX_READ)
            if seen is not None:
                files[path.relative_to(home).as_posix()] = seen
                read += len(seen) if isinstance(seen, bytes) else 0
    except ToolFailed:
        return Snapshot()
    return Snapshot(files)


def _file_content(path: Path, may_read: bool) -> FileContent | None:
    """None for a file that is gone before it could be looked at."""
    try:
        kind = path.lstat()
        if may_read and kind.st_size <= MAX_FILE:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                return file.read(MAX_FILE + 1)
        return (kind.st_size, kind.st_mtime_ns)
    except OSError:
        return None


def unified_diff(before: Snapshot, after: Snapshot) -> str:
    """The diff from one look to another, files in order, cut where it becomes too long."""
    parts: list[str] = []
    length = 0
    for path in sorted({*before.files, *after.files}):
        part = _file_diff(path, before.files.get(path), after.files.get(path))
        parts.append(part)
        length += len(part)
        if length > MAX_DIFF:
            return f"{''.join(parts)[:MAX_DIFF]}\n… the diff is longer than this\n"
    return "".join(parts)


def _file_diff(path: str, old: FileContent | None, new: FileContent | None) -> str:
    if old == new:
        return ""
    source = "/dev/null" if old is None else f"a/{path}"
    target = "/dev/null" if new is None else f"b/{path}"
    lines = [_lines(one) for one in (old, new)]
    if lines[0] is None or lines[1] is None:
        return f"Binary files {source} and {target} differ\n"
    body = "".join(_mark_missing_newlines(difflib.unified_diff(lines[0], lines[1], source, target)))
    return body or f"--- {source}\n+++ {target}\n"


def _lines(seen: FileContent | None) -> list[str] | None:
    """With their ends, cut at newlines only. None for what is no text, or too much of it."""
    if seen is None:
        return []
    if not isinstance(seen, bytes) or b"\0" in seen:
        return None
    try:
        *whole, last = seen.decode().split("\n")
    except UnicodeDecodeError:
        return None
    lines = [f"{line}\n" for line in whole] + ([last] if last else [])
    return lines if len(lines) <= MAX_LINES else None


def _mark_missing_newlines(lines: Iterator[str]) -> Iterator[str]:
    """A last line without an end says so, as `diff` does."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
