"""Checks of handoff envelopes (spec page 6.2).

The shape is the one that runtimes send, without unknown keys; only `meta` is free. `problems`
returns all errors at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from workflows.core.dialects.agent_graph.format.vocabulary import EXPECTATIONS

KINDS = ("handoff", "signal")
Path: TypeAlias = tuple[str | int, ...]

_TOP = ("kind", "id", "fromNodeId", "toNodeId", "createdAt", "payload", "contextRef", "meta")
_TEXTS = ("id", "fromNodeId", "toNodeId")
_PAYLOAD = ("message", "structured", "artifacts", "status", "response")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One error with its location: keys and indexes from the envelope inwards."""

    path: Path
    message: str


def problems(value: object) -> tuple[Problem, ...]:
    """All errors of an envelope; empty for a valid one."""
    if not isinstance(value, Mapping):
        return (Problem(path=(), message="An envelope is an object."),)
    return tuple(_envelope(value))


def payload_problems(value: object, path: Path = ()) -> tuple[Problem, ...]:
    """All errors of a payload, as in a call of `send_handoff`."""
    if not isinstance(value, Mapping):
        return (Problem(path=path, message="A payload is an object with a message."),)
    return tuple(_payload(value, path))


def _envelope(value: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _unknown(value, _TOP, ())
    if value.get("kind") not in KINDS:
        yield Problem(path=("kind",), message=f"`kind` has to be one of {', '.join(KINDS)}.")
    for key in _TEXTS:
        if not _is_text(value.get(key)):
            yield Problem(path=(key,), message=f"`{key}` has to be a text that is not empty.")
    if not _is_time(value.get("createdAt")):
        yield Problem(path=("createdAt",), message="`createdAt` has to be an ISO 8601 time.")
    if "contextRef" in value and not isinstance(value["contextRef"], str):
        yield Problem(path=("contextRef",), message="`contextRef` has to be a text.")
    if "meta" in value and not isinstance(value["meta"], Mapping):
        yield Problem(path=("meta",), message="`meta` has to be an object.")
    yield from payload_problems(value.get("payload"), ("payload",))


def _payload(value: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    yield from _unknown(value, _PAYLOAD, path)
    if not isinstance(value.get("message"), str):
        yield Problem(path=(*path, "message"), message="`message` has to be a text.")
    if "structured" in value and not isinstance(value["structured"], Mapping):
        yield Problem(path=(*path, "structured"), message="`structured` has to be an object.")
    if "artifacts" in value:
        yield from _artifacts(value["artifacts"], (*path, "artifacts"))
    if "status" in value:
        yield from _status(value["status"], (*path, "status"))
    if "response" in value:
        yield from _response(value["response"], (*path, "response"))


def _artifacts(value: object, path: Path) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield Problem(path=path, message="`artifacts` has to be a list.")
        return
    for index, item in enumerate(value):
        here = (*path, index)
        if not isinstance(item, Mapping):
            yield Problem(path=here, message="An artifact is an object with `type` and `ref`.")
            continue
        yield from _unknown(item, ("type", "ref"), here)
        for key in ("type", "ref"):
            if not _is_text(item.get(key)):
                yield Problem(path=(*here, key), message=f"An artifact needs a text `{key}`.")


def _status(value: object, path: Path) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield Problem(path=path, message="`status` has to be an object.")
        return
    yield from _unknown(value, ("ok", "reason"), path)
    if not isinstance(value.get("ok"), bool):
        yield Problem(path=(*path, "ok"), message="`ok` has to be true or false.")
    if "reason" in value and not isinstance(value["reason"], str):
        yield Problem(path=(*path, "reason"), message="`reason` has to be a text.")


def _response(value: object, path: Path) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield Problem(path=path, message="`response` has to be an object.")
        return
    yield from _unknown(value, ("expectation", "replyTo"), path)
    if value.get("expectation") not in EXPECTATIONS:
        choices = ", ".join(EXPECTATIONS)
        yield Problem(
            path=(*path, "expectation"), message=f"`expectation` has to be one of {choices}."
        )
    if "replyTo" in value and not isinstance(value["replyTo"], str):
        yield Problem(path=(*path, "replyTo"), message="`replyTo` has to be a text.")


def _unknown(value: Mapping[str, Any], allowed: tuple[str, ...], path: Path) -> Iterator[Problem]:
    for key in value:
        if key not in allowed:
            yield Problem(path=(*path, key), message=f"There is no key {key!r:.60} here.")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_time(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
