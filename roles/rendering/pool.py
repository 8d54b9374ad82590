"""Pool of template processes, started with the first template."""

from __future__ import annotations

import atexit
import json
import os
import queue
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from roles.core.templates import TemplateStopped
from roles.turns import Turns, current_caller

SIZE = 2
PATIENCE = 10.0
"""Maximum wait of a template for its turn, in seconds."""
STARTING = 20.0
"""Maximum start-up time of a new process, in seconds."""
ANSWERING = 2.0
"""Seconds until a process that failed to stop its template is killed."""
LARGEST = 16 * 1024 * 1024
"""Maximum request in bytes: a template and its variables."""
ROOT = Path(__file__).resolve().parents[2]
BEGIN = (
    "import sys; sys.path.insert(0, sys.argv[1]); from roles.rendering.child import main; main()"
)
BUSY = "Too many templates are being rendered right now. Try again."


class _Worker:
    """One process, which handles one request at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, line: bytes) -> dict[str, Any]:
        """Send a request. Raises TemplateStopped if the process does not answer; the next request
        gets a new one."""
        fresh = self._process is None or self._process.poll() is not None
        process = self._begin() if fresh else self._process
        assert process is not None
        try:
            until = time.monotonic() + (STARTING if fresh else ANSWERING)
            return dict(json.loads(_talk(process, line, until)))
        except (OSError, ValueError) as broken:
            self.end()
            raise TemplateStopped("This template was stopped.") from broken

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
        self._free: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._workers = [_Worker() for _ in range(size)]
        for worker in self._workers:
            self._free.put(worker)

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Render one template. Raises TemplateStopped."""
        line = json.dumps(question, default=str).encode() + b"\n"
        if len(line) > LARGEST:
            raise TemplateStopped("This template's variables are too large to be put in.")
        try:
            with self._turns.turn(current_caller(), PATIENCE):
                return self._ask(line)
        except TimeoutError:
            raise TemplateStopped(BUSY) from None

    def _ask(self, line: bytes) -> dict[str, Any]:
        worker = self._free.get_nowait()
        try:
            return worker.ask(line)
        finally:
            self._free.put(worker)

    def end(self) -> None:
        """Kill every process; the next template starts a new one."""
        for worker in self._workers:
            worker.end()


def _talk(process: subprocess.Popen[bytes], line: bytes, until: float) -> bytes:
    """Write a line and read one. Raises OSError after a timeout."""
    assert process.stdin is not None
    assert process.stdout is not None
    into, out = process.stdin.fileno(), process.stdout.fileno()
    # A server may have thousands of open sockets, and select() is limited to 1,024.
    poll = select.poll()
    poll.register(into, select.POLLOUT)
    poll.register(out, select.POLLIN)
    answer = bytearray()
    at = 0
    while not answer.endswith(b"\n"):
        ready = dict(poll.poll(max(until - time.monotonic(), 0) * 1_000))
        if not ready:
            raise TimeoutError
        if into in ready:
            at += os.write(into, line[at : at + 65_536])
            if at == len(line):
                poll.unregister(into)
        if out in ready:
            part = os.read(out, 1 << 16)
            if not part:
                raise BrokenPipeError
            answer += part
    return bytes(answer)


POOL = Pool()
atexit.register(POOL.end)
