"""Memory that the allocator keeps after large work."""

from __future__ import annotations

import ctypes
import gc
from contextlib import suppress


def return_free_memory() -> None:
    """Collect garbage, and return freed pages to the system where the C library can. Takes tens of
    milliseconds."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
