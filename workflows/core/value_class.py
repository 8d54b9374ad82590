"""Immutable values that are made many times: in each step of a run, and for each state of a graph.

A frozen dataclass sets each field through `object.__setattr__`, which takes three times as long as
an assignment. These classes are frozen for mypy, which refuses an assignment to their fields, and
are compared and hashed like frozen ones. `bench.engine` and `bench.check` measure it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as value_class
else:
    from collections.abc import Callable
    from dataclasses import dataclass

    def value_class(*, frozen: bool, **options: Any) -> Callable[[type], type]:
        """`dataclass`, with an assignment for each field."""
        assert frozen
        return dataclass(unsafe_hash=options.get("eq", True), **options)


__all__ = ["value_class"]
