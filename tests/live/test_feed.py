"""Which subscribers join the live feed at once, and which read the log first."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workflows.live.run_subscription import Feed
from workflows.live.send_queue import Batch, Mailbox


@pytest.fixture
async def feed() -> AsyncIterator[Feed]:
    async def nothing(run_id: str, after: int) -> Batch | None:
        return None

    made = Feed("run", nothing, silence=60.0, gap=0.0)
    yield made
    await made.close()


async def test_a_subscriber_that_lacks_events_reads_the_log_first(feed: Feed) -> None:
    assert feed.admit(Mailbox(), 7), "the first subscriber sets the cursor"
    assert feed.cursor == 7
    assert not feed.admit(Mailbox(), 0)
    assert not feed.admit(Mailbox(), 6), "event 7 would be missing"
    assert feed.admit(Mailbox(), 7)


async def test_a_subscriber_that_is_ahead_gets_no_event_twice(feed: Feed) -> None:
    feed.admit(Mailbox(), 7)
    ahead = Mailbox()
    assert feed.admit(ahead, 9)
    ahead.take(Batch(first=8, events=['{"n":8}', '{"n":9}', '{"n":10}']))
    assert await ahead.next() == '{"type":"events","events":[{"n":10}]}'
