"""Files of the run's own folder, and of no other place."""

from __future__ import annotations

import asyncio
import fnmatch
import json
import posixpath
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import regex

from workflows.runner.tools import workspace
from workflows.runner.tools.base import Context, ToolFailed, int_argument, text_argument

MAX_LINES = 2_000
"""Of a file, or of hits."""
SEARCH_SECONDS = 10.0

Work = Callable[[Path, Mapping[str, Any]], str]


class Files:
    """Setting `operation`: what it does, where the tool's own name does not say so."""

    name = "files"
    label = "Files of the workspace"
    touches = "Files in the run's own folder."
    required: tuple[str, ...] = ()

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "operation": {
                "enum": sorted(OPERATIONS),
                "description": "What it does, where the tool's own name does not say so.",
            }
        }

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        return "Files have no use for secrets." if secrets else ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return False

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        name = str(context.settings.get("operation") or context.name.casefold())
        work = OPERATIONS.get(name)
        if work is None:
            known = ", ".join(sorted(OPERATIONS))
            raise ToolFailed(f"{context.name!r} names no operation; its binding has to: {known}.")
        root = await context.workspace()
        for folder in context.within if name in WRITING else ():
            _check_within(root, folder, arguments)
        return await asyncio.to_thread(work, root, arguments)


def _read(root: Path, arguments: Mapping[str, Any]) -> str:
    said, path = _file(root, arguments)
    lines = workspace.read(path, said).splitlines(keepends=True)
    first = max(int_argument(arguments, "offset", 1), 1)
    count = min(int_argument(arguments, "limit", MAX_LINES), MAX_LINES)
    shown = lines[first - 1 : first - 1 + count]
    left = len(lines) - (first - 1) - len(shown)
    note = f"… {left:,} more lines\n" if left > 0 else ""
    return "".join(shown) + note


def _write(root: Path, arguments: Mapping[str, Any]) -> str:
    said, path = _file(root, arguments)
    text = text_argument(arguments, "content")
    workspace.write(root, path, said, text)
    return f"Wrote {len(text):,} characters to {said}."


def _edit(root: Path, arguments: Mapping[str, Any]) -> str:
    said, path = _file(root, arguments)
    workspace.write(root, path, said, _replace(workspace.read(path, said), arguments))
    return f"Changed {said}."


def _edits(root: Path, arguments: Mapping[str, Any]) -> str:
    said, path = _file(root, arguments)
    changes = arguments.get("edits")
    if not isinstance(changes, list) or not all(isinstance(one, Mapping) for one in changes):
        raise ToolFailed("`edits` is a list of changes.")
    text = workspace.read(path, said)
    for change in changes:
        text = _replace(text, change)
    workspace.write(root, path, said, text)
    return f"Made {len(changes)} changes in {said}."


def _replace(text: str, change: Mapping[str, Any]) -> str:
    old, new = text_argument(change, "old_string"), text_argument(change, "new_string")
    count = text.count(old) if old else 0
    if not count:
        raise ToolFailed("The text to replace is not in the file.")
    if count > 1 and change.get("replace_all") is not True:
        raise ToolFailed(f"The text to replace is there {count} times; say more of it.")
    if len(text) + count * (len(new) - len(old)) > workspace.MAX_FILE:
        raise ToolFailed("The file would become too large.")
    return text.replace(old, new)


def _delete(root: Path, arguments: Mapping[str, Any]) -> str:
    """A link is deleted itself, not what it leads to. A file that is not there is deleted too."""
    said = text_argument(arguments, "file_path", "path", "filePath")
    if "\0" in said:
        raise ToolFailed("This is no path.")
    folder, name = posixpath.split(posixpath.normpath(said))
    path = workspace.inside(root, folder or ".") / name
    if name in ("", ".", "..") or (path.is_dir() and not path.is_symlink()):
        raise ToolFailed(f"“{said[:200]}” is a folder.")
    try:
        path.unlink(missing_ok=True)
    except OSError as cannot:
        raise ToolFailed(f"“{said[:200]}” cannot be deleted: {cannot.strerror}.") from None
    return f"Deleted {said[:200]}."


def _check_within(root: Path, within: str, arguments: Mapping[str, Any]) -> None:
    """Raises ToolFailed where links lead a path, or the folder itself, out of `within`."""
    said, path = _file(root, arguments)
    if not path.is_relative_to(root.resolve() / within):
        raise ToolFailed(f"“{said}” leads out of {within}/, where nothing may be written.")


def _found(root: Path, arguments: Mapping[str, Any]) -> list[Path]:
    try:
        return sorted(_folder(root, arguments).iterdir())
    except OSError as cannot:
        raise ToolFailed(f"This folder cannot be read: {cannot.strerror}.") from None


def _entries(root: Path, arguments: Mapping[str, Any]) -> str:
    """A folder as JSON, `[{name, type}]` with `dir` or `file`."""
    found = _found(root, arguments)[:MAX_LINES]
    kinds = [{"name": path.name, "type": "dir" if path.is_dir() else "file"} for path in found]
    return json.dumps(kinds, ensure_ascii=False)


def _list(root: Path, arguments: Mapping[str, Any]) -> str:
    found = _found(root, arguments)
    names = [f"{path.name}/" if path.is_dir() else path.name for path in found]
    return _lines(names)


def _glob(root: Path, arguments: Mapping[str, Any]) -> str:
    folder = _folder(root, arguments)
    fits = workspace.matcher(text_argument(arguments, "pattern"))
    names = [path.relative_to(folder).as_posix() for path in workspace.walk(folder)]
    return _lines([_from_root(root, folder / name) for name in names if fits.fullmatch(name)])


def _grep(root: Path, arguments: Mapping[str, Any]) -> str:
    said = text_argument(arguments, "pattern")
    if len(said) > 1_000:
        raise ToolFailed("This expression is too long.")
    try:
        expression = regex.compile(said)  # type: ignore[no-untyped-call]
    except (regex.error, RecursionError, OverflowError) as wrong:
        raise ToolFailed(f"This is no regular expression: {wrong}.") from None
    only = text_argument(arguments, "glob", "include", default="")
    start = _folder(root, arguments)
    hits: list[str] = []
    until = time.monotonic() + SEARCH_SECONDS
    for path in [start] if start.is_file() else workspace.walk(start):
        if not only or fnmatch.fnmatchcase(path.name, only.rpartition("/")[2]):
            hits += _hits(expression, path, _from_root(root, path), until)
        if len(hits) > MAX_LINES:
            break
    return _lines(hits)


def _hits(expression: Any, path: Path, said: str, until: float) -> list[str]:
    try:
        lines = workspace.read(path, said).splitlines()
    except ToolFailed:
        return []
    found = []
    for number, line in enumerate(lines, start=1):
        left = until - time.monotonic()
        try:
            if left <= 0:
                raise TimeoutError
            if expression.search(line, timeout=left, concurrent=True):
                found.append(f"{said}:{number}:{line[:500]}")
        except TimeoutError:
            raise ToolFailed("The search took too long; make the expression simpler.") from None
    return found


def _lines(lines: list[str]) -> str:
    kept = lines[:MAX_LINES]
    more = len(lines) - len(kept)
    return "\n".join([*kept, f"… {more:,} more"] if more else kept) or "Nothing found."


def _file(root: Path, arguments: Mapping[str, Any]) -> tuple[str, Path]:
    said = text_argument(arguments, "file_path", "path", "filePath")
    return said[:200], workspace.inside(root, said)


def _folder(root: Path, arguments: Mapping[str, Any]) -> Path:
    return workspace.inside(root, text_argument(arguments, "path", "folder", default="."))


def _from_root(root: Path, path: Path) -> str:
    return path.relative_to(root.resolve()).as_posix()


OPERATIONS: dict[str, Work] = {
    "read": _read,
    "write": _write,
    "edit": _edit,
    "multi-edit": _edits,
    "delete": _delete,
    "list": _list,
    "entries": _entries,
    "glob": _glob,
    "grep": _grep,
}

WRITING = ("write", "edit", "multi-edit", "delete")

TOOL = Files()
