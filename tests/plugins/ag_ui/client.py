"""A client of event streams."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sent:
    """One server-sent event."""

    id: str
    data: dict[str, Any]


def read_stream(lines: Iterable[bytes]) -> Iterable[Sent]:
    """The events in the lines of a stream, each as soon as it is complete."""
    id, data = "", ""
    for line in lines:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        match name:
            case "id":
                id = value
            case "data":
                data = value
            case "":
                if data:
                    yield Sent(id, json.loads(data))
                data = ""


async def events_in(parts: AsyncIterable[bytes]) -> AsyncIterator[Sent]:
    """The events of a live stream, each as soon as it arrives."""
    async for part in parts:
        for one in read_stream(part.splitlines(keepends=True)):
            yield one


def body(text: str = "Tea?", run: str = "run-1", **properties: Any) -> dict[str, Any]:
    """A RunAgentInput with one message of the user."""
    return {
        "threadId": "thread-1",
        "runId": run,
        "messages": [
            {"id": "m1", "role": "system", "content": "Be brief."},
            {"id": "m2", "role": "user", "content": text},
        ],
        "state": {},
        "tools": [],
        "context": [],
        "forwardedProps": {"driver": "manual", **properties},
    }
