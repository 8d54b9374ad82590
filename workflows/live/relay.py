"""Carries rings between processes through the channel layer: tiny, and free to get lost.

Within one process nothing goes through the layer; the in-memory layer reaches no other process.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from channels.layers import InMemoryChannelLayer, get_channel_layer

from workflows.notifications import bus

log = logging.getLogger(__name__)

GROUP = "signalbox.rings"
_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        bus.RunRing,
        bus.PackRing,
        bus.DeltaRing,
        bus.SilenceRing,
        bus.WantedRing,
    )
}


class Relay:
    """Sends what rings here to the others, and rings here what they send. Make it on a loop.

    `layer` None: the configured one, unless that reaches this process alone.
    """

    def __init__(self, layer: Any = None) -> None:
        self._name = uuid.uuid4().hex
        self._layer = layer or _layer_to_others()
        self._loop = asyncio.get_running_loop()
        self._coming_in: bus.Ring | None = None
        self._outbox: asyncio.Queue[bus.Ring] = asyncio.Queue(maxsize=1_000)
        self._tasks: list[asyncio.Task[None]] = []
        self._deaf: Callable[[], None] | None = None
        if self._layer is not None:
            self._deaf = bus.listen(self._heard)
            self._tasks = [
                asyncio.create_task(self._send_for_ever(), name="relay-out"),
                asyncio.create_task(self._receive_for_ever(), name="relay-in"),
            ]

    async def close(self) -> None:
        """Redis' client may take being cancelled for its time being up, and then the task would go
        on: it is told until it ends."""
        if self._deaf is not None:
            self._deaf()
        left = set(self._tasks)
        while left:
            for task in left:
                task.cancel()
            _, left = await asyncio.wait(left, timeout=0.5)

    def _heard(self, ring: bus.Ring) -> None:
        if ring is not self._coming_in and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, ring)

    def _put(self, ring: bus.Ring) -> None:
        if not self._outbox.full():
            self._outbox.put_nowait(ring)

    async def _send_for_ever(self) -> None:
        while True:
            ring = await self._outbox.get()
            body = {"kind": type(ring).__name__, "from": self._name, "ring": asdict(ring)}
            try:
                await self._layer.group_send(GROUP, {"type": "ring", **body})
            except Exception:
                log.exception("A ring did not reach the other processes")

    async def _receive_for_ever(self) -> None:
        channel = ""
        while True:
            try:
                channel = channel or await self._join()
                self._ring_here(await self._layer.receive(channel))
            except Exception:
                log.exception("Rings of other processes do not get here; trying again")
                channel = ""
                await asyncio.sleep(1.0)

    async def _join(self) -> str:
        channel: str = await self._layer.new_channel()
        await self._layer.group_add(GROUP, channel)
        return channel

    def _ring_here(self, message: dict[str, Any]) -> None:
        if message["from"] == self._name or message["kind"] not in _KINDS:
            return
        self._coming_in = _KINDS[message["kind"]](**message["ring"])
        bus.ring(self._coming_in)
        self._coming_in = None


def _layer_to_others() -> Any:
    layer = get_channel_layer()
    return None if isinstance(layer, InMemoryChannelLayer) else layer
