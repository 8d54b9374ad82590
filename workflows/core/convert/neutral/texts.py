"""Prompts as alternating texts and placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

RefKind: TypeAlias = Literal["input", "slot", "fragment", "came", "state", "run"]


@dataclass(frozen=True, slots=True)
class Ref:
    """A placeholder. input: an input value of the run. slot: a value that a state stored. fragment:
    a text of the pack. came: the result of the previous state, `name` is a path into it. state: the
    `id` or `name` of the state. run: a value of the running engine."""

    kind: RefKind
    name: str


Text: TypeAlias = tuple[str | Ref, ...]
"""A prompt: pieces of text and placeholders."""


def joined(pieces: Iterable[str | Ref]) -> Text:
    """The pieces with adjacent texts merged and empty ones removed."""
    result: list[str | Ref] = []
    for piece in pieces:
        if isinstance(piece, str) and result and isinstance(result[-1], str):
            result[-1] += piece
        elif piece:
            result.append(piece)
    return tuple(result)


def stripped(text: Text) -> Text:
    """The text without blank lines at its ends."""
    pieces = list(text)
    if pieces and isinstance(pieces[0], str):
        pieces[0] = re.sub(r"\A(?:[ \t]*(?:\r\n|\n|\r))+", "", pieces[0])
    if pieces and isinstance(pieces[-1], str):
        pieces[-1] = pieces[-1].rstrip()
    return joined(pieces)


def refs(text: Text) -> tuple[Ref, ...]:
    """The placeholders of a text, each once."""
    return tuple(dict.fromkeys(piece for piece in text if isinstance(piece, Ref)))


def mentions(text: Text, name: str) -> bool:
    """True if a prompt contains the name in quotes or as code."""
    wanted = {f"{quote}{name}{quote}" for quote in ("`", '"', "'")}
    return any(isinstance(piece, str) and any(w in piece for w in wanted) for piece in text)
