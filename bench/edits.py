"""Duration of one edit of a large pack over HTTP, on a real server on loopback.

Prints milliseconds from request to response of a connect, a field, a rename, a move and an undo,
for several sizes, and the duration of a fresh parse of the same bytes. Each edit is sent as the
page sends it; "findings" is the request for the findings of a large pack, which follows the
answer. At the end: bytes of the answer to the removal of one state of a chain, and the import of
5,000 states. `bench.gestures` measures the same edits from the key to the drawing.
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
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from bench._rows import Row, print_rows
from workflows.core.limits import STATES
from workflows.core.text.json.document import JsonText

ROOT = Path(__file__).resolve().parent.parent
SIZES = (50, 500, 5_000)
FIRST_DRAG = (200, 1_000, 5_000)


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
        page = self.opener.open(link).read().decode()
        fields = dict(re.findall(r'name="(csrfmiddlewaretoken|token)" value="([^"]+)"', page))
        self.opener.open(f"{self.root}/sign-in/", urlencode(fields).encode()).close()

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        token = next((one.value for one in self.jar if one.name.startswith("csrftoken_")), "") or ""
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


def first_drag(api: Api, states: int) -> Row:
    """Milliseconds of the request that saves the places of all states, in a pack without them."""
    text = pack(states).decode()
    made = api("POST", "import/", {"text": text, "name": "dragged.pack.json"})["packs"][0]
    places = {f"s{number}": [number, number] for number in range(states)}
    body = {"base": made["head"], "edits": [{"type": "move", "positions": places}]}
    took = timed(lambda: api("POST", f"packs/{made['id']}/edits/", body))
    return Row(name=f"answer to a first drag, {states:,} states", value=took, unit="ms")


def measure(api: Api, states: int) -> Row:
    """Print the time of each kind of edit. Returns the 95th percentile of all answers."""
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
            body = {"base": head, "edits": wanted, "check_later": True, "element": "pack"}
            answer = api("POST", f"{path}/edits/", body)
            times.setdefault(name, []).append((time.perf_counter() - began) * 1000)
            head = answer["revision"]
            if answer["findings"] is None:
                waited = timed(lambda: api("GET", f"{path}/findings/?per_rule=50"))
                times.setdefault("findings", []).append(waited)
        began = time.perf_counter()
        head = api("POST", f"{path}/undo/", {"base": head})["revision"]
        times.setdefault("undo", []).append((time.perf_counter() - began) * 1000)
    print(f"{states:,} states, {len(data) / 1e6:.2f} MB: import {imported:.0f} ms, ", end="")
    print(f"whole graph {graph:.0f} ms, a parse alone {parse:.1f} ms")
    for name, all_of_them in times.items():
        middle, worst = statistics.median(all_of_them), max(all_of_them)
        ratio = middle / parse
        print(f"  {name:10} median {middle:6.1f} ms   worst {worst:6.1f} ms   {ratio:6.1f} parses")
    answers = sorted(one for name, values in times.items() if name != "findings" for one in values)
    return Row(
        name=f"answer to an edit p95, {states:,} states",
        value=answers[len(answers) * 95 // 100],
        unit="ms",
        peer=parse,
        peer_name="a parse alone",
    )


def chain_removal(api: Api, states: int) -> Row:
    """Kilobytes of the answer when one state of a chain is removed: no run reaches the others."""
    body = json.loads(pack(states))
    for state in body["workflow"]["states"].values():
        state["on_event"].pop("Skip", None)
    text = json.dumps(body)
    made = api("POST", "import/", {"text": text, "name": "chain.pack.json"})["packs"][0]
    removal = {"base": made["head"], "edits": [{"type": "remove_state", "id": "s7"}]}
    answer = api("POST", f"packs/{made['id']}/edits/", removal)
    size = len(json.dumps(answer)) / 1000
    return Row(name=f"remove from a chain of {states:,}", value=size, unit="kB", goal=100)


def large_import(api: Api, states: int) -> Row:
    """Milliseconds of an import of the largest promised pack through the API."""
    body = {"text": pack(states).decode(), "name": "import.pack.json"}
    took = timed(lambda: api("POST", "import/", body))
    return Row(name=f"import, {states:,} states", value=took, unit="ms", goal=5_000)


def main() -> None:
    with server() as api:
        rows = [measure(api, states) for states in SIZES]
        print_rows(rows)
        print_rows(first_drag(api, states) for states in FIRST_DRAG)
        print_rows((chain_removal(api, 5_000), large_import(api, STATES)))


if __name__ == "__main__":
    main()
