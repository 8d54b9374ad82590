"""Conflicts of a merged file, and the choices that decide them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workflows.core.merge.values import ABSENT
from workflows.core.text.json.pointer import Pointer, pointer_text

Choice = Mapping[str, str]
"""`{"take": "mine" | "theirs" | "both"}` or `{"text": …}`."""
Lines = tuple[int, int]
"""The first and the last line of a value."""


class BadChoice(ValueError):
    """A choice that cannot be made for a conflict. The text is a message for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueConflict:
    """A value, or some lines of a text, that both sides changed differently. `value` is a JSON
    Pointer, "" for a text file; the lines count in mine, from 1; None: that side has no such value.
    """

    value: str
    line: int
    last_line: int
    base: bytes | None
    mine: bytes | None
    theirs: bytes | None
    both: bool

    @property
    def name(self) -> str:
        return self.value or "the same lines"


@dataclass(slots=True)
class FileDecisions:
    """The conflicts in their order, and the choices by their number. Mine without a choice."""

    lines_of: Callable[[Pointer], Lines]
    choices: Mapping[int, Choice] = field(default_factory=dict)
    found: list[ValueConflict] = field(default_factory=list)

    def value(self, at: Pointer, base: Any, mine: Any, theirs: Any, both: Any = ABSENT) -> Any:
        options = {"mine": mine, "theirs": theirs, "both": both}
        first, last = self.lines_of(at)
        choice = self._choice(
            ValueConflict(
                value=pointer_text(at),
                line=first,
                last_line=last,
                base=_json(base),
                mine=_json(mine),
                theirs=_json(theirs),
                both=both is not ABSENT,
            )
        )
        if "take" in choice:
            return options[choice["take"]]
        try:
            value = json.loads(choice["text"])
        except (ValueError, RecursionError):
            raise BadChoice(f"The text for {pointer_text(at)} is not JSON.") from None
        if isinstance(mine, list) and isinstance(theirs, list) and not isinstance(value, list):
            raise BadChoice(f"The text for {pointer_text(at)} is not a list.")
        return value

    def text(self, at: Pointer, line: int, base: str, mine: str, theirs: str) -> str:
        prose = all(" " in text or "\n" in text for text in (mine.strip(" "), theirs.strip(" ")))
        return self._lines(pointer_text(at), self.lines_of(at), base, mine, theirs, both=prose)

    def lines(self, line: int, base: str, mine: str, theirs: str) -> str:
        """Some lines of a file."""
        first = self.lines_of(())[0] + line
        last = first + max(mine.count("\n") - 1, 0)
        return self._lines("", (first, last), base, mine, theirs, both=True)

    def _lines(
        self, value: str, lines: Lines, base: str, mine: str, theirs: str, *, both: bool
    ) -> str:
        choice = self._choice(
            ValueConflict(
                value=value, line=lines[0], last_line=lines[1], base=_bytes(base),
                mine=_bytes(mine), theirs=_bytes(theirs), both=both,
            )
        )  # fmt: skip
        match choice.get("take"):
            case "mine":
                return mine
            case "theirs":
                return theirs
            case "both":
                gap = "\n" if mine and theirs and not mine.endswith("\n") else ""
                return mine + gap + theirs
        text, ends = choice["text"], mine.endswith("\n") or theirs.endswith("\n")
        return text + "\n" if ends and text and not text.endswith("\n") else text

    def _choice(self, conflict: ValueConflict) -> Choice:
        choice = self.choices.get(len(self.found), {"take": "mine"})
        self.found.append(conflict)
        if choice.get("take") == "both" and not conflict.both:
            raise BadChoice(f"{conflict.name} has one value. Choose mine, theirs, or a text.")
        return choice


def _json(value: Any) -> bytes | None:
    if value is ABSENT:
        return None
    return _bytes(json.dumps(value, ensure_ascii=False, indent=2))


def _bytes(text: str) -> bytes:
    return text.encode(errors="replace")
