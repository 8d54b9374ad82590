"""The first line of a prompt, as its card shows it."""

from __future__ import annotations

import re

MOST_LETTERS = 80
READ = 2_000
"""Only the beginning of a prompt is read."""

FRONTMATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
HEADING = re.compile(r"^#{1,6}\s")
MARKS = re.compile(r"^(#{1,6}|[-*>])\s+")
INSERTED = re.compile(r"^(\{\{[^{}]*\}\}\s*)+$")


def first_line(text: object) -> str:
    """The first line with words of its own: no frontmatter, no marks of Markdown, and no line that
    only inserts fragments. A heading (“Role”) counts only if no text follows, which is clearer.
    "" if there is none."""
    if not isinstance(text, str):
        return ""
    start = FRONTMATTER.sub("", text[:READ])
    lines = [line.strip() for line in start.splitlines()]
    written = [line for line in lines if line and not INSERTED.match(line)]
    texts = [line for line in written if not HEADING.match(line)]
    line = MARKS.sub("", (texts or written)[0]) if written else ""
    return line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 1].rstrip()}…"
