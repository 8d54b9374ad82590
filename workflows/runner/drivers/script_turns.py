"""Assignment of a script's entries to the answers of a run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workflows.core.engine.answer_history import AnswerHistory

UsedCounts = Mapping[str | None, int]
"""Number of used entries by state; under None for the entries of any state."""


class Turns:
    """One list of a script. Every answer uses the first free entry for its state or for any state.

    The counts after the latest answers are cached: the next request is mostly from the same run,
    one answer later, and a long script would otherwise be processed again at every step.
    """

    def __init__(self, entries: Sequence[Mapping[str, Any]]) -> None:
        self._numbers: dict[str | None, list[int]] = {}
        for number, entry in enumerate(entries):
            self._numbers.setdefault(entry.get("state"), []).append(number)
        self._cached: tuple[AnswerHistory, UsedCounts] = (AnswerHistory(), {})

    def after(self, answered: AnswerHistory) -> UsedCounts:
        """Counts after these states were answered, in this order."""
        earlier, used = self._cached
        later = answered.since(earlier)
        if later is None:
            used, later = {}, iter(answered)
        used = self.use(used, later)
        self._cached = (answered, used)
        return used

    def use(self, used: UsedCounts, states: Iterable[str]) -> UsedCounts:
        """Counts after these states have used an entry each as well."""
        after = dict(used)
        for state in states:
            first = self._first(after, state)
            if first is not None:
                after[first[1]] = after.get(first[1], 0) + 1
        return after

    def next(self, used: UsedCounts, state: str) -> int | None:
        """Index of the entry that this state uses next. None if none is left."""
        first = self._first(used, state)
        return None if first is None else first[0]

    def last(self, state: str) -> int | None:
        """Index of the last entry for this state, used or not."""
        lists = [self._numbers[key] for key in (state, None) if key in self._numbers]
        return max((numbers[-1] for numbers in lists), default=None)

    def _first(self, used: UsedCounts, state: str) -> tuple[int, str | None] | None:
        first: tuple[int, str | None] | None = None
        for key in (state, None):
            numbers, count = self._numbers.get(key, ()), used.get(key, 0)
            if count < len(numbers) and (first is None or numbers[count] < first[0]):
                first = (numbers[count], key)
        return first
