"""200 subscribers of one run with 200 events per second, compared with `group_send` per event.

A real server and real sockets in separate processes, on loopback only. The log is written four
events at a time, like the steps of a run. Options:
`--watchers 200 --rate 200 --seconds 10`; the comparison runs with a quarter of the watchers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench._rows import Row, print_rows

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 2
JOINING = 1.0
"""Seconds during which new subscribers are still catching up."""


@dataclass(frozen=True, kw_only=True)
class Load:
    watchers: int
    rate: int
    seconds: float

    @property
    def events(self) -> int:
        return round(self.rate * self.seconds)


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.live")
    options.add_argument("--watchers", type=int, default=200)
    options.add_argument("--rate", type=int, default=200)
    options.add_argument("--seconds", type=float, default=10.0)
    given = options.parse_args()
    load = Load(watchers=given.watchers, rate=given.rate, seconds=given.seconds)
    smaller = Load(watchers=max(2, load.watchers // 4), rate=load.rate, seconds=3.0)
    with subprocess.Popen(
        [sys.executable, "-m", "bench._live_server"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        where = json.loads(server.stdout.readline())
        hub = measure(server, where, load, "log", after=0)
        same = measure(server, where, smaller, "log", after=load.events)
        layer = measure(server, where, smaller, "group_send", after=0)
        server.stdin.close()
    ratio = layer["p99"] / same["p99"]
    print(f"At {smaller.watchers} watchers group_send takes {ratio:.1f} times the hub's p99.")
    print_rows(
        (
            Row(
                name=f"event to page p99, {load.watchers} watchers × {load.rate}/s",
                value=hub["p99"],
                unit="ms",
                goal=10,
            ),
            Row(
                name=f"event to page p99, {smaller.watchers} watchers",
                value=same["p99"],
                unit="ms",
                peer=layer["p99"],
                peer_name="group_send",
            ),
        )
    )
    return int(bool(hub["lost"] or hub["doubled"]))


def measure(
    server: subprocess.Popen[str], where: dict[str, Any], load: Load, mode: str, *, after: int
) -> dict[str, Any]:
    """Measure one load with one implementation. Prints and returns the result."""
    path = f"/ws/runs/{where['run']}/?after={after}" if mode == "log" else "/ws/compare/"
    crowd = [watchers(where, path, load, after) for _ in range(PROCESSES)]
    for process in crowd:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    assert server.stdin is not None
    assert server.stdout is not None
    order = {"rate": load.rate, "seconds": load.seconds, "mode": mode}
    server.stdin.write(json.dumps(order) + "\n")
    server.stdin.flush()
    begun = time.monotonic()
    server.stdout.readline()
    took = time.monotonic() - begun
    seen = [json.loads(process.communicate()[0]) for process in crowd]
    took_ms = [pair for part in seen for pair in part["ms"]]
    joined = min((at for at, _ in took_ms), default=0.0) + JOINING
    ms = sorted(value for _, value in took_ms)
    settled = sorted(value for at, value in took_ms if at > joined) or ms
    found = {
        "lost": sum(part["lost"] for part in seen),
        "doubled": sum(part["doubled"] for part in seen),
        "p50": ms[len(ms) // 2],
        "p99": ms[len(ms) * 99 // 100],
        "settled": settled[len(settled) * 99 // 100],
    }
    name = "hub and log" if mode == "log" else "group_send per event"
    print(
        f"{name:22} {load.watchers:4} watchers × {load.rate} events/s × {load.seconds:g} s: "
        f"lost {found['lost']:,} of {load.events * load.watchers:,}, doubled {found['doubled']}, "
        f"p50 {found['p50']:.1f} ms, p99 {found['p99']:.1f} ms, "
        f"after the first second {found['settled']:.1f} ms; "
        f"written in {took:.1f} s; load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    return found


def watchers(where: dict[str, Any], path: str, load: Load, after: int) -> subprocess.Popen[str]:
    origin = f"http://127.0.0.1:{where['port']}"
    address = f"ws://127.0.0.1:{where['port']}{path}"
    each = str(load.watchers // PROCESSES)
    wait = str(load.seconds * 3 + 30)
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "bench._live_watchers"),
            *(address, where["cookie"], origin, each),
            *(str(load.events), str(after + load.events), wait),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
