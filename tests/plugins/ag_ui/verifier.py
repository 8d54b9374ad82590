"""The order of AG-UI events that clients of the protocol demand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ag_ui.core import Event as AnyEvent
from pydantic import TypeAdapter

MODEL: TypeAdapter[Any] = TypeAdapter(AnyEvent)
ENDS = ("RUN_FINISHED", "RUN_ERROR")
SPANS = {
    "STEP_STARTED": ("STEP_FINISHED", "stepName", False),
    "TEXT_MESSAGE_START": ("TEXT_MESSAGE_END", "messageId", True),
    "TOOL_CALL_START": ("TOOL_CALL_END", "toolCallId", True),
    "REASONING_START": ("REASONING_END", "messageId", False),
    "REASONING_MESSAGE_START": ("REASONING_MESSAGE_END", "messageId", True),
}
"""Start → its end, the field that names both, and whether the name is unique in the stream."""
INSIDE = {
    "TEXT_MESSAGE_CONTENT": "TEXT_MESSAGE_START",
    "TOOL_CALL_ARGS": "TOOL_CALL_START",
    "REASONING_MESSAGE_CONTENT": "REASONING_MESSAGE_START",
}


def check_stream(events: Iterable[Mapping[str, Any]], *, whole: bool = True) -> None:
    """Check each event against the protocol's model, and their order. `whole`: the run ended."""
    stream = list(events)
    for event in stream:
        parsed = MODEL.validate_python(event)
        assert not parsed.model_extra, f"unknown fields in {event}"
    assert stream[0]["type"] == "RUN_STARTED"
    assert [event["type"] for event in stream].count("RUN_STARTED") == 1
    ends = [n for n, event in enumerate(stream) if event["type"] in ENDS]
    assert ends == ([len(stream) - 1] if whole else [])
    opened: set[tuple[str, str]] = set()
    used: set[tuple[str, str]] = set()
    for event in stream:
        _check_spans(event, opened, used)
    assert not whole or not opened
    _check_results(stream)


def _check_spans(
    event: Mapping[str, Any], opened: set[tuple[str, str]], used: set[tuple[str, str]]
) -> None:
    for start, (end, field, unique) in SPANS.items():
        if event["type"] == start:
            key = (start, event[field])
            assert key not in opened, f"opened twice: {event}"
            assert not (unique and key in used), f"used twice: {event}"
            opened.add(key)
            used.add(key)
        elif event["type"] == end:
            assert (start, event[field]) in opened, f"ended without a start: {event}"
            opened.remove((start, event[field]))
        elif INSIDE.get(event["type"]) == start:
            assert (start, event[field]) in opened, f"outside of its start: {event}"


def _check_results(stream: list[Mapping[str, Any]]) -> None:
    started: set[str] = set()
    answered: set[str] = set()
    for event in stream:
        if event["type"] == "TOOL_CALL_START":
            started.add(event["toolCallId"])
        if event["type"] == "TOOL_CALL_RESULT":
            assert event["toolCallId"] in started - answered
            answered.add(event["toolCallId"])


def patched(document: Any, delta: Iterable[Mapping[str, Any]]) -> Any:
    """The document after a JSON Patch of the operations that a stream uses."""
    for operation in delta:
        *path, last = (
            part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]
        )
        place = document
        for part in path:
            place = place[part]
        match operation["op"]:
            case "remove":
                del place[last]
            case "replace":
                assert last in place
                place[last] = operation["value"]
            case "add":
                place[last] = operation["value"]
            case other:
                raise AssertionError(other)
    return document
