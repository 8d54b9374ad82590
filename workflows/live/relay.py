"""Sends notifications to other processes through the channel layer. They may be lost.

Within one process the layer carries no messages; the in-memory layer reaches no other process.
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
from workflows.telemetry.outages import Outage

log = logging.getLogger(__name__)

GROUP = "signalbox.rings"
_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        bus.RunChanged,
        bus.PackChanged,
        bus.PackWritten,
        bus.ProposalsChanged,
        bus.DeltaSent,
        bus.AnswerEnded,
        bus.PartialOutputRequested,
    )
}


class Relay:
    """Forwards notifications of this process to the others, and theirs to this one. Create it on a
    running loop.

    `layer`: None for the configured one, unless that reaches only this process.
    """

    def __init__(self, layer: Any = None) -> None:
        self._name = uuid.uuid4().hex
        self._layer = layer or _layer_to_others()
        self._loop = asyncio.get_running_loop()
        self._incoming: bus.Notification | None = None
        self._outbox: asyncio.Queue[bus.Notification] = asyncio.Queue(maxsize=1_000)
        self._tasks: list[asyncio.Task[None]] = []
        self._unsubscribe: Callable[[], None] | None = None
        if self._layer is not None:
            self._unsubscribe = bus.subscribe(self._on_notification)
            self._tasks = [
                asyncio.create_task(self._send_all(), name="relay-out"),
                asyncio.create_task(self._receive_all(), name="relay-in"),
            ]

    async def close(self) -> None:
        """Cancel the tasks until they end: the Redis client can mistake a cancellation for its own
        timeout and continue."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        left = set(self._tasks)
        while left:
            for task in left:
                task.cancel()
            _, left = await asyncio.wait(left, timeout=0.5)

    def _on_notification(self, notification: bus.Notification) -> None:
        if notification is not self._incoming and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._enqueue, notification)

    def _enqueue(self, notification: bus.Notification) -> None:
        if not self._outbox.full():
            self._outbox.put_nowait(notification)

    async def _send_all(self) -> None:
        outage = Outage("notifications_out", "Notifications to other processes", log)
        while True:
            notification = await self._outbox.get()
            body = {
                "kind": type(notification).__name__,
                "from": self._name,
                "ring": asdict(notification),
            }
            try:
                await self._layer.group_send(GROUP, {"type": "ring", **body})
                outage.ended()
            except Exception as error:
                outage.failed(error)

    async def _receive_all(self) -> None:
        channel = ""
        outage = Outage("notifications_in", "Notifications of other processes", log)
        while True:
            try:
                channel = channel or await self._join()
                outage.ended()
                self._notify_here(await self._layer.receive(channel))
            except Exception as error:
                outage.failed(error)
                channel = ""
                await asyncio.sleep(1.0)

    async def _join(self) -> str:
        channel: str = await self._layer.new_channel()
        await self._layer.group_add(GROUP, channel)
        return channel

    def _notify_here(self, message: dict[str, Any]) -> None:
        if message["from"] == self._name or message["kind"] not in _KINDS:
            return
        self._incoming = _KINDS[message["kind"]](**message["ring"])
        bus.notify(self._incoming)
        self._incoming = None


def _layer_to_others() -> Any:
    layer = get_channel_layer()
    return None if isinstance(layer, InMemoryChannelLayer) else layer
