"""Processes that the kill tests may end at any moment: each is a worker.

Imports take the most time, so they are done once: for every line on stdin this process forks,
prints the fork's number, and `ended` when it has exited. The worker prints `ready`, then a line for
every commit; it exits with `done` when no run can continue. Its database is the one in the
environment. The driver `poison` kills its own worker.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from importlib import import_module
from typing import Any


def say(word: str) -> None:
    """Print a line at once, from any thread."""
    os.write(1, f"{word}\n".encode())


class Poison:
    name = label = description = "poison"
    claims: dict[str, str] = {}

    async def answer(self, *given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


async def main() -> None:
    from workflows.models import Job
    from workflows.notifications import bus
    from workflows.runner.worker import worker

    bus.subscribe(lambda ring: say("committed"))
    say("ready")
    async with worker() as mine:
        while await Job.objects.aexists():
            await mine.run_until_idle()
    say("done")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")
    import django

    django.setup()
    from tests.support.tiny_dialect import register
    from workflows.runner.drivers import drivers

    register()
    drivers()["poison"] = Poison()
    import_module("workflows.runner.worker")
    for _ in sys.stdin:
        child = os.fork()
        if not child:
            say(str(os.getpid()))
            asyncio.run(main())
            os._exit(0)
        os.waitpid(child, 0)
        say("ended")
