"""Whose turn which entry of a script is. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workflows.core.engine.answer_history import AnswerHistory

Gone = Mapping[str | None, int]
"""How many entries are gone of those for a state; under None of those for any state."""


class Turns:
    """One list of a script. Every answer takes the first entry left that is for its state or any.

    Where the answers so far have led to is kept: the next question is mostly that of the same run
    one answer later, and a long script would otherwise be gone through again at every step.
    """

    def __init__(self, entries: Sequence[Mapping[str, Any]]) -> None:
        self._numbers: dict[str | None, list[int]] = {}
        for number, entry in enumerate(entries):
            self._numbers.setdefault(entry.get("state"), []).append(number)
        self._kept: tuple[AnswerHistory, Gone] = (AnswerHistory(), {})

    def after(self, answered: AnswerHistory) -> Gone:
        """What is gone when these states were answered, in this order."""
        earlier, gone = self._kept
        later = answered.since(earlier)
        if later is None:
            gone, later = {}, iter(answered)
        gone = self.taken(gone, later)
        self._kept = (answered, gone)
        return gone

    def taken(self, gone: Gone, states: Iterable[str]) -> Gone:
        """What is gone when these states have taken theirs as well."""
        after = dict(gone)
        for state in states:
            found = self._first(after, state)
            if found is not None:
                after[found[1]] = after.get(found[1], 0) + 1
        return after

    def next(self, gone: Gone, state: str) -> int | None:
        """Number of the entry that this state takes then, from 0. None where none is left."""
        found = self._first(gone, state)
        return None if found is None else found[0]

    def last(self, state: str) -> int | None:
        """Number of the last entry for this state, gone or not."""
        lists = [self._numbers[whose] for whose in (state, None) if whose in self._numbers]
        return max((numbers[-1] for numbers in lists), default=None)

    def _first(self, gone: Gone, state: str) -> tuple[int, str | None] | None:
        found: tuple[int, str | None] | None = None
        for whose in (state, None):
            numbers, past = self._numbers.get(whose, ()), gone.get(whose, 0)
            if past < len(numbers) and (found is None or numbers[past] < found[0]):
                found = (numbers[past], whose)
        return found
