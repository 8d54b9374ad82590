"""Quotations from the five format documents, found by the words before them.

The documents are next to the third-party corpus, not in this repository.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from tests.support.corpus import CORPUS

FOLDER = CORPUS.parent / "specs" / "documents"
ELIDED = re.compile(r"\{ \.\.\. \}")
EDGE = re.compile(r"(\w+)(?:[\[({]+(.*?)[\])}]+)? -->\|(.*?)\| (\w+)(?:[\[({]+(.*?)[\])}]+)?$")


@cache
def document(name: str) -> str:
    """The text of a document."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def after(name: str, anchor: str) -> str:
    """The text after these words. Raises ValueError if the document does not have them."""
    _, found, rest = document(name).partition(anchor)
    if not found:
        raise ValueError(f"The document {name} does not say {anchor!r}.")
    return rest


def json_after(name: str, anchor: str) -> Any:
    """The first JSON object after a sentence. An elided object is empty."""
    text = ELIDED.sub("{}", after(name, anchor))
    return json.JSONDecoder().raw_decode(text[text.index("{") :])[0]


def member_after(name: str, anchor: str) -> Any:
    """The value of the first `"key": value` after a sentence, in a document whose examples are
    members without braces around them."""
    text = re.sub(r'^[^"]*"[^"]*":\s*', "", after(name, anchor), count=1)
    return json.JSONDecoder().raw_decode(text)[0]


def rows_after(name: str, anchor: str) -> list[tuple[str, ...]]:
    """The rows of the first table after these words, whose cells may be on lines of their own."""
    lines = after(name, anchor).splitlines()
    rule = next(number for number, line in enumerate(lines) if line.startswith("|---"))
    cells: list[str] = []
    for line, following in zip(lines[rule + 1 :], [*lines[rule + 2 :], ""], strict=True):
        if "|" not in line and following.strip() != "|":
            break
        cells += [cell.strip() for cell in line.split("|") if cell.strip()]
    width = lines[rule].count("---")
    assert len(cells) % width == 0, (name, anchor, cells)
    return [tuple(cells[at : at + width]) for at in range(0, len(cells), width)]


def fields_after(name: str, anchor: str) -> dict[str, tuple[str, str]]:
    """Field → type and "Yes" or "No", of a table that has a line for each of four cells."""
    lines = after(name, anchor).splitlines()
    at = next(number for number, line in enumerate(lines) if line in ("Yes", "No")) - 2
    found: dict[str, tuple[str, str]] = {}
    while at + 2 < len(lines) and lines[at + 2] in ("Yes", "No"):
        found[lines[at]] = (lines[at + 1], lines[at + 2])
        at += 4
    return found


def edges_after(name: str, anchor: str) -> list[tuple[str, str, str]]:
    """The arrows of the first Mermaid chart after a sentence: source, label, target."""
    names: dict[str, str] = {}
    arrows: list[tuple[str, str, str]] = []
    for line in after(name, anchor).splitlines():
        if line.strip().startswith("graph "):
            if arrows:
                break
            continue
        match = EDGE.fullmatch(line.strip())
        if match is None:
            if arrows:
                break
            continue
        source, source_name, label, target, target_name = match.groups()
        names.setdefault(source, source_name or source)
        names.setdefault(target, target_name or target)
        arrows.append((source, label, target))
    return [(names[source], label, names[target]) for source, label, target in arrows]
