"""Deterministic pseudo-random numbers: the same seed gives the same run on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")

_MASK = (1 << 64) - 1


class Rng:
    """SplitMix64 (Steele, Lea, Flood 2014). `Rng(7, "0:3")` mixes any parts into its seed."""

    def __init__(self, *parts: object) -> None:
        self._parts = parts
        self._state = -1

    def next(self) -> int:
        """The next 64 bits."""
        if self._state < 0:
            text = "\x1f".join(map(str, self._parts))
            digest = sha256(text.encode("utf-8", "replace")).digest()
            self._state = int.from_bytes(digest[:8], "big")
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, limit: int) -> int:
        """A whole number from 0 up to, not including, `limit` (which is at least 1)."""
        return self.next() % limit

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.below(max(1, high - low + 1))

    def pick(self, items: Sequence[T]) -> T:
        """An item of a sequence that is not empty."""
        return items[self.below(len(items))]
