"""Pool of processes, each started with its first request."""

from __future__ import annotations

import atexit
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias

from roles.processes.worker import DONE, FORGOTTEN, HEAD, MEMORY, SIZE, TAIL, TIME
from roles.turns import Turns, current_caller

Why: TypeAlias = Literal["time", "memory", "size", "busy", "lost"]

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "import sys; sys.path.insert(0, sys.argv[1]); from {module} import main; main()"
STARTING = 30.0
"""Maximum start-up time of a new process, in seconds."""
SPARE = 60.0
"""Seconds on the clock, beyond the processor time, until a process is killed that does not react. A
machine with much other work takes a multiple of the processor time."""
TICK = 1.0
"""Seconds between two calls of `waiting`."""
KEPT = 8
"""Number of keys that a process is expected to know; see `Pool.ask`."""
WHYS: dict[bytes, Why] = {TIME: "time", MEMORY: "memory", SIZE: "size"}


class Ended(Exception):
    """Work that was ended at a limit, or could not begin."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why = why


class Process:
    """One process, which answers one request at a time."""

    def __init__(self, module: str) -> None:
        self.known: deque[str] = deque(maxlen=KEPT)
        """The keys of the newest requests."""
        self._command = [sys.executable, "-I", "-c", BEGIN.format(module=module), str(ROOT)]
        self._process: subprocess.Popen[bytes] | None = None
        self._ready_by = 0.0

    def ask(
        self, request: bytes, seconds: float, waiting: Callable[[], None] = lambda: None
    ) -> tuple[bytes, bytes]:
        """The kind and the bytes of the answer. Raises Ended if there is none in time, and what
        `waiting` raises; the next request gets a new process then."""
        process = self._process
        is_new = process is None or process.poll() is not None
        if process is None or is_new:
            process = self.begin()
        try:
            until = max(time.monotonic(), self._ready_by) + seconds + SPARE
            return _talk(process, HEAD.pack(len(request), seconds) + request, until, waiting)
        except OSError as error:
            self.end()
            if isinstance(error, TimeoutError):
                raise Ended("time") from None
            if is_new:
                raise Ended("lost") from None
        except BaseException:
            self.end()
            raise
        return self.ask(
            request, seconds, waiting
        )  # Something else ended a process that had worked.

    def knows(self, key: str) -> None:
        """Expect the process to keep what `key` names."""
        with suppress(ValueError):
            self.known.remove(key)
        if key:
            self.known.append(key)

    def end(self) -> None:
        """Kill the process and its worker."""
        self.known.clear()
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

    def begin(self) -> subprocess.Popen[bytes]:
        """Start a process, and do not wait until it is ready."""
        self.end()
        self._ready_by = time.monotonic() + STARTING
        self._process = subprocess.Popen(
            self._command,
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
    """At most `size` processes whose module has a `main` that calls `serve`; users take turns."""

    def __init__(self, module: str, *, size: int, patience: float) -> None:
        self._patience = patience
        self._turns = Turns(size)
        self._lock = Lock()
        self._processes = [Process(module) for _ in range(size)]
        self._free = list(self._processes)
        atexit.register(self.end)

    def begin(self) -> None:
        """Start the process that has the first request."""
        self._free[-1].begin()

    def ask(
        self,
        request: Callable[[bool], bytes],
        seconds: float,
        key: str = "",
        waiting: Callable[[], None] = lambda: None,
    ) -> bytes:
        """The answer to a request, which may take `seconds` of processor time. Blocks. `waiting` is
        called each second meanwhile; if it raises, the work ends.

        A process that had a request with the same `key` is preferred. `request(True)` is sent to
        one that may still keep what the key names, `request(False)` to any other. Raises Ended.
        """
        try:
            with self._turns.turn(current_caller(), self._patience), self._process(key) as process:
                kind, answer = process.ask(request(key in process.known), seconds, waiting)
                if kind == FORGOTTEN:
                    process.known.clear()
                    kind, answer = process.ask(request(False), seconds, waiting)
                if kind == DONE:
                    process.knows(key)
        except TimeoutError:
            raise Ended("busy") from None
        if kind != DONE:
            raise Ended(WHYS[kind])
        return answer

    def follow(self, key: str, other: str) -> None:
        """Prefer the process that had `key` for requests with the key `other` too."""
        with self._lock:
            for process in self._processes:
                if key in process.known:
                    process.knows(other)

    @contextmanager
    def _process(self, key: str) -> Iterator[Process]:
        with self._lock:
            knowing = (one for one in self._free if key in one.known)
            process = next(knowing, self._free[-1])
            self._free.remove(process)
        try:
            yield process
        finally:
            with self._lock:
                self._free.append(process)

    def end(self) -> None:
        """Kill every process; the next request starts a new one."""
        for process in self._processes:
            process.end()


def _talk(
    process: subprocess.Popen[bytes], request: bytes, until: float, waiting: Callable[[], None]
) -> tuple[bytes, bytes]:
    """Write a request and read its answer. Raises OSError after a timeout, and if the process has
    ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    into, out = process.stdin.fileno(), process.stdout.fileno()
    left = memoryview(request)
    # A server may have thousands of open sockets, and select() is limited to 1,024.
    poll = select.poll()
    poll.register(into, select.POLLOUT)
    poll.register(out, select.POLLIN)
    answer = bytearray()
    while len(answer) < TAIL.size or len(answer) < TAIL.size + TAIL.unpack_from(answer)[0]:
        ready = dict(poll.poll(max(min(until - time.monotonic(), TICK), 0) * 1_000))
        if not ready:
            if time.monotonic() >= until:
                raise TimeoutError
            waiting()
        if into in ready:
            left = left[os.write(into, left[:65_536]) :]
            if not left:
                poll.unregister(into)
        if out in ready:
            part = os.read(out, 1 << 18)
            if not part:
                raise BrokenPipeError
            answer += part
    return TAIL.unpack_from(answer)[1], bytes(answer[TAIL.size :])
