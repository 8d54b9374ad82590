"""The gallery with one pack of 5,000 states: bytes of the page, and the time to its first byte.

    python -m bench.gallery [--states 5000] [--repeat 20]

A real server on loopback. The page is requested uncompressed, so that its size is that of the HTML.
The peer is the same page with one pack of ten states. Times are medians.
"""

from __future__ import annotations

import argparse
import statistics
import time

from bench._rows import Row, print_rows
from bench.edits import Api, pack, server
from workflows.core.limits import STATES

BYTES_GOAL, FIRST_BYTE_GOAL = 100.0, 50.0
"""Kilobytes and milliseconds."""
SMALL = 10


def fetched(api: Api) -> tuple[float, float]:
    """Kilobytes of the gallery, and milliseconds to its first byte."""
    began = time.perf_counter()
    with api.opener.open(f"{api.root}/") as answer:
        first = answer.read(1)
        took = (time.perf_counter() - began) * 1000
        return (len(first) + len(answer.read())) / 1000, took


def measured(states: int, repeat: int) -> tuple[float, float]:
    """Kilobytes and median milliseconds, on a server with one pack of this many states."""
    with server() as api:
        text = pack(states).decode()
        api("POST", "import/", {"text": text, "name": "large.pack.json"})
        seen = [fetched(api) for _ in range(repeat + 1)][1:]
    return seen[-1][0], statistics.median(took for _, took in seen)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=STATES)
    parser.add_argument("--repeat", type=int, default=20)
    given = parser.parse_args()
    small_size, small_time = measured(SMALL, given.repeat)
    size, took = measured(given.states, given.repeat)
    peer_name = f"{SMALL} states"
    print_rows(
        (
            Row(
                name=f"gallery, {given.states:,} states, HTML",
                value=size,
                unit="kB",
                goal=BYTES_GOAL,
                peer=small_size,
                peer_name=peer_name,
            ),
            Row(
                name=f"gallery, {given.states:,} states, first byte",
                value=took,
                unit="ms",
                goal=FIRST_BYTE_GOAL,
                peer=small_time,
                peer_name=peer_name,
            ),
        )
    )


if __name__ == "__main__":
    main()
