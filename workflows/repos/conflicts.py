"""Conflicts of a three-way merge by element, and the files that decisions about them make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.actions.file_merge import shown
from workflows.core.merge.decisions import BadChoice, Choice, ValueConflict
from workflows.core.merge.files import FileMerge
from workflows.core.pack.files import BadFiles, Files
from workflows.core.pack.text_ranges import TextRange
from workflows.errors import BadRequest, Conflict
from workflows.models import Pack
from workflows.opened_packs.pack_work import on_pack
from workflows.opened_packs.view import Opened, View
from workflows.selectors.sources import read


@dataclass(frozen=True, slots=True, kw_only=True)
class FileConflict:
    """A file that needs one decision as a whole, such as one that one side deleted and the other
    changed."""

    base: bytes | None
    mine: bytes | None
    theirs: bytes | None


Part = FileMerge | FileConflict | bytes | None
"""A merge of a file, a conflict about the whole file, or a file that one side has alone, None for
one that goes."""
Parts = Mapping[str, Part]


def conflict_count(part: Part) -> int:
    """The number of places of a file that need a decision."""
    if isinstance(part, FileConflict):
        return 1
    return len(part.conflicts) if isinstance(part, FileMerge) else 0


def conflicts_json(
    parts: Parts, view: View, main: str, back: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """The conflicts, each with the element that has it. `back`: path → path in the view's pack, for
    renamed files."""
    found: list[dict[str, Any]] = []
    for path, part in parts.items():
        if isinstance(part, FileConflict):
            found.append(
                {
                    "id": f"{path}:0",
                    "path": path,
                    "line": 1,
                    "element": "pack" if path == main else "",
                    "value": "",
                    "whole_file": True,
                    "can_take_both": False,
                    "base": _text(part.base),
                    "mine": None if part.mine is None else _text(part.mine),
                    "theirs": None if part.theirs is None else _text(part.theirs),
                }
            )
            continue
        if not isinstance(part, FileMerge) or not part.conflicts:
            continue
        elements = _Elements(view, (back or {}).get(path, path))
        for number, one in enumerate(part.conflicts):
            found.append(
                {
                    "id": f"{path}:{number}",
                    "path": path,
                    "line": one.line,
                    "element": elements.at(one),
                    "value": one.value,
                    "whole_file": False,
                    "can_take_both": one.both,
                    "base": _text(one.base),
                    "mine": None if one.mine is None else _text(one.mine),
                    "theirs": None if one.theirs is None else _text(one.theirs),
                }
            )
    return found


def decided(parts: Parts, choices: Mapping[str, Choice]) -> Files:
    """The merged files. Raises Conflict for a missing choice and BadRequest for a wrong one."""
    files: dict[str, bytes] = {}
    for path, part in parts.items():
        if part is None:
            continue
        if isinstance(part, FileConflict):
            data = _chosen_file(part, _choice(choices, f"{path}:0", path))
            if data is not None:
                files[path] = data
            continue
        files[path] = part if isinstance(part, bytes) else _chosen(part, choices)
    try:
        return Files.of(files)
    except BadFiles as bad:
        raise Conflict(
            f"The merged files cannot be stored. {bad.message}", where=bad.where
        ) from bad


def read_decided(pack: Pack, head: Opened, files: Files) -> Opened:
    """The pack with these files. Raises Conflict if only the head can be read."""
    after = read(pack.pk, head.dialect, files)
    if head.readable and not after.readable:
        first = after.drawn.problems[0] if after.drawn.problems else None
        raise Conflict(
            f"With these choices the pack cannot be read. {first.message if first else ''}".strip(),
            hint="Nothing was saved. Choose otherwise, or edit the text.",
            where=first.place.path if first else pack.main,
        )
    return after


class _Elements:
    """The drawn elements of a file of the pack by line."""

    def __init__(self, view: View, path: str) -> None:
        self._ranges: list[TextRange] = []
        if view.readable:
            what = "Finding the elements of this file"
            self._ranges = on_pack(what, "ranges", view.dialect, view.files, view.profile, path)

    def at(self, conflict: ValueConflict) -> str:
        """The innermost element that has the conflict, a drawn one before others; "" for none."""
        first, last = conflict.line, conflict.last_line
        holding = [
            one for one in self._ranges if one.first.line <= first and last <= one.last.line
        ] or [
            one for one in self._ranges if first <= one.first.line <= last
        ]  # fmt: skip
        by_size = sorted(holding, key=lambda one: one.end - one.start)
        drawn = [one for one in by_size if one.element.startswith(("state:", "transition:"))]
        return next((one.element for one in [*drawn, *by_size]), "")


def _choice(choices: Mapping[str, Choice], id: str, path: str) -> Choice:
    choice = choices.get(id)
    if choice is None:
        raise Conflict(
            f"Both sides changed the same place in {path}.",
            hint="Choose a version for each conflict.",
            where=path,
        )
    return choice


def _chosen(part: FileMerge, choices: Mapping[str, Choice]) -> bytes:
    numbers = range(len(part.conflicts))
    chosen = {n: _choice(choices, f"{part.path}:{n}", part.path) for n in numbers}
    if not all({"take", "text"} & choice.keys() for choice in chosen.values()):
        raise BadRequest("A choice is mine, theirs, both, or a text.", where="choices")
    try:
        return part.resolved(chosen)
    except BadChoice as bad:
        hint = "Nothing was saved. Choose otherwise."
        raise Conflict(str(bad), hint=hint, where=part.path) from bad


def _chosen_file(part: FileConflict, choice: Choice) -> bytes | None:
    match choice.get("take"):
        case "mine":
            return part.mine
        case "theirs":
            return part.theirs
    if "text" not in choice:
        raise BadRequest("A choice for a whole file is mine, theirs, or a text.", where="choices")
    return choice["text"].encode()


def _text(data: bytes | None) -> str:
    if data is None:
        return ""
    return data.decode(errors="replace") if len(data) <= 20_000 else shown(data)
