"""The watchers of bench.live: many WebSockets in one process.

Arguments: address, cookie, origin, sockets, events each must get, seconds to wait at most. Prints
`ready`, then one JSON line: how many events were lost or doubled, and the latencies in ms.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field

from websockets.asyncio.client import connect
from websockets.typing import Origin


@dataclass
class Crowd:
    """What all watchers of this process share. `wait` counts from when all of them are there."""

    address: str
    headers: dict[str, str]
    origin: Origin
    sockets: int
    events: int
    wait: float
    latencies: list[tuple[float, float]] = field(default_factory=list)
    """When each event was written, and milliseconds until it was here."""
    opened: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))
    complete: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self) -> None:
        watching = [asyncio.create_task(self.one()) for _ in range(self.sockets)]
        for _ in watching:
            await self.opened.acquire()
        self.complete.set()
        print("ready", flush=True)
        wrong = await asyncio.gather(*watching)
        lost, doubled = (sum(counts) for counts in zip(*wrong, strict=True))
        print(json.dumps({"lost": lost, "doubled": doubled, "ms": self.latencies}), flush=True)

    async def one(self) -> tuple[int, int]:
        """How many events one watcher never got, and how many it got twice."""
        seen: set[int] = set()
        got = 0
        async with connect(
            self.address,
            additional_headers=self.headers,
            origin=self.origin,
            compression=None,
            open_timeout=60,
        ) as socket:
            if "/ws/runs/" in self.address:
                assert json.loads(await socket.recv())["type"] == "hello"
            self.opened.release()
            await self.complete.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.wait):
                    while len(seen) < self.events:
                        got += self.take(await socket.recv(), seen)
        return self.events - len(seen), got - len(seen)

    def take(self, frame: str | bytes, seen: set[int]) -> int:
        now = time.time()
        events = json.loads(frame).get("events", ())
        for event in events:
            seen.add(event["n"])
            self.latencies.append((event["at"], round((now - event["at"]) * 1000, 2)))
        return len(events)


async def main() -> None:
    address, cookie, origin, sockets, events, wait = sys.argv[1:]
    crowd = Crowd(
        address=address,
        headers={"Cookie": cookie},
        origin=Origin(origin),
        sockets=int(sockets),
        events=int(events),
        wait=float(wait),
    )
    await crowd.watch()


if __name__ == "__main__":
    gc.disable()
    asyncio.run(main())
