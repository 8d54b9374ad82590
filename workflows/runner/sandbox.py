"""The only module that starts a process for a pack.

A command runs in its run's own folder, without the server's environment, in a process group of its
own, with limits on time and output, and the whole group ends with it.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

OUTPUT_LIMIT = 256 * 1024
"""Bytes kept of stdout and of stderr; a command that writes more than ten times this is ended."""
MAX_SECONDS = 3_600.0
EXIT_POLL_INTERVAL = 0.05
"""Seconds between looks at whether the command has ended while its children hold its pipes."""
DRAIN_SECONDS = 2.0
"""Seconds to read what is left in the pipes once the group is dead."""
TIMED_OUT = 124
NOT_FOUND = 127
MAX_LINE = 4 * 1024 * 1024
"""Bytes of one line that a process says to us."""
MAX_COMMANDS = 100
"""Commands under way in one worker, which may hold thousands of runs."""
PATH = "/usr/local/bin:/usr/bin:/bin"


_slots: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """How a command ended. `exit` is 124 where its time ran out, 127 where it cannot be started."""

    exit: int
    stdout: str
    stderr: str


def workspace(root: Path, run_id: object, files: Mapping[str, bytes]) -> Path:
    """The run's own folder below `root`, made and filled with the pack's files the first time.

    Paths of `files` were checked when the pack came in: they cannot leave the folder.
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


async def run(command: Sequence[str], *, folder: Path, timeout: float) -> CommandResult:
    """Run a command to its end, or to `timeout` seconds. Never raises for what the command does.

    A worker runs so many at a time; the others wait, and their time begins when they do."""
    loop = asyncio.get_running_loop()
    async with _slots.setdefault(loop, asyncio.Semaphore(MAX_COMMANDS)):
        return await _run(command, folder, timeout)


async def _run(command: Sequence[str], folder: Path, timeout: float) -> CommandResult:
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=_environment(folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as cannot:
        return CommandResult(
            exit=NOT_FOUND, stdout="", stderr=f"The command cannot be started: {cannot}"
        )
    return await _wait_for_end(process, min(max(timeout, 0.1), MAX_SECONDS))


class CannotStartProcess(Exception):
    """The command cannot be started; the sentence says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipes:
    """A process that is talked to line by line."""

    process: asyncio.subprocess.Process

    async def lines(self) -> AsyncIterator[bytes]:
        """What it says, until it ends or says a line that is too long."""
        assert self.process.stdout is not None
        with suppress(ValueError):
            while line := await self.process.stdout.readline():
                yield line

    async def write(self, line: bytes) -> None:
        """Nothing, where it has ended already."""
        assert self.process.stdin is not None
        with suppress(ConnectionError):
            self.process.stdin.write(line)
            await self.process.stdin.drain()


@asynccontextmanager
async def open_process(
    command: Sequence[str], *, folder: Path, extra: Mapping[str, str]
) -> AsyncIterator[Pipes]:
    """A process to talk with, and with `extra` in its environment; its whole group ends with the
    block. Raises CannotBegin."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env={**_environment(folder), **extra},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=MAX_LINE,
            start_new_session=True,
        )
    except (OSError, ValueError) as cannot:
        raise CannotStartProcess(f"The command cannot be started: {cannot}") from None
    try:
        yield Pipes(process=process)
    finally:
        _end_group(process.pid)
        _close_pipes(process)
        await asyncio.shield(process.wait())


async def _wait_for_end(process: asyncio.subprocess.Process, timeout: float) -> CommandResult:
    out, err = _Output(process.stdout), _Output(process.stderr)
    reading = asyncio.gather(out.read(), err.read())
    ended = asyncio.ensure_future(process.wait())
    note = ""
    try:
        async with asyncio.timeout(timeout):
            while process.returncode is None and not out.overflowing and not err.overflowing:
                await asyncio.wait({ended}, timeout=EXIT_POLL_INTERVAL)
        if out.overflowing or err.overflowing:
            note = "\nEnded because it wrote too much."
    except TimeoutError:
        note = f"\nEnded after {timeout:g} seconds: its time was up."
    finally:
        _end_group(process.pid)
        await asyncio.shield(asyncio.wait({reading}, timeout=DRAIN_SECONDS))
        reading.cancel()
        _close_pipes(process)
        await asyncio.shield(ended)
    exit = TIMED_OUT if note else ended.result()
    return CommandResult(exit=exit, stdout=out.text, stderr=err.text + note)


def _close_pipes(process: asyncio.subprocess.Process) -> None:
    """Close our ends of the pipes; a child that left the group may still hold the others."""
    process._transport.close()  # type: ignore[attr-defined]


def _end_group(pid: int) -> None:
    """Children that the command left behind go with it."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


class _Output:
    """The beginning of a stream; the rest is read, so that the command can go on, and dropped."""

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
        cut = self._size - len(self._kept)
        text = self._kept.decode("utf-8", "replace")
        return f"{text}\n… {cut:,} more bytes" if cut else text


def _environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": PATH,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
    }
