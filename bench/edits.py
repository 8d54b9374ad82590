"""Duration of one edit of a large pack over HTTP, on a real server on loopback.

Prints milliseconds from request to response of a connect, a field, a rename, a move and an undo,
for several sizes, and the duration of a fresh parse of the same bytes.
"""

from __future__ import annotations

import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from workflows.core.text.json.document import JsonText

ROOT = Path(__file__).resolve().parent.parent
SIZES = (50, 500, 5_000)


def pack(states: int) -> bytes:
    """A workflow of this many states and one and a half times as many transitions."""
    prompt = {"id": "work", "name": "Work", "version": "1.0.0", "system_template": "Do the work."}
    table = {}
    for number in range(states):
        ways = {"Next": f"s{(number + 1) % states}"}
        if number % 2 == 0:
            ways["Skip"] = f"s{(number * 7 + 3) % states}"
        table[f"s{number}"] = {"prompt_task": "work", "description": "A step.", "on_event": ways}
    body = {
        "id": "large",
        "name": "Large",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {"work": prompt},
        "workflow": {"version": 1, "entry": "s0", "states": table},
    }
    return json.dumps(body, indent=2).encode()


class Api:
    """The HTTP API, signed in by the server's one-time link."""

    def __init__(self, link: str) -> None:
        self.root = link.split("/sign-in/")[0]
        self.jar = CookieJar()
        self.opener: OpenerDirector = build_opener(HTTPCookieProcessor(self.jar))
        self.opener.open(link).read()

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        token = next((one.value for one in self.jar if one.name == "csrftoken"), "") or ""
        request = Request(
            f"{self.root}/api/v1/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "X-CSRFToken": token},
            method=method,
        )
        answer: bytes = self.opener.open(request).read()
        return json.loads(answer) if answer else None


@contextmanager
def server() -> Iterator[Api]:
    """`signalbox serve` in a process and a folder of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as data:
        process = subprocess.Popen(
            [sys.executable, "-m", "signalbox", "serve", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, "SIGNALBOX_DATA": data, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            found = (re.search(r"http://\S+sign-in/\S+", line) for line in process.stdout)
            yield Api(next(one.group() for one in found if one))
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def timed(ask: Any) -> float:
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1000


def edits(number: int) -> dict[str, list[dict[str, Any]]]:
    """One edit of each kind, different for each number."""
    state = f"s{number * 3 + 1}"
    return {
        "connect": [{"type": "connect", "source": state, "target": "s0", "label": f"Back{number}"}],
        "set_field": [
            {
                "type": "set_field",
                "element": f"state:{state}",
                "field": "/description",
                "value": f"Step {number}.",
            }
        ],
        "rename": [{"type": "rename_state", "id": state, "new_id": f"renamed{number}"}],
        "move": [{"type": "move", "positions": {"s0": [number, number]}}],
    }


def measure(api: Api, states: int) -> None:
    data = pack(states)
    parse = min(timed(lambda: JsonText.parse(data)) for _ in range(3))
    began = time.perf_counter()
    made = api("POST", "import/", {"text": data.decode(), "name": "large.pack.json"})["packs"][0]
    imported = (time.perf_counter() - began) * 1000
    path = f"packs/{made['id']}"
    graph = timed(lambda: api("GET", f"{path}/graph/"))
    head = made["head"]
    times: dict[str, list[float]] = {}
    for number in range(10):
        for name, wanted in edits(number).items():
            began = time.perf_counter()
            head = api("POST", f"{path}/edits/", {"base": head, "edits": wanted})["revision"]
            times.setdefault(name, []).append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
        head = api("POST", f"{path}/undo/", {"base": head})["revision"]
        times.setdefault("undo", []).append((time.perf_counter() - began) * 1000)
    print(f"{states:,} states, {len(data) / 1e6:.2f} MB: import {imported:.0f} ms, ", end="")
    print(f"whole graph {graph:.0f} ms, a parse alone {parse:.1f} ms")
    for name, all_of_them in times.items():
        middle, worst = statistics.median(all_of_them), max(all_of_them)
        ratio = middle / parse
        print(f"  {name:10} median {middle:6.1f} ms   worst {worst:6.1f} ms   {ratio:6.1f} parses")


def main() -> None:
    with server() as api:
        for states in SIZES:
            measure(api, states)


if __name__ == "__main__":
    main()
