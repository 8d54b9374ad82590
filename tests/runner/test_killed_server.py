"""A server that is killed with SIGKILL again and again resumes its run where it was."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.checks import quick_or_slow
from tests.support.live_server import LiveServer

STATES = 60
ENOUGH = 5
"""Events between a start and its kill, at least, so that the kill hits the middle of a run."""


def long_pack(length: int = STATES) -> str:
    """Number of states in a row. Two transitions lead from each to the next, and the seed picks
    one."""
    names = [f"step{n}" for n in range(length)]
    states: dict[str, Any] = {
        name: {"prompt_task": "work", "on_event": {"Left": after, "Right": after}}
        for name, after in pairwise(names)
    }
    states[names[-1]] = {"prompt_task": "work", "terminal": True}
    prompt = {"id": "work", "name": "Work", "version": "1.0.0", "system_template": "Choose."}
    return json.dumps(
        {
            "id": "long",
            "name": "Long",
            "version": "1.0.0",
            "template_engine": {"version": "v1", "syntax": "{{variable}}"},
            "prompts": {"work": prompt},
            "workflow": {"version": 1, "entry": names[0], "states": states},
        }
    )


@pytest.fixture
def running_server(tmp_path: Path) -> Iterator[LiveServer]:
    server = LiveServer(tmp_path)
    server.start()
    server.sign_in()
    yield server
    server.end(signal.SIGKILL)


def begin(running_server: LiveServer, pack: int, delay_ms: int) -> str:
    body = {"pack": pack, "driver": "rehearsal", "seed": 7, "delay_ms": delay_ms}
    return str(running_server.post("runs/", body)["id"])


def ended(running_server: LiveServer, run: str) -> str:
    """Its status, once it has ended."""
    while (now := running_server.get(f"runs/{run}/"))["finished_at"] is None:
        time.sleep(0.05)
    return str(now["status"])


def log(running_server: LiveServer, run: str) -> list[dict[str, Any]]:
    return list(running_server.get(f"runs/{run}/events/?limit=5000")["events"])


def path(events: list[dict[str, Any]]) -> list[str]:
    return [event["transition"] for event in events if event["type"] == "transition.taken"]


def kill_in_the_middle(running_server: LiveServer, run: str) -> None:
    last = running_server.get(f"runs/{run}/")["last"]
    while (now := running_server.get(f"runs/{run}/"))["last"] < last + ENOUGH:
        assert now["finished_at"] is None, "The run was over before it was killed often enough."
    running_server.end(signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")
@pytest.mark.parametrize("kills", quick_or_slow(1, 20))
def test_a_run_survives_a_server_that_is_killed(running_server: LiveServer, kills: int) -> None:
    taken = running_server.post("import/", {"text": long_pack(), "name": "long.pack.json"})
    pack = taken["packs"][0]["id"]
    unkilled = begin(running_server, pack, delay_ms=0)
    assert ended(running_server, unkilled) == "completed"

    killed = begin(running_server, pack, delay_ms=10)
    for _ in range(kills):
        kill_in_the_middle(running_server, killed)
        running_server.start()
    assert ended(running_server, killed) == "completed"

    events = log(running_server, killed)
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    for kind in ("model.asked", "model.replied"):
        keys = Counter(event["key"] for event in events if event["type"] == kind)
        assert set(keys.values()) == {1}, kind
        assert len(keys) == STATES
    entered = Counter(event["state"] for event in events if event["type"] == "state.entered")
    assert set(entered.values()) == {1}
    assert len(path(events)) == STATES - 1 >= 40
    assert path(events) == path(log(running_server, unkilled))
    assert len({label.split("|")[1] for label in path(events)}) == 2
    assert "Traceback" not in running_server.log
