"""Names of workers that include their process, so that workers on the same boot can detect a dead
one."""

from __future__ import annotations

import itertools
import os
from functools import cache
from pathlib import Path

_serial = itertools.count(1)


def new_worker() -> str:
    """A name for one worker: boot, process namespace, process id, its start time, serial number."""
    return f"{_process_namespace()}/{os.getpid()}/{_start_time(os.getpid())}/{next(_serial)}"


def is_dead(worker: str) -> bool:
    """Return True if the process of this worker is known to be gone. False if it cannot be known
    here."""
    try:
        boot, namespace, pid, started, _ = worker.split("/")
    except ValueError:
        return False
    if not boot or f"{boot}/{namespace}" != _process_namespace():
        return False
    return _start_time(int(pid)) != started


def is_of_this_boot(worker: str) -> bool:
    """Return True if the worker ran on this machine since it was started."""
    boot = _process_namespace().partition("/")[0]
    return bool(boot) and worker.partition("/")[0] == boot


@cache
def _process_namespace() -> str:
    """Boot and process namespace: process ids are comparable only within both."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:13]
        namespace = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return "/"
    return f"{boot}/{namespace}"


def _start_time(pid: int) -> str:
    """Start time of the process in clock ticks since boot; "" without one (or a zombie)."""
    try:
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if state in "ZX" else rest[18]
