"""Persistent collections for `referencing`, as copies: its registries are small here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class HashTrieMap(dict[Any, Any]):
    def insert(self, key: Any, value: Any) -> HashTrieMap:
        return HashTrieMap({**self, key: value})

    def update(self, *others: Any, **named: Any) -> HashTrieMap:  # type: ignore[override]
        made = HashTrieMap(self)
        for one in (*others, named):
            dict.update(made, one)
        return made

    def remove(self, key: Any) -> HashTrieMap:
        return HashTrieMap({one: value for one, value in self.items() if one != key})

    def discard(self, key: Any) -> HashTrieMap:
        return self.remove(key)

    @classmethod
    def convert(cls, value: Any) -> HashTrieMap:
        return value if isinstance(value, cls) else cls(value)


class HashTrieSet(frozenset[Any]):
    def insert(self, value: Any) -> HashTrieSet:
        return HashTrieSet((*self, value))

    def remove(self, value: Any) -> HashTrieSet:
        return HashTrieSet(one for one in self if one != value)

    def update(self, *others: Iterable[Any]) -> HashTrieSet:
        return HashTrieSet(self.union(*others))


class List(tuple[Any, ...]):
    def __new__(cls, items: Iterable[Any] = ()) -> List:
        return super().__new__(cls, items)

    def push_front(self, value: Any) -> List:
        return List((value, *self))

    @property
    def first(self) -> Any:
        return self[0]

    @property
    def rest(self) -> List:
        return List(self[1:])
