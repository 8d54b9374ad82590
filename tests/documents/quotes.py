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
