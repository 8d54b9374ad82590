"""A limit of the processor time that a request may spend on one pack."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from workflows.errors import TookTooLong
from workflows.isolation import Stopped
from workflows.isolation.thread_limits import seconds_for, within

T = TypeVar("T")

TOLERANCE = 2
"""Factor of the limit at which a pack is imported and edited: a pack that was just within it must
not fail later."""


def limited(what: str, size: int, call: Callable[[], T]) -> T:
    """The result of `call`. Raises TookTooLong if it takes too long for a pack of `size` bytes.
    `what`: the work, as the subject of a sentence. As with `within`, the call opens no transaction,
    file or connection."""
    try:
        return within(TOLERANCE * seconds_for(size), call)
    except Stopped as stopped:
        raise TookTooLong(
            stopped.sentence(what), hint="Split the pack, or remove what it does not need."
        ) from None
