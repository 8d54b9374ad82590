"""A limit of the processor time that a request may spend on one pack."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workflows.errors import TookTooLong
from workflows.isolation import Stopped
from workflows.isolation.thread_limits import seconds_for, thread_limit

TOLERANCE = 2
"""Factor of the limit at which a pack is imported and edited: a pack that was just within it must
not fail later."""


@contextmanager
def limited(what: str, size: int) -> Iterator[None]:
    """Raise TookTooLong if this block takes too long for a pack of `size` bytes. `what`: the work,
    as the subject of a sentence. As with `thread_limit`, the block opens no transaction, file or
    connection."""
    try:
        with thread_limit(TOLERANCE * seconds_for(size)):
            yield
    except Stopped as stopped:
        raise TookTooLong(
            stopped.sentence(what), hint="Split the pack, or remove what it does not need."
        ) from None
