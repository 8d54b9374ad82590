"""Changes of a tool call in a workspace, as a unified diff.

Snapshots before and after the call are compared. If several calls run at once, the diff includes
the changes of the others, because they cannot be attributed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from roles.core.line_diff import unified_lines
from workflows.repos.run_changes import MAX_DIFF
from workflows.runner.tools import workspace
from workflows.runner.tools.base import ToolFailed

MAX_FILE = 512 * 1024
"""Bytes of a file whose lines are compared; of a larger file the diff has only its name."""
MAX_LINES = 20_000
MAX_READ = 64 * 1024 * 1024
"""Bytes read for one snapshot; the files after that are compared by size and time only."""

FileContent: TypeAlias = bytes | tuple[int, int]
"""A file's bytes, or its size and modification time if it was not read."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of a folder at one time, by relative path."""

    files: dict[str, FileContent] = field(default_factory=dict)


def take_snapshot(root: Path) -> Snapshot:
    """Every regular file of the folder; links are not followed. Empty if it has too many."""
    files: dict[str, FileContent] = {}
    read = 0
    home = root.resolve()
    try:
        for path in workspace.walk(home):
            content = _file_content(path, read < MAX_READ)
            if content is not None:
                files[path.relative_to(home).as_posix()] = content
                read += len(content) if isinstance(content, bytes) else 0
    except ToolFailed:
        return Snapshot()
    return Snapshot(files)


def _file_content(path: Path, may_read: bool) -> FileContent | None:
    """None for a file that was deleted meanwhile."""
    try:
        status = path.lstat()
        if may_read and status.st_size <= MAX_FILE:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(handle, "rb") as file:
                return file.read(MAX_FILE + 1)
        return (status.st_size, status.st_mtime_ns)
    except OSError:
        return None


def unified_diff(before: Snapshot, after: Snapshot) -> str:
    """The diff between two snapshots, files in order, cut at MAX_DIFF."""
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
    body = "".join(_mark_missing_newlines(unified_lines(lines[0], lines[1], source, target)))
    return body or f"--- {source}\n+++ {target}\n"


def _lines(content: FileContent | None) -> list[str] | None:
    """Lines with their ends, split at newlines only. None for binary and very long files."""
    if content is None:
        return []
    if not isinstance(content, bytes) or b"\0" in content:
        return None
    try:
        *whole, last = content.decode().split("\n")
    except UnicodeDecodeError:
        return None
    lines = [f"{line}\n" for line in whole] + ([last] if last else [])
    return lines if len(lines) <= MAX_LINES else None


def _mark_missing_newlines(lines: Iterator[str]) -> Iterator[str]:
    """Mark a last line without a newline as `diff` does."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
