"""Paths inside a run's own folder: where one leads, and opening it without being led elsewhere."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from workflows.runner.tools.base import ToolFailed

MAX_FILE = 4 * 1024 * 1024
"""Bytes of a file that a tool reads or writes."""
MAX_WORKSPACE = 256 * 1024 * 1024
"""Bytes of all files together, beyond which nothing more is written."""
MAX_FILES = 20_000


def inside(root: Path, path: str) -> Path:
    """The real path of what is meant, links followed. Raises ToolFailed where it lies outside."""
    if "\0" in path or len(path) > 4_000:
        raise ToolFailed("This is no path.")
    home = root.resolve()
    try:
        real = (home / path).resolve()
    except (OSError, RuntimeError):
        raise ToolFailed(f"“{path[:80]}” leads nowhere.") from None
    if not real.is_relative_to(home):
        raise ToolFailed(f"“{path[:80]}” is outside the workspace.")
    return real


def read(path: Path, name: str) -> str:
    """The text of a plain file. Raises ToolFailed: it is none, is too large, or is no text."""
    data = read_bytes(path, name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ToolFailed(f"“{name}” is no text in UTF-8.") from None


def read_bytes(path: Path, name: str) -> bytes:
    """Neither waits for a pipe nor follows a link that came in between."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise ToolFailed(f"There is no file “{name}”.") from None
    except OSError as cannot:
        raise ToolFailed(f"“{name}” cannot be read: {cannot.strerror}.") from None
    kind = os.fstat(handle)
    if not stat.S_ISREG(kind.st_mode):
        os.close(handle)
        raise ToolFailed(f"“{name}” is no file.")
    with os.fdopen(handle, "rb") as file:
        if kind.st_size > MAX_FILE:
            raise ToolFailed(f"“{name}” has {kind.st_size:,} bytes; the limit is {MAX_FILE:,}.")
        return file.read(MAX_FILE)


def write(root: Path, path: Path, name: str, text: str) -> None:
    """Replace a file or make it, with its folders. Raises ToolFailed."""
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_FILE:
        raise ToolFailed(f"{len(data):,} bytes are more than the {MAX_FILE:,} of one file.")
    if len(data) + sum(found.lstat().st_size for found in walk(root)) > MAX_WORKSPACE:
        raise ToolFailed("The workspace is full.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ToolFailed(f"“{name}” is no file.")
            file.truncate()
            file.write(data)
    except OSError as cannot:
        raise ToolFailed(f"“{name}” cannot be written: {cannot.strerror}.") from None


def walk(root: Path) -> Iterator[Path]:
    """Plain files below, in order; links are not followed. Raises ToolFailed for too many."""
    seen = 0
    for folder, folders, names in os.walk(root, followlinks=False):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            if stat.S_ISREG(path.lstat().st_mode):
                seen += 1
                if seen > MAX_FILES:
                    raise ToolFailed(f"There are more than {MAX_FILES:,} files here.")
                yield path


def matcher(pattern: str) -> re.Pattern[str]:
    """A glob as an expression for whole paths: `*` and `?` stay within a folder, `**` does not."""
    if len(pattern) > 400 or pattern.count("*") > 20:
        raise ToolFailed("This pattern is too long.")
    expression = ""
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./")):
        match part:
            case "**/":
                expression += "(?:[^/]+/)*"
            case "**":
                expression += ".*"
            case "*":
                expression += "[^/]*"
            case "?":
                expression += "[^/]"
            case _:
                expression += re.escape(part)
    return re.compile(expression, re.DOTALL)
