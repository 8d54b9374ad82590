"""The watchers of bench.live: many WebSockets in one process.

Arguments: address, cookie, origin, sockets, events each must get, seconds to wait at most. Prints
`ready`, then one JSON line: how many events were lost or doubled, and the latencies in ms.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from websockets.asyncio.client import connect


async def watch(
    address: str, cookie: str, origin: str, sockets: int, events: int, wait: float
) -> None:
    latencies: list[float] = []
    opened = asyncio.Semaphore(0)
    wrong = await asyncio.gather(
        *(
            one(address, {"Cookie": cookie}, origin, events, wait, latencies, opened)
            for _ in range(sockets)
        ),
        announce(opened, sockets),
    )
    lost, doubled = (sum(counts) for counts in zip(*filter(None, wrong), strict=True))
    print(json.dumps({"lost": lost, "doubled": doubled, "ms": latencies}), flush=True)


async def announce(opened: asyncio.Semaphore, sockets: int) -> None:
    for _ in range(sockets):
        await opened.acquire()
    print("ready", flush=True)


async def one(
    address: str,
    headers: dict[str, str],
    origin: str,
    events: int,
    wait: float,
    latencies: list[float],
    opened: asyncio.Semaphore,
) -> tuple[int, int]:
    seen: set[int] = set()
    got = 0
    async with connect(
        address, additional_headers=headers, origin=origin, compression=None, open_timeout=30
    ) as socket:
        opened.release()
        try:
            async with asyncio.timeout(wait):
                while len(seen) < events:
                    frame = json.loads(await socket.recv())
                    now = time.time()
                    for event in frame.get("events", ()):
                        got += 1
                        seen.add(event["n"])
                        latencies.append(round((now - event["at"]) * 1000, 2))
        except TimeoutError:
            pass
    return events - len(seen), got - len(seen)


if __name__ == "__main__":
    address, cookie, origin, sockets, events, wait = sys.argv[1:]
    asyncio.run(watch(address, cookie, origin, int(sockets), int(events), float(wait)))
