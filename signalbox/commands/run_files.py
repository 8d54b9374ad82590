"""Files of recorded runs: events, one per line or in a list, scripts, and cases."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from signalbox.commands.errors import UNREADABLE, Trouble
from signalbox.commands.inputs import parse_json
from signalbox.commands.output import write_files
from workflows.consequences.recordings import NO_ANSWERS, Recording
from workflows.core.cases.case_file import BadCase, read_case, with_expectations
from workflows.core.cases.case_paths import ENDINGS as CASES
from workflows.core.engine.events import Event
from workflows.core.engine.replay.recording import InvalidRecording, read_recording
from workflows.core.engine.replay.script_file import BadScript, read_script

ENDINGS = (".json", ".jsonl", *CASES)
MOST_NEAR = 64 << 20
LINES = "A recorded run has one event per line, as `signalbox run --json` prints them."


def run_files(argument: str) -> list[str]:
    """The file with this name, or every recorded run below the folder. Raises Trouble for a folder
    without one."""
    folder = Path(argument)
    if not folder.is_dir():
        return [argument]
    paths = sorted(
        path.as_posix()
        for path in folder.rglob("*")
        if path.name.endswith(ENDINGS) and path.is_file() and not path.is_symlink()
    )
    if not paths:
        raise Trouble(
            f"There is no recorded run in {argument}.",
            hint=f"Their names end in {', '.join(ENDINGS)}.",
        )
    return paths


def is_case(name: str) -> bool:
    return name.endswith(CASES)


def read_run(name: str) -> Recording:
    """The events, the script or the case in a file. Raises Trouble with the invalid line."""
    try:
        if is_case(name):
            script = read_case(Path(name).read_bytes()).script
            if script is None:
                raise BadCase(NO_ANSWERS)
            return script
        body = read_body(name)
        return read_recording(body) if isinstance(body, list) else read_script(body)
    except (BadCase, InvalidRecording) as bad:
        raise Trouble(f"{name}: {bad}", code=UNREADABLE) from bad
    except BadScript as bad:
        raise Trouble(f"{name}: {bad.message}", code=UNREADABLE) from bad


def read_body(name: str) -> list[Any] | Mapping[str, Any]:
    """The events in a file, or its object. Raises Trouble with the invalid line."""
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


def write_expectations(name: str, expects: Mapping[str, Any]) -> None:
    """Replace the expectations of a script or a case."""
    path = Path(name)
    if is_case(name):
        data = with_expectations(path.read_bytes(), expects)
    else:
        script = {**json.loads(path.read_text(encoding="utf-8-sig")), "expects": expects}
        data = _pretty(script).encode("utf-8", "backslashreplace")
    write_files(path.parent, {path.name: data})


def _pretty(body: object) -> str:
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"
