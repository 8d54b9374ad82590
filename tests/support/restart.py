"""A server that can be killed and restarted many times in the time of one start.

Imports take most of the start, so they are done once. `python -m tests.support.restart ARGUMENT…`
forks for every line on stdin and prints the child's process id, then `ended` when the child is
gone. The child runs `signalbox ARGUMENT…`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from importlib import import_module

from tests.support.live_server import ROOT, LiveServer

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


class RestartableServer(LiveServer):
    """A server that starts as a fork of a process with all modules imported."""

    pid = 0

    def start(self) -> None:
        if self.process is None:
            with (self.data / "server.log").open("a") as log:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "tests.support.restart", *self.arguments],
                    cwd=ROOT,
                    env=self.env,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(file=self.process.stdin, flush=True)
        self.pid = int(self.process.stdout.readline())
        self.listens()

    def end(self, how: signal.Signals) -> int:
        assert self.process is not None
        assert self.process.stdout is not None
        os.kill(self.pid, how)
        self.pid = 0
        for line in self.process.stdout:
            if line.startswith("ended "):
                return int(line.split()[1])
        raise AssertionError(self.log)

    def close(self) -> None:
        """End the server and the process that it is forked from."""
        if self.process is None:
            return
        if self.pid:
            self.end(signal.SIGKILL)
        self.process.communicate()
        self.process = None


def copies() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "signalbox.settings"
    import django

    django.setup()
    for name in BEFOREHAND:
        import_module(name)
    from signalbox.cli import main
    from workflows.core.dialects import dialects
    from workflows.runner.drivers import drivers

    dialects()
    drivers()
    assert threading.active_count() == 1, "A copy has but the thread that made it."
    for _ in sys.stdin:
        copy = os.fork()
        if not copy:
            print(os.getpid(), flush=True)
            os._exit(main(sys.argv[1:]))
        _, status = os.waitpid(copy, 0)
        print("ended", os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    copies()
