"""Runs that took their worker down by memory.

A worker that the kernel kills for memory cannot record the cause. So it keeps a small file of the
runs whose next step it computes, and of the number of processes that the kernel had killed for
memory. A worker that takes such a run over compares: the run was at work when its worker died, and
the number has grown since. Without that number (systems other than Linux), and on another machine,
nothing is known, and the run is tried again.
"""

from __future__ import annotations

import mmap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import UUID

from django.conf import settings

from workflows.runner.queue.worker_identity import is_of_this_boot

SLOTS = 64
"""Runs that one process computes at the same time, at most; others are not recorded."""
COUNT = 24
SLOT = 36
SIZE = COUNT + SLOT * SLOTS
VMSTAT = Path("/proc/vmstat")
OLD = 7 * 86_400.0
"""Seconds after which the file of a worker that never closed it is removed."""


class WorkRecord:
    """The file of one worker: a count, then the ids of runs, "" in a free slot.

    The pages belong to the kernel, so they outlive the process, and a mark costs no system call.
    """

    def __init__(self, worker: str) -> None:
        self._path = _path(worker)
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove_old(self._path.parent)
        with self._path.open("w+b") as file:
            file.truncate(SIZE)
            self._map = mmap.mmap(file.fileno(), SIZE)
        self._free = list(range(SLOTS))
        self._lock = threading.Lock()
        self.refresh()

    def refresh(self) -> None:
        """Note how many processes the kernel has killed for memory until now."""
        self._map[:COUNT] = str(kills_for_memory()).encode().ljust(COUNT)

    @contextmanager
    def at_work(self, run_id: UUID | str) -> Iterator[None]:
        """Mark a run while its next step is computed."""
        with self._lock:
            slot = self._free.pop() if self._free else None
        if slot is None:
            yield
            return
        start = COUNT + SLOT * slot
        self._map[start : start + SLOT] = str(run_id).encode().ljust(SLOT)
        try:
            yield
        finally:
            self._map[start : start + SLOT] = b"\0" * SLOT
            with self._lock:
                self._free.append(slot)

    def close(self) -> None:
        """Remove the file: this worker stops and did not die. A thread that still computes a step
        keeps its mapping."""
        with suppress(OSError):
            self._path.unlink()


def died_of(worker: str, run_id: UUID) -> bool:
    """Return True if this worker died of memory while it computed this run's next step."""
    try:
        data = _path(worker).read_bytes() if is_of_this_boot(worker) else b""
        before = int(data[:COUNT])
    except (OSError, ValueError):
        return False
    now = kills_for_memory()
    slots = [data[start : start + SLOT] for start in range(COUNT, len(data), SLOT)]
    return now is not None and now > before and str(run_id).encode() in slots


def kills_for_memory() -> int | None:
    """The number of processes that the kernel has killed for memory since boot; None if it is not
    known here."""
    try:
        lines = VMSTAT.read_text().splitlines()
    except OSError:
        return None
    counts = [line.split()[1] for line in lines if line.startswith("oom_kill ")]
    return int(counts[0]) if counts else None


def _remove_old(folder: Path) -> None:
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - OLD:
                path.unlink()


def _path(worker: str) -> Path:
    name = "".join(char if char.isalnum() else "-" for char in worker)
    return Path(settings.DATA) / "workers" / name
