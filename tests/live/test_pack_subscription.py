"""Revision numbers that the viewers of a pack get, and what an opened folder has of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from workflows.live.pack_subscription import PackSubscription
from workflows.live.send_queue import SendQueue
from workflows.live.stored_events import NewestRevision
from workflows.notifications.bus import PackWritten


def at(number: int, written: PackWritten | None = None) -> NewestRevision:
    return NewestRevision(number=number, author="", written=written)


@pytest.fixture
async def subscription() -> AsyncIterator[PackSubscription]:
    async def nothing(pack_id: int) -> NewestRevision | None:
        return None

    made = PackSubscription(1, nothing, poll=60.0)
    yield made
    await made.close()


async def test_a_viewer_whose_hello_was_overtaken_gets_the_newest_number(
    subscription: PackSubscription,
) -> None:
    early, late = SendQueue(), SendQueue()
    subscription.enter(early, "early", at(3))
    subscription.revision(4, "grace")
    assert json.loads(await early.next()) == {"type": "revision", "number": 4, "author": "grace"}
    subscription.enter(late, "late", at(3))
    assert json.loads(await late.next()) == {"type": "revision", "number": 4, "author": ""}


async def test_a_viewer_that_reads_a_newer_number_first_brings_it_to_the_others(
    subscription: PackSubscription,
) -> None:
    early, late = SendQueue(), SendQueue()
    subscription.enter(early, "early", at(3))
    subscription.enter(late, "late", at(4))
    assert json.loads(await early.next()) == {"type": "revision", "number": 4, "author": ""}


async def test_viewers_get_what_the_folder_has_once(subscription: PackSubscription) -> None:
    early, late = SendQueue(), SendQueue()
    before = PackWritten(pack=1, number=2, problem="a.json cannot be written: Permission denied.")
    after = PackWritten(pack=1, number=3)
    subscription.enter(early, "early", at(3, before))
    subscription.written(before)
    subscription.written(after)
    subscription.enter(late, "late", at(3, after))
    frames = [json.loads(await queue.next()) for queue in (early, early, late)]
    assert [(frame["type"], frame["number"], frame["problem"]) for frame in frames] == [
        ("written", 2, before.problem),
        ("written", 3, ""),
        ("written", 3, ""),
    ]
