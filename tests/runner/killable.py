"""A process that the kill test may end at any moment: a worker, and nothing else.

Prints `ready`, then a line whenever something was committed; ends when every run is over. Its
database is the one that the environment names.
"""

from __future__ import annotations

import asyncio
import os


async def main() -> None:
    from workflows import doorbell
    from workflows.models import Run
    from workflows.runner.worker import worker

    doorbell.listen(lambda ring: print("committed", flush=True))
    print("ready", flush=True)
    async with worker() as mine:
        while await Run.objects.filter(finished_at=None).aexists():
            await mine.run_until_idle()
    print("done", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")
    import django

    django.setup()
    from tests.runner.tiny import register

    register()
    asyncio.run(main())
