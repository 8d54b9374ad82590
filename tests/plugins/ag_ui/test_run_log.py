"""A stream resumed at any place continues without a gap or a repeated event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest

from scripts.fold_vectors import FOLDER
from tests.plugins.ag_ui.client import Sent, read_stream
from workflows.plugins.ag_ui import stream
from workflows.plugins.ag_ui.core.cursor import Cursor
from workflows.plugins.ag_ui.core.translate import Translation
from workflows.plugins.ag_ui.stream import RunLog

LOGS = {path.stem: json.loads(path.read_text())["events"] for path in sorted(FOLDER.glob("*.json"))}
BEGIN = Translation(run="7f3c", thread="thread-1", name="run-1")


def sent(name: str, after: str = "", size: int = 1_000) -> list[Sent]:
    """The stream of this log, which arrives in frames of this many events."""
    cursor = Cursor.from_text(after)
    assert cursor is not None
    log = RunLog(BEGIN, cursor)
    frames = [LOGS[name][n : n + size] for n in range(0, len(LOGS[name]), size)]
    parts = [part for frame in frames for part in log.parts({"type": "events", "events": frame})]
    return list(read_stream(b"".join(parts).splitlines(keepends=True)))


def test_the_id_is_the_number_of_the_event_in_the_log() -> None:
    whole = sent("promptpack-review-loop-stepped")
    for one, following in pairwise(whole):
        assert int(one.id.partition(".")[0]) <= int(following.id.partition(".")[0])
    by_n = {one["n"]: one["type"] for one in LOGS["promptpack-review-loop-stepped"]}
    last_of = {int(one.id): one.data["type"] for one in whole if "." not in one.id}
    assert {by_n[n] for n, type in last_of.items() if type == "RUN_FINISHED"} == {"run.finished"}
    assert {by_n[n] for n, type in last_of.items() if type == "STATE_SNAPSHOT"} == {"run.started"}


def test_frames_that_overlap_are_sent_once() -> None:
    name = "steps-triage-bot"
    log = RunLog(BEGIN, Cursor())
    frames = (LOGS[name][:20], LOGS[name][10:], LOGS[name])
    parts = [part for frame in frames for part in log.parts({"type": "events", "events": frame})]
    assert list(read_stream(b"".join(parts).splitlines(keepends=True))) == sent(name, size=3)


class SlowHub:
    """A hub whose queue overflows after each page of a log."""

    def __init__(self, log: list[dict[str, Any]], page: int) -> None:
        self._log, self._page = log, page
        self.asked: list[int] = []

    async def watch(self, run: str, after: int) -> AsyncIterator[str]:
        self.asked.append(after)
        page = [one for one in self._log if one["n"] > after][: self._page]
        yield json.dumps({"type": "hello", "last": len(self._log), "status": "running"})
        yield json.dumps({"type": "events", "events": page})
        yield json.dumps({"type": "behind", "after": after})


async def test_a_client_that_is_too_slow_gets_the_rest_from_the_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "steps-triage-bot"
    slow = SlowHub(LOGS[name], page=30)
    monkeypatch.setattr(stream, "hub", lambda: slow)
    parts: asyncio.Queue[bytes | None] = asyncio.Queue()
    log = RunLog(BEGIN, Cursor())
    while await stream._read_on(log, parts):
        pass
    found = [part for _ in range(parts.qsize()) if (part := parts.get_nowait())]
    assert list(read_stream(b"".join(found).splitlines(keepends=True))) == sent(name)
    assert slow.asked[:3] == [0, 30, 60]
