"""The tool kind that reads and writes files of the workspace."""

from __future__ import annotations

import asyncio
import fnmatch
import json
import posixpath
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from workflows.core.patterns import PatternError
from workflows.core.patterns.linear import LinearPattern, compile_linear
from workflows.runner.tools import workspace
from workflows.runner.tools.base import Context, ToolFailed, int_argument, text_argument
from workflows.runner.tools.file_changes import FileChange, apply_once
from workflows.security.git_directories import GIT_NAMES

MAX_LINES = 2_000
"""Lines of a file, or search hits."""
SEARCH_SECONDS = 10.0

Operation = Callable[[Path, Mapping[str, Any]], str]
Change = Callable[[Path, Mapping[str, Any]], FileChange]


class Files:
    """Setting `operation`: required if the tool's own name is not an operation."""

    name = "files"
    label = "Files of the workspace"
    touches = "Files in the run's own folder."
    required: tuple[str, ...] = ()

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "operation": {
                "enum": sorted(OPERATIONS),
                "description": "The operation, if the tool's own name is not one.",
            }
        }

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        return "Files take no secrets." if secrets else ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return False

    async def check_rights(self, arguments: Mapping[str, Any], context: Context) -> None:
        if _operation(context) in WRITING and context.within:
            root = await context.workspace()
            for folder in context.within:
                _check_within(root, folder, arguments)

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        operation = _operation(context)
        if operation not in OPERATIONS:
            names = ", ".join(sorted(OPERATIONS))
            raise ToolFailed(f"{context.name!r} is not an operation; its binding must set {names}.")
        await self.check_rights(arguments, context)
        root = await context.workspace()
        change = CHANGES.get(operation)
        if change is None:
            return await asyncio.to_thread(WORK[operation], root, arguments)
        return await asyncio.to_thread(
            apply_once, root, context.journal, partial(change, root, arguments)
        )


def _operation(context: Context) -> str:
    return str(context.settings.get("operation") or context.name.casefold())


def _read(root: Path, arguments: Mapping[str, Any]) -> str:
    name, path = _file(root, arguments)
    lines = workspace.read(path, name).splitlines(keepends=True)
    first = max(int_argument(arguments, "offset", 1), 1)
    count = min(int_argument(arguments, "limit", MAX_LINES), MAX_LINES)
    shown = lines[first - 1 : first - 1 + count]
    left = len(lines) - (first - 1) - len(shown)
    note = f"… {left:,} more lines\n" if left > 0 else ""
    return "".join(shown) + note


def _write(root: Path, arguments: Mapping[str, Any]) -> FileChange:
    name, path = _file(root, arguments)
    text = text_argument(arguments, "content")
    result = f"Wrote {len(text):,} characters to {name}."
    return FileChange(path=path, name=name, text=text, result=result)


def _edit(root: Path, arguments: Mapping[str, Any]) -> FileChange:
    name, path = _file(root, arguments)
    text = _replace(workspace.read(path, name), arguments)
    return FileChange(path=path, name=name, text=text, result=f"Changed {name}.")


def _edits(root: Path, arguments: Mapping[str, Any]) -> FileChange:
    name, path = _file(root, arguments)
    changes = arguments.get("edits")
    if not isinstance(changes, list) or not all(isinstance(one, Mapping) for one in changes):
        raise ToolFailed("`edits` must be a list of changes.")
    text = workspace.read(path, name)
    for change in changes:
        text = _replace(text, change)
    result = f"Made {len(changes)} changes in {name}."
    return FileChange(path=path, name=name, text=text, result=result)


def _replace(text: str, change: Mapping[str, Any]) -> str:
    old, new = text_argument(change, "old_string"), text_argument(change, "new_string")
    count = text.count(old) if old else 0
    if not count:
        raise ToolFailed("The text to replace is not in the file.")
    if count > 1 and change.get("replace_all") is not True:
        raise ToolFailed(
            f"The text to replace occurs {count} times. Include more of the text around it."
        )
    if len(text) + count * (len(new) - len(old)) > workspace.MAX_FILE:
        raise ToolFailed("The file would become too large.")
    return text.replace(old, new)


def _delete(root: Path, arguments: Mapping[str, Any]) -> str:
    """Delete a file. A link is deleted itself, not its target. A missing file counts as deleted."""
    wanted = text_argument(arguments, "file_path", "path", "filePath")
    if "\0" in wanted:
        raise ToolFailed("The path contains a NUL.")
    folder, name = posixpath.split(posixpath.normpath(wanted))
    path = workspace.inside(root, folder or ".") / name
    if name.casefold() in GIT_NAMES:
        raise ToolFailed(f"“{wanted[:200]}” belongs to git. Tools neither read nor change it.")
    if name in ("", ".", "..") or (path.is_dir() and not path.is_symlink()):
        raise ToolFailed(f"“{wanted[:200]}” is a folder.")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise ToolFailed(f"“{wanted[:200]}” cannot be deleted: {error.strerror}.") from None
    return f"Deleted {wanted[:200]}."


def _check_within(root: Path, within: str, arguments: Mapping[str, Any]) -> None:
    """Raise ToolFailed if links lead the path, or the folder itself, out of `within`."""
    name, path = _file(root, arguments)
    if not path.is_relative_to(root.resolve() / within):
        raise ToolFailed(f"“{name}” leads out of {within}/. Write inside {within}/ only.")


def _children(root: Path, arguments: Mapping[str, Any]) -> list[Path]:
    try:
        return sorted(_folder(root, arguments).iterdir())
    except OSError as error:
        raise ToolFailed(f"This folder cannot be read: {error.strerror}.") from None


def _entries(root: Path, arguments: Mapping[str, Any]) -> str:
    """A folder as JSON, `[{name, type}]` with `dir` or `file`."""
    children = _children(root, arguments)[:MAX_LINES]
    kinds = [{"name": path.name, "type": "dir" if path.is_dir() else "file"} for path in children]
    return json.dumps(kinds, ensure_ascii=False)


def _list(root: Path, arguments: Mapping[str, Any]) -> str:
    children = _children(root, arguments)
    names = [f"{path.name}/" if path.is_dir() else path.name for path in children]
    return _lines(names)


def _glob(root: Path, arguments: Mapping[str, Any]) -> str:
    folder = _folder(root, arguments)
    fits = workspace.matcher(text_argument(arguments, "pattern"))
    names = [path.relative_to(folder).as_posix() for path in workspace.walk(folder)]
    return _lines([_from_root(root, folder / name) for name in names if fits.fullmatch(name)])


def _grep(root: Path, arguments: Mapping[str, Any]) -> str:
    pattern = text_argument(arguments, "pattern")
    try:
        expression = compile_linear(pattern)
    except PatternError as problem:
        raise ToolFailed(f"The pattern cannot be used: it {problem.message}.") from None
    only = text_argument(arguments, "glob", "include", default="")
    if len(only) > workspace.MAX_GLOB:
        raise ToolFailed("The pattern of file names is too long.")
    start = _folder(root, arguments)
    hits: list[str] = []
    until = time.monotonic() + SEARCH_SECONDS
    for path in [start] if start.is_file() else workspace.walk(start):
        if not only or fnmatch.fnmatchcase(path.name, only.rpartition("/")[2]):
            hits += _hits(expression, path, _from_root(root, path), until)
        if len(hits) > MAX_LINES:
            break
    return _lines(hits)


def _hits(expression: LinearPattern, path: Path, name: str, until: float) -> list[str]:
    try:
        lines = workspace.read(path, name).splitlines()
    except ToolFailed:
        return []
    hits = []
    for number, line in enumerate(lines, start=1):
        if time.monotonic() > until:
            raise ToolFailed("The search took too long. Simplify the expression.")
        try:
            if expression.search(line):
                hits.append(f"{name}:{number}:{line[:500]}")
        except PatternError as problem:
            raise ToolFailed(
                f"The pattern cannot be used: it {problem.message} (line {number} of {name})."
            ) from None
    return hits


def _lines(lines: list[str]) -> str:
    shown = lines[:MAX_LINES]
    more = len(lines) - len(shown)
    return "\n".join([*shown, f"… {more:,} more"] if more else shown) or "Nothing found."


def _file(root: Path, arguments: Mapping[str, Any]) -> tuple[str, Path]:
    name = text_argument(arguments, "file_path", "path", "filePath")
    return name[:200], workspace.inside(root, name)


def _folder(root: Path, arguments: Mapping[str, Any]) -> Path:
    return workspace.inside(root, text_argument(arguments, "path", "folder", default="."))


def _from_root(root: Path, path: Path) -> str:
    return path.relative_to(root.resolve()).as_posix()


CHANGES: dict[str, Change] = {"write": _write, "edit": _edit, "multi-edit": _edits}
"""Operations that replace a file's content."""
WORK: dict[str, Operation] = {
    "read": _read,
    "delete": _delete,
    "list": _list,
    "entries": _entries,
    "glob": _glob,
    "grep": _grep,
}

OPERATIONS = (*WORK, *CHANGES)
WRITING = (*CHANGES, "delete")

TOOL = Files()
