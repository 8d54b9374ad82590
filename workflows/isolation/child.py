"""Process that forks once per job and watches the fork.

It is started with an empty environment. A job arrives on stdin and its result leaves on stdout,
each as a length and a pickle; only the server writes the one and reads the other. The fork has
limits on processor time and memory, and can open no file and no socket.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import select
import signal
import struct
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

from workflows.core.dialects import dialects
from workflows.core.rules.check import rules_for
from workflows.isolation.jobs import JOBS
from workflows.isolation.limits import MEGABYTE, Limits

LENGTH = struct.Struct(">Q")
GRACE = 2.0
"""Seconds on the clock after the processor time, for a machine that is busy."""
LARGEST = 64 * MEGABYTE
"""Maximum result, in bytes."""
NICE = 10


def main() -> None:
    """Serve one job after the other until stdin ends."""
    for dialect in dialects().values():
        rules_for(dialect)
        for files in dialect.samples().values():
            dialect.read(files)
            break
    gc.collect()
    gc.freeze()  # The forks share these pages.
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    while head := stdin.read(LENGTH.size):
        request = stdin.read(LENGTH.unpack(head)[0])
        answer = _apart(*pickle.loads(request))
        del request
        stdout.write(LENGTH.pack(len(answer)) + answer)
        stdout.flush()


def _apart(name: str, arguments: Any, limits: Limits) -> bytes:
    """The pickled answer: ("done", result), ("raised", error) or ("stopped", why)."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(name, arguments, limits, writing)
    os.close(writing)
    answer, why = _read(reading, time.monotonic() + limits.seconds + GRACE)
    os.close(reading)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if why == "done" and answer:
        return answer
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        why = "time"
    return pickle.dumps(("stopped", "memory" if why == "done" else why))


def _read(pipe: int, until: float) -> tuple[bytes, str]:
    parts = bytearray()
    while (left := until - time.monotonic()) > 0:
        if not select.select([pipe], [], [], left)[0]:
            break
        part = os.read(pipe, 1 << 20)
        if not part:
            return bytes(parts), "done"
        parts += part
        if len(parts) > LARGEST:
            return b"", "size"
    return b"", "time"


def _work(name: str, arguments: Any, limits: Limits, writing: int) -> NoReturn:
    gc.disable()  # The process ends with its one job, and its memory has a limit.
    try:
        os.nice(NICE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds))
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        answer = _answer(name, arguments)
        at = 0
        while at < len(answer):
            at += os.write(writing, answer[at : at + MEGABYTE])
    finally:
        os._exit(0)


def _portable(error: Exception) -> Exception:
    """The error itself if it can be read back, else its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}"[:2_000])
    return error


def _answer(name: str, arguments: Any) -> bytes:
    positional, named = arguments
    try:
        return pickle.dumps(("done", JOBS[name](*positional, **named)))
    except MemoryError:
        pass
    except Exception as error:
        return pickle.dumps(("raised", _portable(error)))
    return pickle.dumps(("stopped", "memory"))
