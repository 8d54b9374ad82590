"""Files of recorded runs: events, one per line or in a list, and scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signalbox.commands.errors import Trouble
from signalbox.commands.inputs import parse_json
from signalbox.commands.output import write_files
from workflows.core.engine.events import Event

ENDINGS = (".json", ".jsonl")
MOST_NEAR = 64 << 20
LINES = "A recorded run has one event per line, as `signalbox run --json` prints them."
Recorded = list[Any] | Mapping[str, Any]
"""The events of a run, or a script."""


def run_files(argument: str) -> list[str]:
    """The file with this name, or every recorded run below the folder. Raises Trouble for a folder
    without one."""
    folder = Path(argument)
    if not folder.is_dir():
        return [argument]
    paths = sorted(
        path.as_posix()
        for path in folder.rglob("*")
        if path.suffix in ENDINGS and path.is_file() and not path.is_symlink()
    )
    if not paths:
        raise Trouble(
            f"There is no recorded run in {argument}.", hint="Their names end in .jsonl or .json."
        )
    return paths


def read_run(name: str) -> Recorded:
    """The events in a file, or its script. Raises Trouble with the invalid line."""
    text = Path(name).read_text(encoding="utf-8-sig")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return [
            parse_json(line, name, line=n, hint=LINES)
            for n, line in enumerate(text.splitlines(), 1)
            if line.strip()
        ]
    match whole:
        case {"events": [*events]} | [*events]:
            return events
        case {"n": _, "type": _}:
            return [whole]
        case {}:
            return dict(whole)
        case _:
            raise Trouble(f"{name}: this is neither a recorded run nor a script.")


def read_near(name: str, relative: str) -> bytes | None:
    """A file that a runtime has written next to its record of a run. None if it is not there or
    too large."""
    path = Path(name).absolute().parent / relative
    if not path.is_file() or path.stat().st_size > MOST_NEAR:
        return None
    return path.read_bytes()


def write_events(name: str, events: Sequence[Event]) -> None:
    """Replace the events in a file, in its present form."""
    path = Path(name)
    bodies = [event.to_json() for event in events]
    try:
        whole = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError:
        whole = None
    match whole:
        case {"events": _}:
            text = _pretty({**whole, "events": bodies})
        case [*_]:
            text = _pretty(bodies)
        case _:
            text = "".join(json.dumps(body, ensure_ascii=False) + "\n" for body in bodies)
    write_files(path.parent, {path.name: text.encode("utf-8", "backslashreplace")})


def write_script(name: str, script: Mapping[str, Any]) -> None:
    """Replace a script."""
    path = Path(name)
    write_files(path.parent, {path.name: _pretty(script).encode("utf-8", "backslashreplace")})


def _pretty(body: object) -> str:
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
