"""Revision numbers that the viewers of a pack get."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from workflows.live.pack_subscription import PackSubscription
from workflows.live.send_queue import SendQueue


@pytest.fixture
async def subscription() -> AsyncIterator[PackSubscription]:
    async def nothing(pack_id: int) -> tuple[int, str] | None:
        return None

    made = PackSubscription(1, nothing, poll=60.0)
    yield made
    await made.close()


async def test_a_viewer_whose_hello_was_overtaken_gets_the_newest_number(
    subscription: PackSubscription,
) -> None:
    early, late = SendQueue(), SendQueue()
    subscription.enter(early, "early", 3)
    subscription.revision(4, "grace")
    assert json.loads(await early.next()) == {"type": "revision", "number": 4, "author": "grace"}
    subscription.enter(late, "late", 3)
    assert json.loads(await late.next()) == {"type": "revision", "number": 4, "author": ""}


async def test_a_viewer_that_reads_a_newer_number_first_brings_it_to_the_others(
    subscription: PackSubscription,
) -> None:
    early, late = SendQueue(), SendQueue()
    subscription.enter(early, "early", 3)
    subscription.enter(late, "late", 4)
    assert json.loads(await early.next()) == {"type": "revision", "number": 4, "author": ""}
