"""The runs that one worker holds a lease on: works on each, and lets go of what it lost."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from uuid import UUID

from django.db import Error as DatabaseError

from workflows.runner.database_threads import DATABASE_AWAY, DatabaseThreads
from workflows.runner.queue import leases
from workflows.runner.queue.base import Step
from workflows.runner.queue.worker_identity import new_worker

log = logging.getLogger(__name__)

POLL = 1.0
"""Seconds between looks at the table when no bell rings."""
BEAT = 5.0
"""Seconds between renewals of the leases held."""
AT_ONCE = 5_000
"""Runs under way in one worker: most of them wait for a model, which costs a connection each."""
GIVE_UP_AFTER = 20
"""Times that a run may be in hand when its worker dies, or break off, without getting anywhere: the
last thirteen of them as the only suspect (see `leases`); who is innocent gets somewhere then."""


class LeaseHolder:
    """Whatever a queue claimed, it begins here. `ended` is called whenever a run was put down."""

    def __init__(
        self,
        step: Step,
        *,
        threads: DatabaseThreads,
        give_up: Callable[[UUID], None],
        ended: Callable[[], None],
        poll: float,
        beat: float,
    ) -> None:
        self.worker = new_worker()
        self._step = step
        self._threads = threads
        self._give_up = give_up
        self._ended = ended
        self._poll = poll
        self._beat = beat
        self._under_way: dict[UUID, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._under_way)

    def __contains__(self, run_id: UUID) -> bool:
        return run_id in self._under_way

    @property
    def runs(self) -> Collection[UUID]:
        return self._under_way.keys()

    def begin(self, job: leases.Claimed) -> asyncio.Task[None]:
        """Work on a run that was claimed for this worker, and release it afterwards."""
        task = asyncio.create_task(self._work(job), name=f"run-{job.run_id}")
        self._under_way[job.run_id] = task
        task.add_done_callback(lambda _: self._put_down(job.run_id))
        return task

    async def let_go(self) -> None:
        """Cancel what is under way and give it back, for others to take at once."""
        await asyncio.sleep(0)  # one that never began would not give its run back
        tasks = tuple(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self._beat)
            held = dict(self._under_way)
            try:
                mine = await self._threads.run(
                    leases.renew, self.worker, tuple(held), now=time.time()
                )
            except DatabaseError:
                log.exception("Could not renew leases; trying again")
                continue
            for run_id, task in held.items():
                if run_id not in mine:
                    task.cancel()

    def _put_down(self, run_id: UUID) -> None:
        self._under_way.pop(run_id, None)
        self._ended()

    async def _work(self, job: leases.Claimed) -> None:
        blameless = False
        try:
            if job.attempts > GIVE_UP_AFTER:
                await self._threads.run(self._give_up, job.run_id)
            else:
                await self._step(job.run_id)
        except asyncio.CancelledError:
            blameless = True
            raise
        except Exception as why:
            log.exception("Run %s was put down; it will be taken up again", job.run_id)
            blameless = isinstance(why, DATABASE_AWAY)
            await asyncio.sleep(self._poll)
        finally:
            with suppress(DatabaseError):
                release = partial(leases.release, self.worker, job.run_id, untouched=blameless)
                await self._threads.run(release)
