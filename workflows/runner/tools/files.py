"""Files of the run's own folder, and of no other place."""

from __future__ import annotations

import asyncio
import fnmatch
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import regex

from workflows.runner.tools import places
from workflows.runner.tools.base import Context, ToolFailed, text_of, whole_of

MOST_LINES = 2_000
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
        return {"operation": {"enum": sorted(OPERATIONS)}}

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        return "Files have no use for secrets." if secrets else ""

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        name = str(context.settings.get("operation") or context.name.casefold())
        work = OPERATIONS.get(name)
        if work is None:
            known = ", ".join(sorted(OPERATIONS))
            raise ToolFailed(f"{context.name!r} names no operation; its binding has to: {known}.")
        return await asyncio.to_thread(work, await context.workspace(), arguments)


def _read(root: Path, arguments: Mapping[str, Any]) -> str:
    said, path = _file(root, arguments)
    lines = places.read(path, said).splitlines(keepends=True)
    first = max(whole_of(arguments, "offset", 1), 1)
    count = min(whole_of(arguments, "limit", MOST_LINES), MOST_LINES)
    shown = lines[first - 1 : first - 1 + count]
    left = len(lines) - (first - 1) - len(shown)
    note = f"… {left:,} more lines\n" if left > 0 else ""
    return "".join(shown) + note


def _write(root: Path, arguments: Mapping[str, Any]) -> str:
    said, path = _file(root, arguments)
    text = text_of(arguments, "content")
    places.write(root, path, said, text)
    return f"Wrote {len(text):,} characters to {said}."


def _edit(root: Path, arguments: Mapping[str, Any]) -> str:
    said, path = _file(root, arguments)
    places.write(root, path, said, _replaced(places.read(path, said), arguments))
    return f"Changed {said}."


def _edits(root: Path, arguments: Mapping[str, Any]) -> str:
    said, path = _file(root, arguments)
    changes = arguments.get("edits")
    if not isinstance(changes, list) or not all(isinstance(one, Mapping) for one in changes):
        raise ToolFailed("`edits` is a list of changes.")
    text = places.read(path, said)
    for change in changes:
        text = _replaced(text, change)
    places.write(root, path, said, text)
    return f"Made {len(changes)} changes in {said}."


def _replaced(text: str, change: Mapping[str, Any]) -> str:
    old, new = text_of(change, "old_string"), text_of(change, "new_string")
    count = text.count(old) if old else 0
    if not count:
        raise ToolFailed("The text to replace is not in the file.")
    if count > 1 and change.get("replace_all") is not True:
        raise ToolFailed(f"The text to replace is there {count} times; say more of it.")
    if len(text) + count * (len(new) - len(old)) > places.LARGEST:
        raise ToolFailed("The file would become too large.")
    return text.replace(old, new)


def _list(root: Path, arguments: Mapping[str, Any]) -> str:
    folder = _folder(root, arguments)
    try:
        found = sorted(folder.iterdir())
    except OSError as cannot:
        raise ToolFailed(f"This folder cannot be read: {cannot.strerror}.") from None
    names = [f"{path.name}/" if path.is_dir() else path.name for path in found]
    return _lines(names)


def _glob(root: Path, arguments: Mapping[str, Any]) -> str:
    folder = _folder(root, arguments)
    fits = places.matcher(text_of(arguments, "pattern"))
    names = [path.relative_to(folder).as_posix() for path in places.walk(folder)]
    return _lines([_from_root(root, folder / name) for name in names if fits.fullmatch(name)])


def _grep(root: Path, arguments: Mapping[str, Any]) -> str:
    said = text_of(arguments, "pattern")
    if len(said) > 1_000:
        raise ToolFailed("This expression is too long.")
    try:
        expression = regex.compile(said)  # type: ignore[no-untyped-call]
    except (regex.error, RecursionError, OverflowError) as wrong:
        raise ToolFailed(f"This is no regular expression: {wrong}.") from None
    only = text_of(arguments, "glob", "include", default="")
    start = _folder(root, arguments)
    hits: list[str] = []
    until = time.monotonic() + SEARCH_SECONDS
    for path in [start] if start.is_file() else places.walk(start):
        if not only or fnmatch.fnmatchcase(path.name, only.rpartition("/")[2]):
            hits += _hits(expression, path, _from_root(root, path), until)
        if len(hits) > MOST_LINES:
            break
    return _lines(hits)


def _hits(expression: Any, path: Path, said: str, until: float) -> list[str]:
    try:
        lines = places.read(path, said).splitlines()
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
    kept = lines[:MOST_LINES]
    more = len(lines) - len(kept)
    return "\n".join([*kept, f"… {more:,} more"] if more else kept) or "Nothing found."


def _file(root: Path, arguments: Mapping[str, Any]) -> tuple[str, Path]:
    said = text_of(arguments, "file_path", "path", "filePath")
    return said[:200], places.inside(root, said)


def _folder(root: Path, arguments: Mapping[str, Any]) -> Path:
    return places.inside(root, text_of(arguments, "path", "folder", default="."))


def _from_root(root: Path, path: Path) -> str:
    return path.relative_to(root.resolve()).as_posix()


OPERATIONS: dict[str, Work] = {
    "read": _read,
    "write": _write,
    "edit": _edit,
    "multi-edit": _edits,
    "list": _list,
    "glob": _glob,
    "grep": _grep,
}

TOOL = Files()
