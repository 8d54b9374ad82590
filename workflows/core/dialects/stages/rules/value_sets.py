"""The values for which conditions about one path are true, as sets that are quick to combine.

Samples represent all values: every other value gives the same results as one of them. A set of
samples is an integer with a bit for each of them, so a condition with thousands of values, or
thousands of conditions, cost one pass.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

from workflows.core.dialects.stages.format.predicates import subconditions
from workflows.core.text.tolerant import is_number

_OTHER = {"\x00": "a value that no condition mentions"}
_NO_NEIGHBOUR = 1e300
"""Numbers from here on have no sample next to them."""


class ValueSets:
    """The sets of conditions about the same path, all of them without problems.

    The samples are the mentioned values, values between and outside the ordered ones, one of
    another type, and a missing one. `more` are other values that the caller asks about.
    """

    def __init__(self, conditions: Iterable[Any], more: Iterable[Any] = ()) -> None:
        mentioned = {json_key(value): value for value in chain(_mentioned(conditions), more)}
        numbers = [value for value in mentioned.values() if is_number(value)]
        texts = [value for value in mentioned.values() if isinstance(value, str)]
        self._numbers = sorted({*numbers, *_numbers_between(numbers)})
        self._texts = sorted({*texts, *_texts_between(texts)})
        unordered = [
            value
            for value in mentioned.values()
            if not is_number(value) and not isinstance(value, str)
        ]
        samples = [_OTHER, *unordered, *self._numbers, *self._texts]
        self._index = {json_key(value): number for number, value in enumerate(samples, start=1)}
        self._first_text = len(samples) + 1 - len(self._texts)
        self._first_number = self._first_text - len(self._numbers)
        self._all = (1 << len(samples) + 1) - 1

    def of(self, condition: Any) -> int:
        """The samples for which a condition is true."""
        if "path" in condition:
            return self._of_simple(str(condition["op"]), condition.get("value"))
        matching = self._all
        for part in ("all", "any", "not"):
            if part in condition:
                matching &= self._of_compound(part, condition[part])
        return matching

    def holding(self, values: Iterable[Any]) -> int:
        """The samples that are these values, which a condition or `more` mentions."""
        bits = bytearray(self._all.bit_length() // 8 + 1)
        for value in values:
            number = self._index[json_key(value)]
            bits[number // 8] |= 1 << number % 8
        return int.from_bytes(bits, "little")

    def _of_compound(self, word: str, inner: Any) -> int:
        if word == "not":
            return self._all & ~self.of(inner)
        matching = self._all if word == "all" else 0
        for each in inner:
            matching = matching & self.of(each) if word == "all" else matching | self.of(each)
        return matching

    def _of_simple(self, op: str, value: Any) -> int:
        match op:
            case "equals":
                return self.holding((value,))
            case "notEquals":
                return self._all & ~self.holding((value,))
            case "in":
                return self.holding(value)
            case "exists":
                return 1 if value is False else self._all & ~1
            case _:
                return self._of_ordered(op, value)

    def _of_ordered(self, op: str, value: Any) -> int:
        """The numbers or texts on one side of a value."""
        ordered: list[Any] = self._numbers if is_number(value) else self._texts
        first = self._first_number if is_number(value) else self._first_text
        at = (bisect_left if op in ("lt", "gte") else bisect_right)(ordered, value)
        start, end = (0, at) if op in ("lt", "lte") else (at, len(ordered))
        return (1 << first + end) - (1 << first + start)


def json_key(value: Any) -> Hashable:
    """A key that two JSON values share if `json_equal` is true for them."""
    match value:
        case bool() | None:
            return repr(value), None
        case Mapping():
            return "object", frozenset((key, json_key(item)) for key, item in value.items())
        case list() | tuple():
            return "list", tuple(json_key(item) for item in value)
        case _:
            return "", value


def _mentioned(conditions: Iterable[Any]) -> Iterator[Any]:
    for condition in conditions:
        if isinstance(condition, dict) and "value" in condition:
            value = condition["value"]
            yield from value if condition.get("op") == "in" else (value,)
        yield from _mentioned([part for _, part in subconditions(condition)])


def _numbers_between(mentioned: list[Any]) -> Iterator[Any]:
    """A number below, one above, and one between each two."""
    numbers = sorted(number for number in mentioned if abs(number) < _NO_NEIGHBOUR)
    if numbers:
        yield from (numbers[0] - 1, numbers[-1] + 1)
        yield from ((one + other) / 2 for one, other in pairwise(numbers))


def _texts_between(mentioned: list[str]) -> Iterator[str]:
    """The first text of all, and the first one after each."""
    if mentioned:
        yield from ("", *(text + "\x00" for text in mentioned))
