"""Processes of the machine. They are found by a word in their command line, because the numbers in
a process namespace are not those of the machine."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path


def running(word: str) -> list[int]:
    """The processes, but this one, whose command line has this word."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with suppress(OSError):
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z" and word.encode() in (entry / "cmdline").read_bytes():
                    pids.append(int(entry.name))
    return pids


def all_end(word: str, *, within: float = 2.0) -> bool:
    """Return True if no such process is alive after that many seconds at most."""
    until = time.monotonic() + within
    while running(word):
        if time.monotonic() > until:
            return False
        os.sched_yield()
    return True


def is_alive(pid: int) -> bool:
    """Return True if the process runs. A killed one whose parent has not waited does not."""
    try:
        return str(Path(f"/proc/{pid}/exe").readlink()) != ""
    except OSError:
        return False


def ends(pid: int, *, within: float = 5.0) -> bool:
    """Return True if this process is not alive after that many seconds at most."""
    until = time.monotonic() + within
    while is_alive(pid):
        if time.monotonic() > until:
            return False
        os.sched_yield()
    return True
