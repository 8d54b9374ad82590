"""The log of `signalbox run --log FILE`: every event is on disk before the next step, so that the
same command continues a run that was killed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from signalbox.commands.errors import Trouble
from workflows.core.engine.events import Event
from workflows.core.engine.replay.recording import InvalidRecording, read_recording


class RunLog:
    """A file of one event per line. `events`: those of an earlier part of the run."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self.events: tuple[Event, ...] = ()
        data = self._path.read_bytes() if self._path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if whole.strip():
            self.events = _read(path, whole)
        if len(whole) < len(data):
            with self._path.open("r+b") as file:
                file.truncate(len(whole))

    def write(self, events: Iterable[Event]) -> None:
        lines = "".join(f"{json.dumps(one.to_json(), ensure_ascii=False)}\n" for one in events)
        with self._path.open("ab") as file:
            file.write(lines.encode(errors="backslashreplace"))
            file.flush()
            os.fsync(file.fileno())


def _read(path: str, data: bytes) -> tuple[Event, ...]:
    try:
        return read_recording(json.loads(line) for line in data.splitlines() if line.strip())
    except (ValueError, InvalidRecording) as bad:
        raise Trouble(f"{path} is not the log of a run: {bad}") from bad
