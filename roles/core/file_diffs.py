"""Unified diffs of files, within limits."""

from __future__ import annotations

from collections.abc import Mapping

from roles.core.line_diff import unified_lines

CONTEXT = 3
MOST_LINES = 12_000
"""Maximum number of lines between the first and the last difference that are compared line by line.
"""
MOST_CHARACTERS = 1_000_000
"""Of the lines of both texts that a difference is made of."""


def file_differences(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> list[dict[str, str]]:
    """One entry per differing file: its path and a unified diff."""
    return [
        {"path": path, "diff": unified(path, old.get(path), new.get(path))}
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path)
    ]


def unified(path: str, old: bytes | None, new: bytes | None) -> str:
    """A unified diff; for a binary file, a sentence."""
    before, after = plain_text(old or b""), plain_text(new or b"")
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


def plain_text(data: bytes) -> str | None:
    """The text of a file; None for a binary one."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
