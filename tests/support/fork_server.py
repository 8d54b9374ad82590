"""Servers of tests that are forked from a process which has imported the program.

Imports take most of a start. One process for each test session imports the program, opens no
database, socket or thread, and forks for each server. The fork takes its own environment and
output, applies its own settings, and then runs `python -m signalbox ARGUMENT…`, so it is killed,
logs and ends like any other server.

Settings are the only state that imports take from the environment. A server whose settings differ
in one that was read by then (INSTALLED_APPS on PostgreSQL) starts a new interpreter instead.
Variables of Python itself, such as PYTHONWARNINGS, are those of the session.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module, reload
from io import FileIO, TextIOWrapper
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[2]
BEFOREHAND = (
    "signalbox.asgi",
    "signalbox.commands.server",
    "signalbox.serve",
    "signalbox.urls",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
    "workflows.actions.samples",
    "workflows.runner.periodic_tasks",
    "workflows.runner.worker",
)
APPLIED_LATER = {"DATABASES", "LOGGING"}
"""Settings that imports read, and that the fork applies itself."""
LONGEST = 1 << 17
"""Bytes of the arguments and the environment of a server, at most."""


class ForkedServer:
    """A fork, with what tests use of `subprocess.Popen`."""

    def __init__(self, output: int, ended: int) -> None:
        self.stdout: TextIO = os.fdopen(output)
        self.returncode: int | None = None
        self._ended = FileIO(ended)
        line = self._ended.readline()
        assert line, "The process that forks servers has ended."
        self.pid = int(line)

    def send_signal(self, how: int) -> None:
        if not self._has_ended(0):
            with suppress(ProcessLookupError):  # It has ended in this moment.
                os.kill(self.pid, how)

    def wait(self, timeout: float) -> int:
        if self.returncode is None:
            if not self._has_ended(timeout):
                raise subprocess.TimeoutExpired("signalbox", timeout)
            self.returncode = int(self._ended.readline())
            self._ended.close()
        return self.returncode

    def _has_ended(self, within: float) -> bool:
        return self._ended.closed or bool(select.select([self._ended], [], [], within)[0])


class ForkServer:
    """The process that servers are forked from."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        plain = {name: value for name, value in os.environ.items() if "SIGNALBOX" not in name}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.fork_server", str(theirs.fileno())],
                cwd=ROOT,
                # With a key in its environment it writes none into a data folder.
                env={**plain, "PYTHONUNBUFFERED": "1", "SIGNALBOX_SECRET_KEY": "no server's"},
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        atexit.register(self.close)

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], log: TextIO
    ) -> ForkedServer:
        """Start `signalbox ARGUMENT…` with this environment and with the log as its stderr."""
        output, its_output = os.pipe()
        ended, its_ended = os.pipe()
        request = json.dumps([arguments, environment]).encode()
        assert len(request) <= LONGEST
        socket.send_fds(self._socket, [request], [its_output, log.fileno(), its_ended])
        os.close(its_output)
        os.close(its_ended)
        return ForkedServer(output, ended)

    def close(self) -> None:
        self._socket.close()
        self._process.wait(120)


@cache
def fork_server() -> ForkServer:
    """The one of this session."""
    return ForkServer()


def import_program() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "signalbox.settings"
    import django

    django.setup()
    for name in BEFOREHAND:
        import_module(name)
    from workflows.core.dialects import dialects
    from workflows.runner.drivers import drivers

    dialects()
    drivers()
    assert threading.active_count() == 1, "A fork has but the thread that made it."
    gc.collect()
    gc.freeze()


def serve_forks(requests: socket.socket) -> list[str] | None:
    """Fork for each request, until the session ends. Returns in a fork with its arguments."""
    servers: dict[int, tuple[int, int]] = {}  # handle of a process → its id, pipe for its exit code
    while True:
        for ready in select.select([requests, *servers], [], [])[0]:
            if ready is requests:
                request, files, *_ = socket.recv_fds(requests, LONGEST, 3)
                if not request:
                    return None
                if not (pid := os.fork()):
                    requests.close()
                    for handle, (_, ended) in servers.items():
                        os.close(handle)
                        os.close(ended)
                    arguments, environment = json.loads(request)
                    become(arguments, environment, *files)
                    return list(arguments)
                output, log, ended = files
                os.close(output)
                os.close(log)
                servers[os.pidfd_open(pid)] = pid, ended
                os.write(ended, f"{pid}\n".encode())
            else:
                pid, ended = servers.pop(ready)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                with suppress(BrokenPipeError):  # A test that failed did not wait.
                    os.write(ended, f"{code}\n".encode())
                os.close(ended)
                os.close(ready)


def become(
    arguments: Sequence[str], environment: Mapping[str, str], output: int, log: int, ended: int
) -> None:
    """Make this fork the process of a server."""
    os.dup2(output, 1)
    os.dup2(log, 2)
    for file in (output, log, ended):
        os.close(file)
    sys.stdout, sys.stderr = _unbuffered(sys.stdout), _unbuffered(sys.stderr)
    os.environ.clear()
    os.environ.update(environment)
    from django.core.exceptions import ImproperlyConfigured

    with suppress(ImproperlyConfigured):  # A start reports it.
        if not read_again():
            return
    command = [sys.executable, "-m", "signalbox", *arguments]
    os.execve(sys.executable, command, dict(environment))


def _unbuffered(before: TextIO) -> TextIO:
    """A stream of the same file number. The one from before remembers what kind of file it was."""
    file = FileIO(before.fileno(), "w", closefd=False)
    return TextIOWrapper(file, encoding=before.encoding, errors=before.errors, write_through=True)


def read_again() -> set[str]:
    """Apply the settings of this environment. Returns those that something has read before with
    another value."""
    from django.conf import Settings, settings
    from django.db import connections

    import signalbox.settings

    read = {name: value for name, value in vars(settings).items() if name.isupper()}
    reload(signalbox.settings)
    for name, value in vars(Settings("signalbox.settings")).items():
        setattr(settings, name, value)
    del connections["default"], connections.settings
    connections.__init__()  # type: ignore[misc]
    return {name for name in read if read[name] != getattr(settings, name)} - APPLIED_LATER


if __name__ == "__main__":
    import_program()
    given = serve_forks(socket.socket(fileno=int(sys.argv[1])))
    if given is not None:
        sys.argv[1:] = given
        runpy.run_module("signalbox", run_name="__main__", alter_sys=True)
