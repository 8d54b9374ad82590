"""Pool of processes for work on packs, each started with its first job."""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

from roles.turns import Turns, current_caller
from workflows.core.dialects import dialects
from workflows.installation import ROOT
from workflows.isolation.jobs import JOBS
from workflows.isolation.limits import Limits, Stopped
from workflows.isolation.memory import return_free_memory

SIZE = 2
PATIENCE = 30.0
"""Maximum wait for a free process, in seconds."""
STARTING = 30.0
"""Maximum start-up time of a new process, in seconds."""
LARGE = 1024 * 1024
"""Bytes of a request after which freed memory is returned to the system."""
SPARE = 5.0
"""Seconds until a process that failed to stop its job is killed."""
BEGIN = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from workflows.isolation.child import main; main()"
)


def run_apart(name: str, *arguments: Any, limits: Limits, **named: Any) -> Any:
    """Run a job of `isolation.jobs` in a process of its own, and return its result.

    The first argument is the name of a dialect. One that was registered at run time is unknown to
    other processes, so its job runs here. Blocks. Raises Stopped at a limit, and the exceptions of
    the job.
    """
    if not is_shipped(arguments[0]):
        return JOBS[name](*arguments, **named)
    return POOL.run(name, (arguments, named), limits)


def is_shipped(dialect: str) -> bool:
    """Return True for a dialect that every process finds in the core."""
    return type(dialects()[dialect]).__module__.startswith("workflows.core.dialects.")


class _Process:
    """One process, which handles one job at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, request: bytes, limits: Limits) -> tuple[str, Any]:
        fresh = self._process is None or self._process.poll() is not None
        process = self._begin() if fresh else self._process
        assert process is not None
        until = time.monotonic() + limits.seconds + SPARE + (STARTING if fresh else 0)
        try:
            kind, answer = pickle.loads(_talk(process, request, until))
        except (OSError, EOFError, pickle.UnpicklingError):
            self.end()
            raise Stopped("time", limits) from None
        return kind, answer

    def end(self) -> None:
        """Kill the process and its forks."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _begin(self) -> subprocess.Popen[bytes]:
        self.end()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", BEGIN, str(ROOT)],
            bufsize=0,
            cwd="/",
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
        return self._process


class Pool:
    """At most `size` processes; users take turns."""

    def __init__(self, size: int = SIZE) -> None:
        self._turns = Turns(size)
        self._processes = [_Process() for _ in range(size)]
        self._free: queue.LifoQueue[_Process] = queue.LifoQueue()
        for process in self._processes:
            self._free.put(process)

    def run(self, name: str, arguments: Any, limits: Limits) -> Any:
        """Run one job. Raises Stopped, and the exceptions of the job."""
        request = pickle.dumps((name, arguments, limits))
        try:
            with self._turns.turn(current_caller(), PATIENCE):
                kind, answer = self._run(request, limits)
        except TimeoutError:
            raise Stopped("busy", limits) from None
        finally:
            if len(request) > LARGE:
                del request
                return_free_memory()
        if kind == "raised":
            raise answer
        if kind == "stopped":
            raise Stopped(answer, limits)
        return answer

    def _run(self, request: bytes, limits: Limits) -> tuple[str, Any]:
        process = self._free.get_nowait()
        try:
            return process.run(request, limits)
        finally:
            self._free.put(process)

    def end(self) -> None:
        """Kill every process; the next job starts a new one."""
        for process in self._processes:
            process.end()


def _talk(process: subprocess.Popen[bytes], request: bytes, until: float) -> bytes:
    """Write a request and read its answer. Raises OSError after a timeout."""
    assert process.stdin is not None
    assert process.stdout is not None
    into, out = process.stdin.fileno(), process.stdout.fileno()
    whole = memoryview(len(request).to_bytes(8, "big") + request)
    # A server may have thousands of open sockets, and select() is limited to 1,024.
    poll = select.poll()
    poll.register(into, select.POLLOUT)
    poll.register(out, select.POLLIN)
    answer = bytearray()
    at = 0
    while len(answer) < 8 or len(answer) < 8 + int.from_bytes(answer[:8], "big"):
        ready = dict(poll.poll(max(until - time.monotonic(), 0) * 1_000))
        if not ready:
            raise TimeoutError
        if into in ready:
            at += os.write(into, whole[at : at + 65_536])
            if at == len(whole):
                poll.unregister(into)
        if out in ready:
            part = os.read(out, 1 << 16)
            if not part:
                raise BrokenPipeError
            answer += part
    return bytes(answer[8:])


POOL = Pool()
atexit.register(POOL.end)
