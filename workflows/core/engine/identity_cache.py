"""A bounded cache of values computed from objects that cannot be hashed, by their identity.

Programs keep the parts of a state (tools, choices) for all its visits, so what is computed from
such a part, for example its JSON, can be kept as well.
"""

from __future__ import annotations

from typing import Generic, TypeVar

Value = TypeVar("Value")


class IdentityCache(Generic[Value]):
    """Keeps its keys alive, so an id never names another object. The keys are never changed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entries: dict[tuple[int, ...], tuple[tuple[object, ...], Value]] = {}

    def get(self, *keys: object) -> Value | None:
        entry = self._entries.get(tuple(map(id, keys)))
        return None if entry is None else entry[1]

    def put(self, value: Value, *keys: object) -> Value:
        if len(self._entries) >= self._most:
            self._entries.clear()
        self._entries[tuple(map(id, keys))] = keys, value
        return value
