"""The only module that starts a process for a pack.

A command runs in its run's workspace, isolated from the server and from other runs, without the
server's environment, with limits on time, output, memory, processes and disk. Everything that it
started is killed when it ends.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from weakref import WeakKeyDictionary

from workflows.core.engine.effect_events import TIMED_OUT
from workflows.core.text.excerpt import joined
from workflows.runner.isolation.processes import (
    CannotStartProcess,
    CommandFiles,
    CommandProcess,
    start,
)

OUTPUT_LIMIT = 256 * 1024
"""Bytes kept of stdout and of stderr, half of them from the beginning and half from the end; a
command that writes more than ten times this is killed."""
MAX_SECONDS = 3_600.0
EXIT_POLL_INTERVAL = 0.05
"""Seconds between checks for the command's exit, because its children may hold its pipes open."""
DRAIN_SECONDS = 2.0
"""Seconds to read the rest of the pipes after everything is killed."""
NOT_FOUND = 127
MAX_ERRORS = 2_000
"""Bytes kept of the error output of a process with pipes."""
MAX_LINE = 4 * 1024 * 1024
"""Bytes of one line that a process may write."""
MAX_COMMANDS = 100
"""Concurrent commands in one worker, which may hold thousands of runs."""
PATH = "/usr/local/bin:/usr/bin:/bin"


_slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """The result of a command. `exit` is 124 after a limit, 127 if it cannot be started."""

    exit: int
    stdout: str
    stderr: str


def workspace(root: Path, run_id: object, files: Mapping[str, bytes]) -> Path:
    """The run's own folder below `root`, created and filled with the pack's files the first time.

    Paths of `files` were checked when the pack was imported: they cannot leave the folder.
    """
    folder = root / str(run_id)
    if not folder.exists():
        fresh = root / f".{run_id}.{os.getpid()}"
        for path, data in files.items():
            target = fresh / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        fresh.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(OSError):
            fresh.rename(folder)
    return folder


async def run(
    command: Sequence[str],
    *,
    folder: Path,
    timeout: float,
    extra: Mapping[str, str] = MappingProxyType({}),
    files: CommandFiles | None = None,
    keep: int = OUTPUT_LIMIT,
) -> CommandResult:
    """Run a command in `folder` for at most `timeout` seconds, with `extra` in its environment.
    `files`: what it may use besides the machine's programs; the folder by default. `keep`: bytes
    kept of stdout and of stderr. Never raises for errors of the command.

    A worker runs MAX_COMMANDS at a time; others wait, and their time starts when they do.
    """
    loop = asyncio.get_running_loop()
    async with _slots.setdefault(loop, asyncio.Semaphore(MAX_COMMANDS)):
        try:
            process = await start(
                command,
                folder=folder,
                environment={**_environment(folder), **extra},
                files=files or CommandFiles(writable=(folder,)),
                limit=65_536,
            )
        except CannotStartProcess as error:
            return CommandResult(exit=NOT_FOUND, stdout="", stderr=str(error))
        return await _wait_for_end(process, min(max(timeout, 0.1), MAX_SECONDS), keep)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipes:
    """A process with line-based input and output. `reading` ends when its error output does, and
    `closed` is set when it writes no more lines."""

    process: asyncio.subprocess.Process
    output: _Output
    reading: asyncio.Task[None]
    closed: asyncio.Event

    async def errors(self) -> str:
        """Both ends of its error output so far."""
        if self.closed.is_set():
            await asyncio.wait({self.reading}, timeout=DRAIN_SECONDS)
        return self.output.text.strip()

    async def lines(self) -> AsyncIterator[bytes]:
        """Lines of its output, until it ends or writes a line that is too long."""
        assert self.process.stdout is not None
        with suppress(ValueError):
            while line := await self.process.stdout.readline():
                yield line
        self.closed.set()

    async def write(self, line: bytes) -> None:
        """Write to its input. Does nothing if it has ended."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):
            self.process.stdin.write(line)
            await self.process.stdin.drain()


@asynccontextmanager
async def open_process(
    command: Sequence[str],
    *,
    folder: Path,
    extra: Mapping[str, str],
    files: CommandFiles | None = None,
) -> AsyncIterator[Pipes]:
    """A process with pipes, with `extra` in its environment and `files` as in `run`. Everything
    that it started is killed when the block ends. Raises CannotStartProcess."""
    process = await start(
        command,
        folder=folder,
        environment={**_environment(folder), **extra},
        files=files or CommandFiles(writable=(folder,)),
        limit=MAX_LINE,
        input=True,
    )
    output = _Output(process.process.stderr, MAX_ERRORS)
    reading = asyncio.create_task(output.read())
    try:
        yield Pipes(process=process.process, output=output, reading=reading, closed=asyncio.Event())
    finally:
        await asyncio.shield(process.end())
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


async def _wait_for_end(process: CommandProcess, timeout: float, keep: int) -> CommandResult:
    out, err = _Output(process.process.stdout, keep), _Output(process.process.stderr, keep)
    reading = asyncio.gather(out.read(), err.read())
    note = ""
    try:
        async with asyncio.timeout(timeout):
            while not process.ended.is_set() and not out.overflowing and not err.overflowing:
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.ended.wait(), EXIT_POLL_INTERVAL)
        if out.overflowing or err.overflowing:
            note = "Stopped: it wrote too much.\n"
    except TimeoutError:
        note = f"Stopped after {timeout:g} seconds: its time limit.\n"
    finally:
        await asyncio.shield(_finish(process, reading))
    if not note and process.stopped:
        note = f"Stopped: {process.stopped}.\n"
    if not note and process.exit == -signal.SIGXFSZ:
        note = "Stopped: a file became larger than its limit.\n"
    exit = TIMED_OUT if note else process.exit
    return CommandResult(exit=exit, stdout=out.text, stderr=note + err.text)


async def _finish(process: CommandProcess, reading: asyncio.Future[tuple[None, None]]) -> None:
    await process.kill()
    await asyncio.wait({reading}, timeout=DRAIN_SECONDS)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await process.end()


class _Output:
    """Both ends of a stream. The rest is read and dropped, so that the command can continue."""

    def __init__(self, stream: asyncio.StreamReader | None, keep: int) -> None:
        assert stream is not None
        self._stream, self._keep = stream, keep
        self._head, self._tail = bytearray(), bytearray()
        self._size = 0

    async def read(self) -> None:
        while part := await self._stream.read(65_536):
            self.take(part)

    def take(self, part: bytes) -> None:
        self._size += len(part)
        room = max(0, self._keep // 2 - len(self._head))
        self._head += part[:room]
        self._tail += part[room:]
        del self._tail[: max(0, len(self._tail) - (self._keep - self._keep // 2))]

    @property
    def overflowing(self) -> bool:
        return self._size > 10 * OUTPUT_LIMIT

    @property
    def text(self) -> str:
        left_out = self._size - len(self._head) - len(self._tail)
        if not left_out:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = (part.decode("utf-8", "replace") for part in (self._head, self._tail))
        return joined(head, left_out, "bytes", tail)


def _environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": PATH,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
    }


__all__ = ["CannotStartProcess", "CommandFiles"]
