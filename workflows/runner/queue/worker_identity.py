"""Which process a worker is, so that others on the same boot can tell that it died."""

from __future__ import annotations

import itertools
import os
from functools import cache
from pathlib import Path

_serial = itertools.count(1)


def new_worker() -> str:
    """A name for one worker: boot, process namespace, process id, its start time, serial number."""
    return f"{_place()}/{os.getpid()}/{_started(os.getpid())}/{next(_serial)}"


def is_dead(worker: str) -> bool:
    """Whether the process of this worker is known to be gone. False where nobody here can know."""
    try:
        boot, namespace, pid, started, _ = worker.split("/")
    except ValueError:
        return False
    if not boot or f"{boot}/{namespace}" != _place():
        return False
    return _started(int(pid)) != started


@cache
def _place() -> str:
    """Process ids mean the same only within one boot and one process namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:13]
        namespace = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return "/"
    return f"{boot}/{namespace}"


def _started(pid: int) -> str:
    """Clock ticks since boot at which the process began; "" where there is none (or only its shell,
    waiting to be reaped)."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if state in "ZX" else rest[18]
