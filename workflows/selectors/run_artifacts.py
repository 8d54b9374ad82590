"""Artifacts of a run: values that it keeps, and the prompts, blocks and diffs in its log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from workflows.models import Artifact, Run, RunEvent

LOGGED = {"prompt": "prompt.logged", "block": "prompt.logged", "diff": "tool.returned"}
"""Type of artifact → type of the events that contain it."""


def artifacts(run: Run) -> list[dict[str, Any]]:
    """The newest value of each name."""
    rows: Iterable[Artifact] = Artifact.objects.filter(run=run).order_by("name")
    return [{"name": row.name, "type": row.type, "value": row.value, "n": row.n} for row in rows]


def logged(run: Run, type: str, *, after: int, limit: int) -> list[dict[str, Any]]:
    """Artifacts of a type in `LOGGED`, from events after this number, oldest first. All artifacts
    of one event are returned together, so there may be more than `limit`."""
    events = RunEvent.objects.filter(run=run, type=LOGGED[type], n__gt=after).order_by("n")
    entries: list[dict[str, Any]] = []
    for event in events.iterator(chunk_size=200):
        entries += _in_event(type, event)
        if len(entries) >= limit:
            break
    return entries


def logged_artifact(type: str, event: RunEvent) -> dict[str, Any]:
    """The one artifact of this type, prompt or diff, in an event."""
    return next(_in_event(type, event), _artifact(type, type, "", event.n))


def _in_event(type: str, event: RunEvent) -> Iterator[dict[str, Any]]:
    fields, name = event.fields, f"{type}/{event.fields.get('state', '')}/{event.n}"
    match type:
        case "prompt":
            yield _artifact(name, type, fields["text"], event.n)
        case "block":
            for block, text in (fields.get("blocks") or {}).items():
                if isinstance(text, str) and text:
                    yield _artifact(f"{name}/{block}", type, text, event.n)
        case _:
            if fields.get("diff"):
                yield _artifact(name, type, fields["diff"], event.n)


def _artifact(name: str, type: str, value: str, n: int) -> dict[str, Any]:
    digest = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    return {"name": name, "type": type, "value": value, "n": n, "hash": digest}
