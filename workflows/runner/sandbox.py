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

from workflows.runner.isolation.processes import (
    CannotStartProcess,
    CommandFiles,
    CommandProcess,
    start,
)

OUTPUT_LIMIT = 256 * 1024
"""Bytes kept of stdout and of stderr; a command that writes more than ten times this is killed."""
MAX_SECONDS = 3_600.0
EXIT_POLL_INTERVAL = 0.05
"""Seconds between checks for the command's exit, because its children may hold its pipes open."""
DRAIN_SECONDS = 2.0
"""Seconds to read the rest of the pipes after everything is killed."""
TIMED_OUT = 124
NOT_FOUND = 127
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
) -> CommandResult:
    """Run a command in `folder` for at most `timeout` seconds, with `extra` in its environment.
    `files`: what it may use besides the machine's programs; the folder by default. Never raises
    for errors of the command.

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
        return await _wait_for_end(process, min(max(timeout, 0.1), MAX_SECONDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipes:
    """A process with line-based input and output."""

    process: asyncio.subprocess.Process

    async def lines(self) -> AsyncIterator[bytes]:
        """Lines of its output, until it ends or writes a line that is too long."""
        assert self.process.stdout is not None
        with suppress(ValueError):
            while line := await self.process.stdout.readline():
                yield line

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
    try:
        yield Pipes(process=process.process)
    finally:
        await asyncio.shield(process.end())


async def _wait_for_end(process: CommandProcess, timeout: float) -> CommandResult:
    out, err = _Output(process.process.stdout), _Output(process.process.stderr)
    reading = asyncio.gather(out.read(), err.read())
    note = ""
    try:
        async with asyncio.timeout(timeout):
            while not process.ended.is_set() and not out.overflowing and not err.overflowing:
                with suppress(TimeoutError):
                    await asyncio.wait_for(process.ended.wait(), EXIT_POLL_INTERVAL)
        if out.overflowing or err.overflowing:
            note = "\nStopped: it wrote too much."
    except TimeoutError:
        note = f"\nStopped after {timeout:g} seconds: its time limit."
    finally:
        await asyncio.shield(_finish(process, reading))
    if not note and process.stopped:
        note = f"\nStopped: {process.stopped}."
    if not note and process.exit == -signal.SIGXFSZ:
        note = "\nStopped: a file became larger than its limit."
    exit = TIMED_OUT if note else process.exit
    return CommandResult(exit=exit, stdout=out.text, stderr=err.text + note)


async def _finish(process: CommandProcess, reading: asyncio.Future[tuple[None, None]]) -> None:
    await process.kill()
    await asyncio.wait({reading}, timeout=DRAIN_SECONDS)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await process.end()


class _Output:
    """The beginning of a stream. The rest is read and dropped, so that the command can continue."""

    def __init__(self, stream: asyncio.StreamReader | None) -> None:
        assert stream is not None
        self._stream = stream
        self._kept = bytearray()
        self._size = 0

    async def read(self) -> None:
        while part := await self._stream.read(65_536):
            self._size += len(part)
            self._kept += part[: OUTPUT_LIMIT - len(self._kept)]

    @property
    def overflowing(self) -> bool:
        return self._size > 10 * OUTPUT_LIMIT

    @property
    def text(self) -> str:
        dropped = self._size - len(self._kept)
        text = self._kept.decode("utf-8", "replace")
        return f"{text}\n… {dropped:,} more bytes" if dropped else text


def _environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": PATH,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
    }


__all__ = [
    "CannotStartProcess",
    "CommandFiles",
    "CommandResult",
    "Pipes",
    "open_process",
    "run",
    "workspace",
]
