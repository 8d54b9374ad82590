"""Paths and files of a workspace: resolve a path, and open it without following links out of it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from workflows.core.patterns import PatternError
from workflows.core.patterns.linear import LinearPattern, compile_linear, escaped
from workflows.runner.tools.base import ToolFailed
from workflows.security.git_directories import (
    GIT_NAMES,
    enters_git_directory,
    lists_git_directory,
)

MAX_FILE = 4 * 1024 * 1024
"""Bytes of a file that a tool reads or writes."""
MAX_WORKSPACE = 4 * 1024 * 1024 * 1024
"""Bytes of all files together, beyond which writes fail. A workspace may be a large repository."""
MAX_FILES = 200_000
MAX_GLOB = 400
"""Characters of a pattern of paths."""


def inside(root: Path, path: str) -> Path:
    """The real path, links resolved. Raises ToolFailed if it is outside the workspace."""
    if "\0" in path or len(path) > 4_000:
        raise ToolFailed("The path is too long or contains a NUL.")
    home = root.resolve()
    try:
        real = (home / path).resolve()
    except (OSError, RuntimeError):
        raise ToolFailed(f"“{path[:80]}” cannot be resolved.") from None
    if not real.is_relative_to(home):
        raise ToolFailed(f"“{path[:80]}” is outside the workspace.")
    if enters_git_directory(home, real):
        raise ToolFailed(f"“{path[:80]}” belongs to git. Tools neither read nor change it.")
    return real


def read(path: Path, name: str) -> str:
    """The text of a regular file. Raises ToolFailed for other, large and binary files."""
    data = read_bytes(path, name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ToolFailed(f"“{name}” is not UTF-8 text.") from None


def read_bytes(path: Path, name: str) -> bytes:
    """Read without waiting for a pipe and without following a link that was created meanwhile."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise ToolFailed(f"There is no file “{name}”.") from None
    except OSError as error:
        raise ToolFailed(f"“{name}” cannot be read: {error.strerror}.") from None
    kind = os.fstat(handle)
    if not stat.S_ISREG(kind.st_mode):
        os.close(handle)
        raise ToolFailed(f"“{name}” is not a regular file.")
    with os.fdopen(handle, "rb") as file:
        if kind.st_size > MAX_FILE:
            raise ToolFailed(f"“{name}” has {kind.st_size:,} bytes; the limit is {MAX_FILE:,}.")
        return file.read(MAX_FILE)


def write(root: Path, path: Path, name: str, text: str) -> None:
    """Write a file, and create its folders. Raises ToolFailed."""
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_FILE:
        raise ToolFailed(f"The file would have {len(data):,} bytes; the limit is {MAX_FILE:,}.")
    if len(data) + sum(file.lstat().st_size for file in walk(root)) > MAX_WORKSPACE:
        raise ToolFailed("The workspace is full.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ToolFailed(f"“{name}” is not a regular file.")
            file.truncate()
            file.write(data)
    except OSError as error:
        raise ToolFailed(f"“{name}” cannot be written: {error.strerror}.") from None


def walk(root: Path) -> Iterator[Path]:
    """Regular files below `root`, sorted; links are not followed. Raises ToolFailed if too many."""
    count = 0
    for folder, folders, names in os.walk(root, followlinks=False):
        if lists_git_directory((*folders, *names)):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if name.casefold() not in GIT_NAMES)
        for name in sorted(names):
            if name.casefold() in GIT_NAMES:
                continue
            path = Path(folder, name)
            if stat.S_ISREG(path.lstat().st_mode):
                count += 1
                if count > MAX_FILES:
                    raise ToolFailed(f"The workspace has more than {MAX_FILES:,} files.")
                yield path


def matcher(pattern: str) -> LinearPattern:
    """A glob as an expression for whole paths: `*` and `?` match within a folder, `**` across
    folders."""
    if len(pattern) > MAX_GLOB or pattern.count("*") > 20:
        raise ToolFailed("The pattern is too long.")
    try:
        return compile_linear(_expression(pattern.removeprefix("./")))
    except PatternError as problem:
        raise ToolFailed(f"The pattern {problem.message}.") from None


def _expression(pattern: str) -> str:
    expression = "(?s)"
    for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern):
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
                expression += escaped(part)
    return expression
