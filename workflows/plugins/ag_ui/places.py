"""The streams that each user has open in this process, and their maximum."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable

from workflows.errors import TooManyStreams
from workflows.telemetry.metrics import SOCKETS

MAX_PER_USER = 20
_open: Counter[int] = Counter()
_lock = threading.Lock()


def take_place(user: int) -> Callable[[], None]:
    """Count one more stream of this user. Returns a function that ends it, once. Raises
    TooManyStreams."""
    with _lock:
        if _open[user] >= MAX_PER_USER:
            raise TooManyStreams(
                f"{MAX_PER_USER} of your event streams are open.",
                hint="Close one of them, or follow its run with GET …/events/.",
            )
        _open[user] += 1
    SOCKETS.labels("ag-ui").inc()
    held = [user]

    def leave() -> None:
        with _lock:
            if not held:
                return
            _open[held.pop()] -= 1
        SOCKETS.labels("ag-ui").dec()

    return leave


def open_streams(user: int) -> int:
    return _open[user]
