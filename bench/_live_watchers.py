"""The watchers of bench.live: many WebSockets in one process.

Arguments: address, cookie, origin, number of sockets, events per socket, number of the last event,
timeout in seconds. Prints `ready`, then one JSON line with the lost and duplicate events and the
latencies in ms. Frames are stored with their time and parsed after the measurement, so that
parsing does not delay other watchers.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

import uvicorn
from websockets.client import ClientProtocol
from websockets.frames import Opcode
from websockets.protocol import State
from websockets.typing import Origin
from websockets.uri import parse_uri


@dataclass
class Crowd:
    """State shared by all watchers of this process. `wait` starts when all are connected."""

    address: str
    cookie: str
    origin: Origin
    sockets: int
    events: int
    last: int
    wait: float

    async def watch(self) -> None:
        uri, loop = parse_uri(self.address), asyncio.get_running_loop()
        watching = [Watcher(self) for _ in range(self.sockets)]
        for one in watching:
            await loop.create_connection(lambda one=one: one, uri.host, uri.port)
        await asyncio.gather(*(one.opened.wait() for one in watching))
        print("ready", flush=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(self.wait):
                await asyncio.gather(*(one.complete.wait() for one in watching))
        lost = doubled = 0
        latencies: list[tuple[float, float]] = []
        for one in watching:
            numbers = one.read(latencies)
            lost += self.events - len(set(numbers))
            doubled += len(numbers) - len(set(numbers))
        print(json.dumps({"lost": lost, "doubled": doubled, "ms": latencies}), flush=True)


@dataclass
class Watcher(asyncio.Protocol):
    """One socket. It is open after the server's greeting, or once connected if there is none."""

    crowd: Crowd
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    complete: asyncio.Event = field(default_factory=asyncio.Event)
    chunks: list[tuple[float, bytes]] = field(default_factory=list)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.protocol = ClientProtocol(parse_uri(self.crowd.address), origin=self.crowd.origin)
        request = self.protocol.connect()
        request.headers["Cookie"] = self.crowd.cookie
        self.protocol.send_request(request)
        cast("asyncio.WriteTransport", transport).writelines(self.protocol.data_to_send())
        greeted = "/ws/runs/" in self.crowd.address
        self._opening = b'"hello"' if greeted else b"\r\n\r\n"
        self._last = b'"n":%d,' % self.crowd.last
        self._last_spaced = b'"n": %d,' % self.crowd.last

    def data_received(self, data: bytes) -> None:
        self.chunks.append((time.time(), data))
        if not self.opened.is_set() and self._opening in data:
            self.opened.set()
        if self._last in data or self._last_spaced in data:
            self.complete.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """A refused or closed socket is waited for no longer. `read` reports it."""
        self.opened.set()
        self.complete.set()

    def read(self, latencies: list[tuple[float, float]]) -> list[int]:
        """Numbers of the received events. Adds the write time and the latency in ms of each."""
        numbers: list[int] = []
        text = b""
        for now, data in self.chunks:
            self.protocol.receive_data(data)
            assert self.protocol.state is State.OPEN, self.protocol.close_exc
            for frame in self.protocol.events_received():
                if getattr(frame, "opcode", None) not in (Opcode.TEXT, Opcode.CONT):
                    continue
                text += frame.data  # type: ignore[union-attr]
                if not frame.fin:  # type: ignore[union-attr]
                    continue
                for event in json.loads(text).get("events", ()):
                    numbers.append(event["n"])
                    latencies.append((event["at"], round((now - event["at"]) * 1000, 2)))
                text = b""
        return numbers


async def main() -> None:
    address, cookie, origin, sockets, events, last, wait = sys.argv[1:]
    crowd = Crowd(
        address=address,
        cookie=cookie,
        origin=Origin(origin),
        sockets=int(sockets),
        events=int(events),
        last=int(last),
        wait=float(wait),
    )
    await crowd.watch()


if __name__ == "__main__":
    gc.disable()
    # The loop of the server, which is faster: the watchers share its processors.
    with asyncio.Runner(loop_factory=uvicorn.Config("").get_loop_factory()) as runner:
        runner.run(main())
