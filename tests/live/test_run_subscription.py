"""Events that a subscriber reads from the log or from a batch."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from workflows.live.run_subscription import RunSubscription
from workflows.live.send_queue import Batch, SendQueue
from workflows.notifications.bus import DeltaSent


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


async def test_a_late_subscriber_gets_what_the_others_have_received(
    subscription: RunSubscription,
) -> None:
    """The beginning of this output is unknown, and its end is not sent yet."""
    early, late = SendQueue(), SendQueue()
    subscription.admit(early, 0)
    subscription.delta(DeltaSent(run="run", key="0:1", begun=1.0, at=7, text="a dark "))
    assert json.loads(await early.next())["text"] == "a dark "
    subscription.delta(DeltaSent(run="run", key="0:1", begun=1.0, at=14, text="night"))
    subscription.admit(late, 0)
    first = json.loads(await late.next())
    assert (first["at"], first["text"]) == (7, "a dark ")
    for queue in (early, late):
        rest = json.loads(await queue.next())
        assert (rest["at"], rest["text"]) == (14, "night")
