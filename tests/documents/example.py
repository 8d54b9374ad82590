"""One example of a document, completed to a pack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Arrow = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """Two places of a document that contradict each other. The finding quotes `one` and `other`."""

    reason: str
    one: str
    other: str


@dataclass(frozen=True, kw_only=True)
class Completed:
    """A pack around an example: its files (text, or an object that is written as JSON), and what it
    shows. `path` is the file or folder that the command gets. `transitions` are those of the graph
    (None: not compared); `walk` is the path of a run with the script of `replies`, `commands` and
    `answers`. `admitted` are the only warnings, by code: the document contradicts itself."""

    files: Mapping[str, Any]
    path: str
    states: frozenset[str]
    transitions: frozenset[Arrow] | None
    walk: tuple[str, ...]
    replies: tuple[Mapping[str, Any], ...]
    commands: tuple[Mapping[str, Any], ...] = ()
    answers: tuple[Mapping[str, Any], ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    admitted: Mapping[str, Contradiction] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Example:
    """`place` is the document and its heading, `complete` makes the pack. It reads the document, so
    it is only called where the documents are."""

    place: str
    complete: Callable[[], Completed]
