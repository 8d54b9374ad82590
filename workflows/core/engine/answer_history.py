"""A persistent sequence of texts: a run appends one per answer and keeps all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload


class AnswerHistory(Sequence[str]):
    """Immutable. `then` takes constant time: histories with a common prefix share it.

    The shared part is a dict because `setdefault` is atomic between threads: of two threads that
    append different texts to the same history, the second sees the first one's text and copies.
    """

    __slots__ = ("_length", "_shared")

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._shared = dict(enumerate(texts))
        self._length = len(texts)

    def then(self, text: str) -> AnswerHistory:
        """This history with one more text."""
        longer: AnswerHistory = object.__new__(AnswerHistory)
        longer._length, longer._shared = self._length + 1, self._shared
        if self._shared.setdefault(self._length, text) != text:
            longer._shared = {**dict(enumerate(self)), self._length: text}
        return longer

    def since(self, earlier: AnswerHistory) -> Iterator[str] | None:
        """The texts after `earlier`. None if this history is not known to extend it."""
        known = not earlier._length or earlier._shared is self._shared
        if not known or earlier._length > self._length:
            return None
        return map(self._shared.__getitem__, range(earlier._length, self._length))

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[str]:
        return map(self._shared.__getitem__, range(self._length))

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        return tuple(self)[at]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnswerHistory):
            return NotImplemented
        return self._length == other._length and all(map(str.__eq__, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"AnswerHistory({tuple(self)!r})"
