"""Relay of notifications between processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from channels.layers import InMemoryChannelLayer
from channels_redis.core import RedisChannelLayer

from signalbox.storage import channel_layer
from workflows.live.relay import GROUP, Relay
from workflows.notifications import bus


@pytest.fixture
async def layer() -> AsyncIterator[InMemoryChannelLayer]:
    layer = InMemoryChannelLayer()
    relay = Relay(layer)
    while not layer.groups.get(GROUP):
        await asyncio.sleep(0)
    yield layer
    await relay.close()


RINGS = (
    bus.RunChanged(run="r"),
    bus.PackChanged(pack=7, number=3, author="ann"),
    bus.PackWritten(pack=7, number=2, problem="a.pack.json cannot be written: Permission denied."),
    bus.DeltaSent(run="r", key="0:1", text="é", begun=1.5, at=7),
    bus.AnswerEnded(run="r", key="0:1", begun=1.5),
    bus.PartialOutputRequested(run="r"),
)


@pytest.mark.parametrize("ring", RINGS)
async def test_a_notification_reaches_the_other_process_once(
    layer: InMemoryChannelLayer, ring: bus.Notification
) -> None:
    other = await layer.new_channel()
    await layer.group_add(GROUP, other)
    bus.notify(ring)
    sent = await layer.receive(other)
    heard: asyncio.Queue[bus.Notification] = asyncio.Queue()
    stop = bus.subscribe(heard.put_nowait)
    try:
        await layer.group_send(GROUP, {**sent, "from": "another process"})
        assert await asyncio.wait_for(heard.get(), 120) == ring
    finally:
        stop()
    assert (await layer.receive(other))["from"] == "another process"
    for _ in range(10):
        await asyncio.sleep(0)
    assert other not in layer.channels


class Deaf(InMemoryChannelLayer):
    """Takes being cancelled for its time being up, the first time, as Redis' client may."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.deaf = True

    async def receive(self, channel: str) -> dict[str, object]:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancelled:
            if not self.deaf:
                raise
            self.deaf = False
            raise TimeoutError from cancelled
        raise AssertionError


async def test_a_relay_stops_despite_a_swallowed_cancellation() -> None:
    layer = Deaf()
    relay = Relay(layer)
    async with asyncio.timeout(120):
        await layer.asked.wait()
        await relay.close()
    assert not layer.deaf


async def test_a_failing_subscriber_does_not_affect_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[bus.Notification] = []

    def broken(ring: bus.Notification) -> None:
        raise ValueError("no")

    stops = [bus.subscribe(broken), bus.subscribe(heard.append)]
    bus.notify_run("r")
    for stop in stops:
        stop()
    bus.notify_run("again")
    assert heard == [RINGS[0]]
    assert "failed on" in caplog.text


def test_the_redis_timeout_exceeds_the_layers_wait() -> None:
    layer = RedisChannelLayer(**channel_layer("redis://127.0.0.1:6379")["CONFIG"])
    pool = layer.create_pool(0)
    assert pool.connection_kwargs["socket_timeout"] > layer.brpop_timeout
