"""Processes of the machine. They are found by a word in their command line, because the numbers in
a process namespace are not those of the machine."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path

PATIENCE = 60.0
"""Seconds that a busy machine may take to end a process."""


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


def all_end(word: str) -> bool:
    """Wait for the end of every such process. Return False if one is still alive."""
    while pids := running(word):
        if not all(map(ends, pids)):
            return False
    return True


def is_alive(pid: int) -> bool:
    """Return True if the process runs. A killed one whose parent has not waited does not."""
    try:
        return str(Path(f"/proc/{pid}/exe").readlink()) != ""
    except OSError:
        return False


def ends(pid: int) -> bool:
    """Wait for the end of this process. Return False if it is still alive."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], PATIENCE)[0])
    finally:
        os.close(handle)
