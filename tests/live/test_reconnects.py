"""A thousand reconnects at random numbers while a run streams: no gap, nothing twice."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import aclosing

import pytest
from asgiref.sync import sync_to_async

from tests.live.conftest import MakeHub, Write
from workflows.live.hub import Hub
from workflows.models import Run
from workflows.notifications.bus import notify_run

pytestmark = pytest.mark.django_db(transaction=True)

RECONNECTS, WATCHERS, EVENTS, BURST = 1_000, 40, 1_000, 7


class Watcher:
    """Breaks off after a random number of frames and comes back, mostly with the newest number it
    has, and sometimes with any number before: as a page does that was loaded anew."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.connects = 0
        self.log: list[int] = []
        """The numbers it has; from where it came back they are read again."""

    async def watch(self, hub: Hub, run_id: str) -> None:
        while self.connects <= RECONNECTS // WATCHERS or len(self.log) < EVENTS:
            after = len(self.log) if self.chance.random() < 0.7 else self._anywhere()
            del self.log[after:]
            await self._once(hub, run_id, after)

    def _anywhere(self) -> int:
        return self.chance.randint(0, len(self.log))

    async def _once(self, hub: Hub, run_id: str, after: int) -> None:
        """One connection. Whatever comes has to follow what is there, one by one."""
        self.connects += 1
        last = self.connects > RECONNECTS // WATCHERS
        frames = self.chance.randint(1, 6)
        async with aclosing(hub.watch(run_id, after)) as socket:
            async for frame in socket:
                said = json.loads(frame)
                for event in said.get("events", ()):
                    assert event["n"] == len(self.log) + 1, (after, event["n"], len(self.log))
                    self.log.append(event["n"])
                frames -= 1
                if said["type"] == "behind":
                    assert said["after"] == len(self.log)
                if len(self.log) == EVENTS or (frames <= 0 and not last):
                    return


@pytest.mark.parametrize("frames", [200, 2], ids=["roomy", "narrow"])
async def test_a_thousand_reconnects_at_random_numbers_leave_no_gap_and_repeat_nothing(
    run: Run, write: Write, make_hub: MakeHub, frames: int
) -> None:
    hub = make_hub(poll=0.05, frames=frames)
    watchers = [Watcher(seed) for seed in range(WATCHERS)]

    async def stream() -> None:
        """Some rings are lost."""
        for count in range(0, EVENTS, BURST):
            await sync_to_async(write)(min(BURST, EVENTS - count))
            if count % 5:
                notify_run(run.pk)

    async with asyncio.timeout(60):
        await asyncio.gather(stream(), *(one.watch(hub, str(run.pk)) for one in watchers))
    assert sum(one.connects for one in watchers) > RECONNECTS
    assert [one.log for one in watchers] == [list(range(1, EVENTS + 1))] * WATCHERS
    assert hub._runs == {}
