"""Reconnects at random event numbers while a run streams: no gap, and nothing twice."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import aclosing

import pytest
from asgiref.sync import sync_to_async

from tests.live.conftest import MakeHub, Write
from tests.support.checks import quick_or_slow
from workflows.live.hub import Hub
from workflows.models import Run
from workflows.notifications.bus import notify_run

pytestmark = pytest.mark.django_db(transaction=True)

WATCHERS, BURST = 40, 7


class Watcher:
    """Breaks off after a random number of frames and comes back, mostly with the newest number it
    has, and sometimes with any number before: like a reloaded page."""

    def __init__(self, seed: int, *, reconnects: int, events: int) -> None:
        self.reconnects = reconnects // WATCHERS
        self.events = events
        self.chance = random.Random(seed)
        self.connects = 0
        self.log: list[int] = []
        """The numbers it has; from where it came back they are read again."""

    async def watch(self, hub: Hub, run_id: str) -> None:
        while self.connects <= self.reconnects or len(self.log) < self.events:
            after = len(self.log) if self.chance.random() < 0.7 else self._anywhere()
            del self.log[after:]
            await self._once(hub, run_id, after)

    def _anywhere(self) -> int:
        return self.chance.randint(0, len(self.log))

    async def _once(self, hub: Hub, run_id: str, after: int) -> None:
        """One connection. Every event must follow the previous one."""
        self.connects += 1
        last = self.connects > self.reconnects
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
                if len(self.log) == self.events or (frames <= 0 and not last):
                    return


@pytest.mark.parametrize("reconnects", quick_or_slow(80, 1_000))
@pytest.mark.parametrize("frames", [200, 2], ids=["roomy", "narrow"])
async def test_reconnects_at_random_numbers_leave_no_gap_and_repeat_nothing(
    run: Run, write: Write, make_hub: MakeHub, frames: int, reconnects: int
) -> None:
    events = reconnects
    hub = make_hub(poll=0.05, frames=frames)
    watchers = [Watcher(seed, reconnects=reconnects, events=events) for seed in range(WATCHERS)]

    async def stream() -> None:
        """Add events; some notifications are lost."""
        for count in range(0, events, BURST):
            await sync_to_async(write)(min(BURST, events - count))
            if count % 5:
                notify_run(run.pk)

    async with asyncio.timeout(300):
        await asyncio.gather(stream(), *(one.watch(hub, str(run.pk)) for one in watchers))
    assert sum(one.connects for one in watchers) > reconnects
    assert [one.log for one in watchers] == [list(range(1, events + 1))] * WATCHERS
    assert hub._runs == {}
