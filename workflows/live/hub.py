"""The hub of a process: passes notifications on to the subscriptions of its sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from workflows.live.pack_subscription import PackSubscription
from workflows.live.relay import Relay
from workflows.live.run_subscription import RunSubscription
from workflows.live.send_queue import Batch, SendQueue, encode
from workflows.live.session_guard import SessionGuard
from workflows.live.stored_events import (
    NewestRevision,
    current_state,
    events_after,
    newest_revision,
)
from workflows.notifications import bus
from workflows.runner.database_threads import DatabaseThreads

POLL = 1.0
"""Seconds after which the log is read without a notification, since one may be lost."""
LATE = 3.0
"""Seconds that a read may be late before pages get no pings, and report that they are stale."""
GAP = 0.03
"""Minimum seconds between two reads of one run's log, so that frames become fewer and longer when
events are many."""

T = TypeVar("T")


class Hub:
    """Subscriptions by run and pack. Use it on the loop that created it; notifications may come
    from any thread.

    `poll`: seconds without a notification after which the log is read anyway. `frames`: the size of
    each socket's queue.
    """

    def __init__(self, *, poll: float = POLL, gap: float = GAP, frames: int = 200) -> None:
        self._poll = poll
        self._gap = gap
        self._frames = frames
        self._runs: dict[str, RunSubscription] = {}
        self._packs: dict[int, PackSubscription] = {}
        self._threads = DatabaseThreads(size=2, name="live")
        self.guard = SessionGuard(self._threads)
        self._loop = asyncio.get_running_loop()
        self._read_at = self._loop.time()
        self._relay = Relay()
        self._unsubscribe = bus.subscribe(self._on_notification)

    async def close(self) -> None:
        self._unsubscribe()
        await self.guard.close()
        await self._relay.close()
        for run in self._runs.values():
            await run.close()
        for pack in self._packs.values():
            await pack.close()
        await self._threads.close()

    async def watch(self, run_id: str, after: int) -> AsyncIterator[str]:
        """Frames for one socket: `hello`, then every event after `after`, once and in order.

        Ends at once if the run does not exist, and after a `behind` frame, which holds the number
        to reconnect with. Close the iterator when the socket closes.
        """
        where = await self._query(current_state, run_id)
        if where is None:
            return
        yield encode({"type": "hello", "last": where.last, "status": where.status})
        after = max(0, min(after, where.last))
        queue = SendQueue(frames=self._frames)
        async with self._subscription(run_id) as subscription:
            try:
                # A subscriber at the cursor of the others has nothing to catch up.
                admitted = subscription.cursor == after and subscription.admit(queue, after)
                while not admitted:
                    batch = await self._read(run_id, after)
                    if batch is not None:
                        yield batch.frame
                        after = batch.last
                    elif await self._query(current_state, run_id) is None:
                        return
                    admitted = (batch is None or batch.short) and subscription.admit(queue, after)
                subscription.notify()
                while not queue.behind:
                    yield await queue.next()
                yield await queue.next()
            finally:
                subscription.dismiss(queue)

    async def is_newest(self, run_id: str, n: int) -> bool:
        """Return True if the run's log ends with event `n`."""
        where = await self._query(current_state, run_id)
        return where is not None and where.last == n

    @asynccontextmanager
    async def enter(
        self, pack_id: int, name: str
    ) -> AsyncIterator[tuple[PackSubscription, SendQueue] | None]:
        """Join a pack's subscription; the socket's frames come from the queue. None if the pack
        does not exist."""
        newest = await self._newest(pack_id)
        if newest is None:
            yield None
            return
        subscription = self._packs.get(pack_id)
        if subscription is None:
            subscription = self._packs[pack_id] = PackSubscription(
                pack_id, self._newest, poll=self._poll
            )
        queue = SendQueue(frames=self._frames)
        queue.offer(encode({"type": "hello", "head": newest.number}))
        subscription.enter(queue, name, newest)
        try:
            yield subscription, queue
        finally:
            subscription.leave(queue)
            if subscription.empty and self._packs.get(pack_id) is subscription:
                del self._packs[pack_id]
                await subscription.close()

    @asynccontextmanager
    async def _subscription(self, run_id: str) -> AsyncIterator[RunSubscription]:
        subscription = self._runs.get(run_id)
        if subscription is None:
            subscription = RunSubscription(run_id, self._read, poll=self._poll, gap=self._gap)
            self._runs[run_id] = subscription
            bus.notify(bus.PartialOutputRequested(run=run_id))
        subscription.subscribers += 1
        try:
            yield subscription
        finally:
            subscription.subscribers -= 1
            if not subscription.subscribers and self._runs.get(run_id) is subscription:
                del self._runs[run_id]
                await subscription.close()

    async def _read(self, run_id: str, after: int) -> Batch | None:
        return await self._query(events_after, run_id, after)

    async def _newest(self, pack_id: int) -> NewestRevision | None:
        return await self._query(newest_revision, pack_id)

    @property
    def is_current(self) -> bool:
        """False while the database does not answer. Every subscription reads once in `poll`
        seconds, also without a change."""
        return self._loop.time() - self._read_at < self._poll + LATE

    async def _query(self, read: Callable[..., T], *arguments: object) -> T:
        result = await self._threads.run(read, *arguments)
        self._read_at = self._loop.time()
        return result

    def _on_notification(self, notification: bus.Notification) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._dispatch, notification)

    def _dispatch(self, notification: bus.Notification) -> None:
        match notification:
            case bus.RunChanged(run=run) if run in self._runs:
                self._runs[run].notify()
            case bus.DeltaSent(run=run) if run in self._runs:
                self._runs[run].delta(notification)
            case bus.AnswerEnded(run=run, key=key, begun=begun) if run in self._runs:
                self._runs[run].end_output(key, begun)
            case bus.PackChanged(pack=pack, number=number, author=author) if pack in self._packs:
                self._packs[pack].revision(number, author)
            case bus.PackWritten(pack=pack) if pack in self._packs:
                self._packs[pack].written(notification)
            case bus.ProposalsChanged(pack=pack, changes=changes) if pack in self._packs:
                self._packs[pack].proposed(changes)


_hubs: dict[asyncio.AbstractEventLoop, Hub] = {}


def hub() -> Hub:
    """The hub of the running loop, created on first use."""
    loop = asyncio.get_running_loop()
    for gone in [other for other in _hubs if other.is_closed()]:
        del _hubs[gone]
    if loop not in _hubs:
        _hubs[loop] = Hub()
    return _hubs[loop]


async def close_hub() -> None:
    """Close the hub of the running loop, if there is one."""
    hub = _hubs.pop(asyncio.get_running_loop(), None)
    if hub is not None:
        await hub.close()
