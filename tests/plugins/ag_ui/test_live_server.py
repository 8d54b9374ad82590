"""A run that a front end starts on a real server, and its stream after a lost connection."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request

import pytest

from signalbox.serve import GRACE
from tests.plugins.ag_ui.client import body, read_stream
from tests.plugins.ag_ui.verifier import check_stream
from tests.support.live_server import LiveServer

SAMPLE = "promptpack/code-review"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    server = LiveServer(tmp_path)
    server.start()
    yield server
    if server.process is not None:
        server.stop()


def opened(server: LiveServer, path: str, sent: Any = None, after: str = "") -> Any:
    headers = {"Accept": "text/event-stream", "Content-Type": "application/json"}
    headers["X-CSRFToken"] = server.cookie("csrftoken")
    if after:
        headers["Last-Event-ID"] = after
    data = None if sent is None else json.dumps(sent).encode()
    asked = Request(f"{server.url}/api/v1/{path}", data=data, headers=headers)
    return server.browser().open(asked, timeout=60)


def test_a_rehearsal_is_streamed_to_its_end_over_two_connections(server: LiveServer) -> None:
    server.sign_in()
    pack = server.post("packs/", {"sample": SAMPLE})["id"]
    asked = body("Review it.", driver="rehearsal", seed=3, delay_ms=20)
    first = []
    with opened(server, f"packs/{pack}/ag-ui/", asked) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        for one in read_stream(answer):
            first.append(one)
            if one.data["type"] == "STEP_STARTED":
                break
    assert first[-1].data["type"] == "STEP_STARTED"
    with opened(server, f"packs/{pack}/ag-ui/", asked, after=first[-1].id) as answer:
        rest = list(read_stream(answer))
    whole = [*first, *rest]
    check_stream([one.data for one in whole])
    run = first[0].data["metadata"]["signalbox"]["run"]
    log = server.get(f"runs/{run}/events/")["events"]
    assert int(whole[-1].id) == next(one["n"] for one in log if one["type"] == "run.finished")
    with opened(server, f"runs/{run}/ag-ui/?threadId=thread-1&runId=run-1") as answer:
        assert list(read_stream(answer)) == whole
    assert len(server.get("runs/")["results"]) == 1
    server.stop()


def test_a_server_stops_at_once_although_streams_are_open(server: LiveServer) -> None:
    server.sign_in()
    pack = server.post("packs/", {"sample": SAMPLE})["id"]
    run = server.post("runs/", {"pack": pack, "driver": "manual", "inputs": {}})["id"]
    with opened(server, f"runs/{run}/ag-ui/") as answer:
        stream = iter(read_stream(answer))
        assert next(stream).data["type"] == "RUN_STARTED"
        begun = time.monotonic()
        server.stop()
        assert time.monotonic() - begun < GRACE
        assert all(one.data["type"] != "RUN_FINISHED" for one in stream)
