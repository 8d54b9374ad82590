"""Changes of files that are applied once, also if their call is repeated after a crash.

The new content is recorded before the file is written. A repeated call finishes the recorded change
instead of computing another one: a second `edit` would replace the text again, or not find it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from workflows.runner.effect_journal import EffectJournal
from workflows.runner.tools import workspace
from workflows.runner.tools.base import ToolFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """The new text of a file. `name` is its path as the model wrote it."""

    path: Path
    name: str
    text: str
    result: str


def apply_once(root: Path, journal: EffectJournal | None, change: Callable[[], FileChange]) -> str:
    """Compute the change and write the file, or finish what the journal has. Returns the result of
    the call. Raises ToolFailed."""
    if journal is None:
        return _write(root, change())
    begun = journal.read()
    if begun is not None:
        return _finish(root, journal, begun)
    fresh = change()
    record = {
        "path": fresh.path.relative_to(root.resolve()).as_posix(),
        "name": fresh.name,
        "before": _digest(_content(fresh.path, fresh.name)),
        "text": fresh.text,
        "result": fresh.result,
    }
    _record(journal, record)
    _write(root, fresh)
    _record(journal, {"result": fresh.result})
    return fresh.result


def _finish(root: Path, journal: EffectJournal, begun: Mapping[str, Any]) -> str:
    """The result of a change that was begun. Its file may be written in part."""
    result = str(begun["result"])
    if "text" not in begun:
        return result
    change = FileChange(
        path=workspace.inside(root, begun["path"]),
        name=begun["name"],
        text=begun["text"],
        result=result,
    )
    now, wanted = _content(change.path, change.name), _encoded(change.text)
    if now != wanted:
        if _digest(now) != begun["before"] and not wanted.startswith(now or b""):
            raise ToolFailed(
                f"This change of “{change.name}” was interrupted, and the file was changed since. "
                "Read the file again."
            )
        _write(root, change)
    _record(journal, {"result": result})
    return result


def _write(root: Path, change: FileChange) -> str:
    workspace.write(root, change.path, change.name, change.text)
    return change.result


def _record(journal: EffectJournal, record: Mapping[str, Any]) -> None:
    try:
        journal.write(record)
    except OSError as error:
        raise ToolFailed(f"The change cannot be recorded: {error.strerror}.") from None


def _content(path: Path, name: str) -> bytes | None:
    """The bytes of a file; None if there is none."""
    return workspace.read_bytes(path, name) if path.exists() else None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _digest(content: bytes | None) -> str:
    return "" if content is None else sha256(content).hexdigest()
