"""Processes that a killed worker left running.

A command runs in a process group of its own, so it outlives a worker that is killed. Its processes
carry the key of their effect in their environment, by which the next worker finds them. This works
where the system has `/proc`, and for processes of the same user.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

VARIABLE = "SIGNALBOX_EFFECT"
"""Environment variable with `RUN:KEY` of the effect that a command is run for. The same if the
command is repeated after a crash, so that a program can recognise its own repetition."""
PATIENCE = 5.0
"""Seconds until all have ended, at most: a process may start another one while it is killed."""
PAUSE = 0.01
"""Seconds between two searches."""


def effect_environment(run: str, key: str) -> dict[str, str]:
    """The variable for the command of an effect."""
    return {VARIABLE: f"{run}:{key}"}


def end_left_processes(run: str) -> int:
    """Kill the processes of a run that another worker started, and wait for their end. Returns
    their number. Blocks. Call it only while no effect of the run is performed here."""
    mark, ended = f"{VARIABLE}={run}:".encode(), set[int]()
    until = time.monotonic() + PATIENCE
    while (pids := set(_processes_of(mark))) and time.monotonic() < until:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended |= pids
        time.sleep(PAUSE)
    return len(ended)


def _processes_of(mark: bytes) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            content = (folder / "environ").read_bytes()
            if content.startswith(mark) or b"\0" + mark in content:
                yield int(folder.name)
