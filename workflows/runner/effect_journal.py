"""A record of what one effect has done, kept outside the workspace of its run.

A worker may be killed between the work of an effect and the event with its result. The effect is
then performed again under the same key, and finds in its record what was done already.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

FOLDER = ".effects"
"""Folder among the workspaces of all runs, with one folder per run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectJournal:
    """The record of the effect with this key. `folder` is that of its run, made on first use."""

    folder: Path
    key: str

    @property
    def file(self) -> Path:
        return self.folder / f"{sha256(self.key.encode()).hexdigest()[:32]}.json"

    def read(self) -> dict[str, Any] | None:
        """The last record; None if the effect has done nothing yet."""
        with suppress(OSError, ValueError):
            record = json.loads(self.file.read_text())
            return record if isinstance(record, dict) else None
        return None

    def write(self, record: Mapping[str, Any]) -> None:
        """Replace the record, at once or not at all. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self.file.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(record))
        fresh.rename(self.file)


def journal_folder(root: Path, run: str) -> Path:
    """The folder for the records of a run. `root` holds the workspaces of all runs."""
    return root / FOLDER / run
