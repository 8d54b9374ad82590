"""The history of a pack: its revisions, and the difference of two of them."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.db.models import QuerySet

from roles.core.line_diff import unified_lines
from workflows.core.compare.difference import Changes, difference
from workflows.core.pack.files import Files
from workflows.errors import NotThere
from workflows.models import Pack, Revision
from workflows.selectors.graph_differences import keys
from workflows.selectors.sources import opened
from workflows.selectors.work_limits import limited

CONTEXT = 3
MOST_LINES = 12_000
MOST_CHARACTERS = 1_000_000
"""Of the lines of both texts that a difference is made of."""
"""Maximum number of lines between the first and the last difference that are compared line by line.
"""


def revisions(pack: Pack) -> QuerySet[Revision]:
    """Revisions, newest first."""
    return Revision.objects.filter(pack=pack).select_related("author").order_by("-number")


def revision_json(revision: Revision) -> dict[str, Any]:
    return {
        "number": revision.number,
        "kind": revision.kind,
        "author": revision.author.get_username() if revision.author else "",
        "summary": revision.summary,
        "name": revision.name,
        "undoes": revision.undoes,
        "created_at": revision.created_at.isoformat(),
    }


def file_list(pack: Pack, number: int | None = None) -> list[dict[str, Any]]:
    """Path, size and text flag of each file, main file first."""
    files = opened(pack, number).files
    return [
        {"path": path, "size": len(data), "text": _text(data) is not None}
        for path, data in sorted(files.items(), key=lambda item: (item[0] != pack.main, item[0]))
    ]


def file_text(pack: Pack, path: str, number: int | None = None) -> dict[str, Any]:
    """One file's text, or `binary` if it is not UTF-8. Raises NotThere."""
    data = opened(pack, number).files.get(path)
    if data is None:
        raise NotThere(f"This pack has no file {path!r}.", where="path")
    text = _text(data)
    about = {"path": path, "revision": pack.head if number is None else number}
    return {**about, "binary": True} if text is None else {**about, "text": text}


def diff(pack: Pack, start: int, end: int) -> dict[str, Any]:
    """Texts and elements that differ between two revisions."""
    old, new = opened(pack, start), opened(pack, end)
    before, after = old.under(pack.profile), new.under(pack.profile)
    size = old.files.size + new.files.size
    compare = partial(difference, new.dialect, old.source, new.source, pack.profile)
    readable = old.source.readable and new.source.readable
    meaning = limited("Comparing these revisions", size, compare) if readable else None
    files = partial(file_differences, old.files, new.files)
    return {
        "files": limited("Comparing these files", size, files),
        "states": _with_renames(
            keys(before.states, after.states), meaning.states if meaning else Changes()
        ),
        "transitions": _with_renames(
            keys(before.transitions, after.transitions),
            meaning.transitions if meaning else Changes(),
        ),
    }


def _with_renames(drawn: dict[str, list[str]], meaning: Changes) -> dict[str, Any]:
    """Changes of the drawing and the files, with renamed elements as pairs. Transitions that only
    follow a renamed state stay in `added` and `removed`: their ids differ."""
    was, now = (
        (set(side) for side in zip(*meaning.renamed, strict=True))
        if meaning.renamed
        else (
            set(),
            set(),
        )
    )
    changed = dict.fromkeys([*drawn["changed"], *meaning.changed])
    return {
        "added": [one for one in drawn["added"] if one not in now],
        "removed": [one for one in drawn["removed"] if one not in was],
        "changed": [one for one in changed if one not in now],
        "renamed": [{"was": one, "now": other} for one, other in meaning.renamed],
    }


def file_differences(old: Files, new: Files) -> list[dict[str, str]]:
    """One entry per differing file: its path and a unified diff."""
    return [
        {"path": path, "diff": unified(path, old.get(path), new.get(path))}
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path)
    ]


def unified(path: str, old: bytes | None, new: bytes | None) -> str:
    """A unified diff; for a binary file, a sentence."""
    before, after = _text(old or b""), _text(new or b"")
    if before is None or after is None:
        return f"{path} is not text; it has {len(new or b''):,} bytes now.\n"
    old_lines, new_lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
    same = _same_start(old_lines, new_lines)
    rest = min(len(old_lines), len(new_lines)) - same
    tail = min(_same_start(old_lines[::-1], new_lines[::-1]), rest)
    start, stop = max(same - CONTEXT, 0), max(tail - CONTEXT, 0)
    old_part = old_lines[start : len(old_lines) - stop]
    new_part = new_lines[start : len(new_lines) - stop]
    from_name = "/dev/null" if old is None else f"a/{path}"
    to_name = "/dev/null" if new is None else f"b/{path}"
    many = len(old_part) + len(new_part) > MOST_LINES
    if many or sum(map(len, old_part)) + sum(map(len, new_part)) > MOST_CHARACTERS:
        return f"--- {from_name}\n+++ {to_name}\nToo much differs to show line by line.\n"
    lines = unified_lines(old_part, new_part, from_name, to_name, context=CONTEXT)
    return "".join(_ended(_moved(line, start)) for line in lines)


def _moved(line: str, by: int) -> str:
    """A hunk header with line numbers of the whole file instead of the compared part."""
    if not line.startswith("@@ ") or not by:
        return line
    _, old, new, rest = line.split(" ", 3)
    return f"@@ {_shifted(old, by)} {_shifted(new, by)} {rest}"


def _shifted(span: str, by: int) -> str:
    first, comma, count = span[1:].partition(",")
    return f"{span[0]}{int(first) + by}{comma}{count}"


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _same_start(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _text(data: bytes) -> str | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
