"""Which subscribers join the live subscription at once, and which read the log first."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from workflows.live.run_subscription import RunSubscription
from workflows.live.send_queue import Batch, SendQueue


@pytest.fixture
async def subscription() -> AsyncIterator[RunSubscription]:
    async def nothing(run_id: str, after: int) -> Batch | None:
        return None

    made = RunSubscription("run", nothing, poll=60.0, gap=0.0)
    yield made
    await made.close()


async def test_a_subscriber_that_lacks_events_reads_the_log_first(
    subscription: RunSubscription,
) -> None:
    assert subscription.admit(SendQueue(), 7), "the first subscriber sets the cursor"
    assert subscription.cursor == 7
    assert not subscription.admit(SendQueue(), 0)
    assert not subscription.admit(SendQueue(), 6), "event 7 would be missing"
    assert subscription.admit(SendQueue(), 7)


async def test_a_subscriber_that_is_ahead_gets_no_event_twice(
    subscription: RunSubscription,
) -> None:
    subscription.admit(SendQueue(), 7)
    ahead = SendQueue()
    assert subscription.admit(ahead, 9)
    ahead.take(Batch(first=8, events=['{"n":8}', '{"n":9}', '{"n":10}']))
    assert await ahead.next() == '{"type":"events","events":[{"n":10}]}'
