"""Processes of commands: started in the level of isolation in force, and ended with all that they
started."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from workflows.runner.isolation import command_line
from workflows.runner.isolation.child.spec import Report
from workflows.runner.isolation.levels import NONE, Level, NoIsolation, level_in_force
from workflows.runner.isolation.options import MIB, command_options, server_settings
from workflows.runner.isolation.view import command_view

START_SECONDS = 20.0
"""Seconds until the supervisor must have started a command, on a busy machine."""
END_SECONDS = 20.0
"""Seconds for the supervisor to kill what the command left, on a busy machine; then it is killed
itself, and orphans outside its process group stay alive."""


class CannotStartProcess(Exception):
    """The command cannot be started; the message has the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFiles:
    """Files and folders that a command may write, and hidden ones that it may read."""

    writable: tuple[Path, ...]
    readable: tuple[Path, ...] = ()


@dataclass(kw_only=True, eq=False)
class CommandProcess:
    """A started command. `exit`: its code, negative for a signal; `stopped`: the limit that it
    reached. Both are valid once `ended` is set."""

    process: asyncio.subprocess.Process
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    exit: int = -signal.SIGKILL
    stopped: str = ""
    reports: asyncio.ReadTransport | None = None
    memory: int = 0
    """Bytes that it used at its last report."""
    watching: asyncio.Task[None] | None = None

    async def kill(self) -> None:
        """Kill the command and everything that it started."""
        if self.reports is not None:
            # The supervisor ends the command when its reports have no reader.
            self.reports.close()
            with suppress(ProcessLookupError):
                self.process.terminate()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), END_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()

    async def end(self) -> None:
        """Kill it, and close our ends of its pipes."""
        await self.kill()
        self.process._transport.close()  # type: ignore[attr-defined]
        if self.watching is not None:
            await asyncio.wait({self.watching})


async def start(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    files: CommandFiles,
    limit: int,
    input: bool = False,
) -> CommandProcess:
    """Start a command. `limit`: longest line of its output in bytes. `input`: with a pipe to it,
    and without its error output. Raises CannotStartProcess. If the caller is cancelled, nothing of
    the command is alive afterwards."""
    # asyncio kills only the supervisor if it is cancelled while it connects the pipes, which would
    # leave the command alive.
    starting = asyncio.create_task(
        _start(
            command,
            folder=folder,
            environment=environment,
            files=files,
            limit=limit,
            input=input,
        )
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.shield(_end_started(starting))
        raise


async def _end_started(starting: asyncio.Task[CommandProcess]) -> None:
    with suppress(CannotStartProcess):
        await (await starting).end()


async def _start(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    files: CommandFiles,
    limit: int,
    input: bool,
) -> CommandProcess:
    if not command or not command[0] or any("\0" in word for word in command):
        raise CannotStartProcess("The command cannot be started: it has no name, or a null byte.")
    level = await asyncio.to_thread(_level)
    pipe, null = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    options = command_options()
    if level is None:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=folder,
                env=dict(environment),
                stdin=pipe if input else null,
                stdout=pipe,
                stderr=pipe,
                limit=limit,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise CannotStartProcess(f"The command cannot be started: {error}") from None
        return _unsupervised(process)
    view = command_view(options, writable=files.writable, readable=files.readable)
    if level == "landlock" and view.protects:
        raise CannotStartProcess(
            f"The command cannot be started: Landlock cannot protect {view.protects[0]} inside of "
            "the folder. Choose a git work tree as workspace, or install bubblewrap."
        )
    prepared = command_line.prepare(
        command,
        level=level,
        folder=folder,
        environment=environment,
        view=view,
        limits=options.limits,
    )
    try:
        process = await asyncio.create_subprocess_exec(
            *prepared.command,
            env=dict(prepared.environment),
            stdin=pipe if input else null,
            stdout=pipe,
            stderr=pipe,
            limit=limit,
            pass_fds=prepared.pass_fds,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        os.close(prepared.reports)
        raise CannotStartProcess(f"The command cannot be started: {error}") from None
    finally:
        prepared.close_passed()
    return await _supervised(process, prepared.reports)


def _level() -> Level | None:
    """The level in force; None where there is no supervisor."""
    try:
        level = level_in_force()
    except NoIsolation as none:
        if command_options().isolation or _is_server():
            raise CannotStartProcess(f"The command cannot be started. {none.message}") from None
        level = NONE
    return level if sys.platform.startswith("linux") else None


def _is_server() -> bool:
    """The command line runs a pack for the user who typed it; a server runs those of others."""
    return server_settings() is not None


async def _supervised(process: asyncio.subprocess.Process, reports: int) -> CommandProcess:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reports, "rb", buffering=0)
    )
    started = CommandProcess(process=process, reports=transport)
    error = "its isolation did not start in time"
    try:
        async with asyncio.timeout(START_SECONDS):
            first = _report(await reader.readline())
        error = "" if first.get("started") else first.get("error", "its isolation failed")
    except TimeoutError:
        pass
    except BaseException:
        await asyncio.shield(started.end())
        raise
    if error:
        await asyncio.shield(started.end())
        raise CannotStartProcess(f"The command cannot be started: {error}")
    started.watching = asyncio.create_task(_watch(started, reader, loop))
    return started


async def _watch(
    started: CommandProcess, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop
) -> None:
    """Take over the supervisor's reports until it has ended."""
    try:
        while line := await reader.readline():
            report = _report(line)
            started.stopped = report.get("stopped", started.stopped)
            if "ended" in report:
                started.exit = report["ended"]
            if "memory" in report:
                started.memory = report["memory"]
                _live[started] = loop
                _end_largest(command_options().memory_of_all)
        await started.process.wait()
    finally:
        _live.pop(started, None)
    started.ended.set()


_live: dict[CommandProcess, asyncio.AbstractEventLoop] = {}
"""The commands of this process that reported their memory, on any thread."""


def _end_largest(limit: int) -> None:
    """End the largest command if all together use more memory than this."""
    live = [(one, loop) for one, loop in list(_live.items()) if not one.stopped]
    if sum(one.memory for one, _ in live) <= limit:
        return
    largest, loop = max(live, key=lambda pair: pair[0].memory)
    largest.stopped = f"all commands together used more than {limit // MIB:,} MiB of memory"
    if largest.reports is not None:
        loop.call_soon_threadsafe(largest.reports.close)


def _unsupervised(process: asyncio.subprocess.Process) -> CommandProcess:
    started = CommandProcess(process=process)

    async def watch() -> None:
        started.exit = await process.wait()
        started.ended.set()

    started.watching = asyncio.create_task(watch())
    return started


def _report(line: bytes) -> Report:
    with suppress(ValueError):
        report: Report = json.loads(line)
        return report
    return {}
