"""Editing tasks of `tests/tasks`: packs, wishes, and the calls with which an agent carries them
out through the tools of `signalbox mcp`.

A task is an object: `wish`, the words of a user; `start`, a file or folder of
the corpus, or `sample:` and a sample; `pack`,
the path of the pack that the wish is about; `calls`, tools and arguments, to which the pack and its
revision are added. The result is exact: `changes` of the last answer, `bytes` removed from and
added to each file, and `findings`, the codes of new ones.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.corpus import SHIPPED
from workflows.core.dialects import dialects
from workflows.core.text import spans

FOLDER = Path(__file__).resolve().parents[1] / "tasks"
Call = Callable[..., Awaitable[dict[str, Any]]]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The last answer, and bytes: removed and added by file, of arguments and answers, and of the
    changed files as they were and as they are."""

    answer: dict[str, Any]
    bytes: dict[str, list[int]]
    exchanged: int
    read: int
    written: int

    @property
    def share(self) -> float:
        """Part of the bytes that reading and rewriting the changed files takes."""
        return self.exchanged / (self.read + self.written)


@dataclass(frozen=True, kw_only=True)
class EditingTask:
    name: str
    body: dict[str, Any]

    def prepare(self, folder: Path) -> dict[str, bytes]:
        """Copy the files of the task, and return them by path."""
        for path, data in self._start().items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        return files_of(folder)

    def _start(self) -> Mapping[str, bytes]:
        kind, _, name = self.body["start"].rpartition(":")
        if kind:
            dialect, _, sample = name.partition("/")
            return dialects()[dialect].samples()[sample]
        start = SHIPPED / name
        return files_of(start) if start.is_dir() else {self.body["pack"]: start.read_bytes()}

    async def carry_out(self, call: Call, folder: Path) -> Outcome:
        """The outcome of all calls. `call`: a tool by name, with its arguments."""
        before = self.prepare(folder)
        exchanged, answer = 0, dict[str, Any]()
        for tool, arguments in self.body["calls"]:
            whole = {"pack": self.body["pack"], **arguments}
            if tool == "apply":
                whole["revision"] = answer["revision"]
            answer = await call(tool, **whole)
            exchanged += size_of(whole) + size_of(answer)
        after = files_of(folder)
        changed = [path for path in {*before, *after} if before.get(path) != after.get(path)]
        return Outcome(
            answer=answer,
            bytes={path: _changed(before.get(path), after.get(path)) for path in sorted(changed)},
            exchanged=exchanged,
            read=sum(len(before.get(path, b"")) for path in changed),
            written=sum(len(after.get(path, b"")) for path in changed),
        )


def editing_tasks() -> list[EditingTask]:
    """Every task, by name."""
    return [
        EditingTask(name=file.stem, body=json.loads(file.read_text(encoding="utf-8")))
        for file in sorted(FOLDER.glob("*.json"))
    ]


def _changed(old: bytes | None, new: bytes | None) -> list[int]:
    """Bytes removed and added."""
    changes = spans.difference(old or b"", new or b"")
    removed = sum(end - start for start, end, _ in changes)
    return [removed, sum(len(text) for _, _, text in changes)]


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def size_of(body: Any) -> int:
    """Bytes of compact JSON, as the client and the server send it."""
    return len(json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode())
