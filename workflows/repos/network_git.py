"""Git commands over the network: with progress, a limit of time, and an end to all their processes.

A command gets a process group of its own, so that its end reaches the programs that it starts.
These programs also keep the lock of the mirror open: if this server dies, the lock is free as soon
as the last of them has ended.
"""

from __future__ import annotations

import atexit
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import IO

from workflows.errors import RepositoryRefused
from workflows.repos.git import Git, GitFailed
from workflows.repos.mirror_size import SizeLimit

Progress = Callable[[str], None]
"""Receives the newest progress line of git."""

TIMEOUT = 3_600.0
"""Seconds for one fetch or push."""
CHECK_INTERVAL = 0.05
"""Seconds between two looks at the size of what arrives."""
MAX_OUTPUT = 32 * 1024 * 1024
"""Bytes of standard output: some hundred thousand branches."""
MAX_MESSAGES = 64 * 1024
MAX_LINE = 4_096

_PROGRESS = re.compile(
    r"(?:remote: )?(?P<line>[A-Z][a-z]+ [a-z]+: +\d{1,3}% \(\d+/\d+\)"
    r"(?:, [\d.]+ [KMGT]?i?(?:B|bytes)(?: \| [\d.]+ [KMGT]?i?(?:B|bytes)/s)?)?)"
)
"""A line that git writes while it works. Other texts of a remote are not shown."""
_running: set[subprocess.Popen[bytes]] = set()
_stop: ContextVar[threading.Event | None] = ContextVar("stop", default=None)


@contextmanager
def stopped_by(stop: threading.Event) -> Iterator[None]:
    """End the commands of this thread, and refuse further ones, once the event is set."""
    token = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(token)


def ignore(_line: str) -> None:
    """Progress that is not shown."""


def run(
    git: Git,
    *arguments: str,
    progress: Progress = ignore,
    limit: SizeLimit | None = None,
) -> str:
    """Standard output as text. A command that passes the limit of size ends at once. Raises
    GitFailed and RepositoryRefused."""
    command = git.command(*arguments)
    try:
        process = subprocess.Popen(
            [*_limited(limit), *command],
            cwd=git.folder,
            env=git.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=git.kept_open,
        )
    except OSError as error:
        raise RepositoryRefused(
            f"Git cannot run in {git.folder}: {error.strerror}.", where="repository"
        ) from error
    _running.add(process)
    reader = _Reader(process, progress)
    try:
        _wait(process, reader, git.timeout, limit)
    finally:
        _end(process)
        reader.join()
        _running.discard(process)
    if process.returncode:
        if limit is not None and limit.was_reached():
            raise limit.refusal()
        raise GitFailed("\n".join(reader.messages))
    return bytes(reader.output).decode(errors="surrogateescape").rstrip("\n")


def _limited(limit: SizeLimit | None) -> list[str]:
    """A shell that limits the size of each file, before git replaces it: a fast remote could
    write much between two looks at the size."""
    if limit is None:
        return []
    blocks = str(limit.max_file_bytes // 512)
    return ["/bin/sh", "-c", 'ulimit -f "$1" && shift && exec "$@"', "git", blocks]


def _wait(
    process: subprocess.Popen[bytes],
    reader: _Reader,
    seconds: float,
    limit: SizeLimit | None,
) -> None:
    deadline = time.monotonic() + seconds
    stop = _stop.get()
    while True:
        if stop is not None and stop.is_set():
            raise RepositoryRefused("This work was ended before it was done.", where="repository")
        with suppress(subprocess.TimeoutExpired):
            process.wait(CHECK_INTERVAL)
            return
        if limit is not None and limit.is_over():
            raise limit.refusal()
        if reader.overflow:
            raise RepositoryRefused(
                "The repository lists more branches than this server can read.", where="repository"
            )
        if time.monotonic() > deadline:
            raise RepositoryRefused(
                f"Git did not finish within {seconds:g} seconds.", where="repository"
            )


@dataclass(slots=True, eq=False)
class _Reader:
    """Reads both outputs of a command on threads, so that neither pipe fills up."""

    process: subprocess.Popen[bytes]
    progress: Progress
    output: bytearray = field(default_factory=bytearray)
    messages: list[str] = field(default_factory=list)
    overflow: bool = False
    _threads: Sequence[threading.Thread] = ()

    def __post_init__(self) -> None:
        out, err = self.process.stdout, self.process.stderr
        assert out is not None
        assert err is not None
        self._threads = [
            threading.Thread(target=work, args=(pipe,), name="git-output", daemon=True)
            for work, pipe in ((self._read_output, out), (self._read_messages, err))
        ]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _read_output(self, pipe: IO[bytes]) -> None:
        with pipe:
            while part := os.read(pipe.fileno(), 65_536):
                if len(self.output) + len(part) > MAX_OUTPUT:
                    self.overflow = True
                elif not self.overflow:
                    self.output += part

    def _read_messages(self, pipe: IO[bytes]) -> None:
        rest, size = b"", 0
        with pipe:
            while part := os.read(pipe.fileno(), 65_536):
                *lines, rest = re.split(rb"[\r\n]", rest[-MAX_LINE:] + part)
                for line in lines:
                    size += self._take(line, size)
        self._take(rest, size)

    def _take(self, line: bytes, size: int) -> int:
        """Show a line of progress, or keep a message. Returns the bytes that are kept."""
        text = line.decode(errors="replace").strip()
        shown = _PROGRESS.match(text)
        if shown:
            self.progress(" ".join(shown["line"].split()))
            return 0
        if not text or size + len(line) > MAX_MESSAGES:
            return 0
        self.messages.append(text)
        return len(line)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and every program of its group that is left."""
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@atexit.register
def _end_all() -> None:
    for process in list(_running):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
