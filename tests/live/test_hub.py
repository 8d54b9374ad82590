"""Watching a run: everything once, in order, however late or slow one is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError

from tests.live.conftest import MakeHub, Write
from workflows.live import hub as hub_module
from workflows.live.hub import Hub
from workflows.live.stored_events import PAGE, events_after
from workflows.models import Run
from workflows.notifications.bus import DeltaSent, notify, notify_run

pytestmark = pytest.mark.django_db(transaction=True)
Frames = AsyncIterator[str]


async def read(frames: Frames, *, until: int) -> list[int]:
    """The numbers of the events that come, up to `until`."""
    numbers: list[int] = []
    async with asyncio.timeout(120):
        while not numbers or numbers[-1] < until:
            frame = json.loads(await anext(frames))
            assert frame["type"] in ("hello", "events")
            numbers += [event["n"] for event in frame.get("events", ())]
    return numbers


async def frame(frames: Frames) -> dict[str, Any]:
    async with asyncio.timeout(120):
        found: dict[str, Any] = json.loads(await anext(frames))
    return found


async def add(write: Write, count: int) -> None:
    await sync_to_async(write)(count)


async def test_joining_after_three_gets_the_remaining_events(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    await add(write, 10)
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 3)) as frames:
        assert await frame(frames) == {"type": "hello", "last": 10, "status": "running"}
        assert await read(frames, until=10) == list(range(4, 11))
        await add(write, 5)
        notify_run(run.pk)
        assert await read(frames, until=15) == list(range(11, 16))


async def test_a_notification_from_any_thread_arrives(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 0)) as frames:
        await frame(frames)
        waiting = asyncio.create_task(read(frames, until=4))
        await asyncio.to_thread(lambda: (write(4), notify_run(run.pk)))
        assert await waiting == [1, 2, 3, 4]


async def test_a_lost_notification_delays_events_by_one_interval(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    hub = make_hub(poll=0.05)
    async with aclosing(hub.watch(str(run.pk), 0)) as frames:
        await frame(frames)
        waiting = asyncio.create_task(read(frames, until=3))
        await add(write, 3)
        assert await waiting == [1, 2, 3]


async def test_late_subscribers_catch_up_while_the_log_grows(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    total = 3 * PAGE + 7
    await add(write, PAGE)
    hub = make_hub()

    async def watcher(after: int) -> list[int]:
        async with aclosing(hub.watch(str(run.pk), after)) as frames:
            return await read(frames, until=total)

    async def writer() -> None:
        while (last := (await Run.objects.aget(pk=run.pk)).last) < total:
            await add(write, min(97, total - last))
            notify_run(run.pk)

    starts = (0, 1, PAGE - 1, PAGE, 3, 499, 250)
    *seen, _ = await asyncio.gather(*map(watcher, starts), writer())
    assert seen == [list(range(after + 1, total + 1)) for after in starts]


async def test_a_full_send_queue_names_the_event_to_reconnect_after(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    hub = make_hub(frames=3)
    slow = hub.watch(str(run.pk), 0)
    async with aclosing(hub.watch(str(run.pk), 0)) as quick:
        await frame(slow)
        await frame(quick)
        first = asyncio.gather(read(slow, until=1), read(quick, until=1))
        await joined(hub, 2)
        await add(write, 1)
        notify_run(run.pk)
        assert await first == [[1], [1]]
        for n in range(2, 8):
            await add(write, 1)
            notify_run(run.pk)
            assert await read(quick, until=n) == [n]
        behind = await frame(slow)
        assert behind == {"type": "behind", "after": 1}
        with pytest.raises(StopAsyncIteration):
            await anext(slow)
    async with aclosing(hub.watch(str(run.pk), behind["after"])) as again:
        assert await read(again, until=7) == list(range(2, 8))


async def test_the_log_is_read_once_for_all_subscribers(
    run: Run, write: Write, make_hub: MakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = make_hub()
    watchers = [hub.watch(str(run.pk), 0) for _ in range(20)]
    for frames in watchers:
        await frame(frames)
    waiting = asyncio.gather(*(read(frames, until=1) for frames in watchers))
    await asyncio.sleep(0)
    await joined(hub, 20)
    reads: list[int] = []

    def counted(run_id: str, after: int) -> Any:
        reads.append(after)
        return events_after(run_id, after)

    monkeypatch.setattr("workflows.live.hub.events_after", counted)
    await add(write, 1)
    notify_run(run.pk)
    assert await waiting == [[1]] * 20
    assert len(reads) <= 2
    for frames in watchers:
        await frames.aclose()


async def joined(hub: Hub, count: int) -> None:
    """Wait until `count` subscribers have caught up."""
    async with asyncio.timeout(120):
        while sum(len(subscription._queues) for subscription in hub._runs.values()) < count:
            await asyncio.sleep(0.001)


async def test_deltas_reach_subscribers_and_are_not_stored(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    await add(write, 1)
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 0)) as frames:
        assert await read(frames, until=1) == [1]
        waiting = asyncio.create_task(frame(frames))
        await joined(hub, 1)
        for at, piece in ((0, "Hel"), (3, "lo "), (6, "you")):
            notify(DeltaSent(run=str(run.pk), key="0:1", text=piece, begun=1.0, at=at))
        whole = {"type": "delta", "key": "0:1", "begun": 1.0, "at": 0, "text": "Hello you"}
        assert await waiting == whole
    assert await sync_to_async(events_after)(run.pk, 1) is None


async def test_deltas_arrive_before_the_event_with_the_whole_text(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 0)) as frames:
        await frame(frames)
        waiting = asyncio.create_task(frame(frames))
        await joined(hub, 1)
        notify(DeltaSent(run=str(run.pk), key="0:1", text="all of it", begun=1.0, at=0))
        await add(write, 1)
        notify_run(run.pk)
        assert (await waiting)["type"] == "delta"
        assert await read(frames, until=1) == [1]


async def test_a_number_beyond_the_log_counts_as_its_end(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    await add(write, 2)
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 99)) as frames:
        await frame(frames)
        waiting = asyncio.create_task(read(frames, until=3))
        await joined(hub, 1)
        await add(write, 1)
        notify_run(run.pk)
        assert await waiting == [3]


async def test_a_missing_run_has_no_subscription(transactional_db: None, make_hub: MakeHub) -> None:
    frames = make_hub().watch("00000000-0000-0000-0000-000000000000", 0)
    assert [frame async for frame in frames] == []


async def test_no_task_runs_without_subscribers(run: Run, write: Write, make_hub: MakeHub) -> None:
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 0)) as frames:
        await add(write, 1)
        await read(frames, until=1)
        assert list(hub._runs) == [str(run.pk)]
    assert hub._runs == {}


async def test_a_subscriber_that_leaves_ends_no_other_subscription(
    run: Run, write: Write, make_hub: MakeHub
) -> None:
    await add(write, 2)
    hub = make_hub()
    async with aclosing(hub.watch(str(run.pk), 0)) as stays:
        async with aclosing(hub.watch(str(run.pk), 0)) as leaves:
            for frames in (stays, leaves):
                assert await read(frames, until=2) == [1, 2]
        await add(write, 1)
        notify_run(run.pk)
        assert await read(stays, until=3) == [3]


async def test_a_hub_is_current_again_with_the_first_read_after_an_outage(
    run: Run, write: Write, make_hub: MakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pings, without which a page reports that it may be behind, are sent by a current hub only."""
    hub = make_hub(poll=0.01)
    await add(write, 1)
    async with aclosing(hub.watch(str(run.pk), 0)) as frames:
        assert await read(frames, until=1) == [1]
        assert hub.is_current
        with monkeypatch.context() as outage:

            def away(*_: object) -> None:
                raise OperationalError("The database is away.")

            outage.setattr(hub_module, "LATE", 0.0)
            outage.setattr(hub_module, "events_after", away)
            async with asyncio.timeout(120):
                while hub.is_current:
                    await asyncio.sleep(0.01)
        async with asyncio.timeout(120):
            await add(write, 1)
            notify_run(run.pk)
            assert await read(frames, until=2) == [2]
        assert hub.is_current
