"""Rows of the newest run of each benchmark, with its date: docs/performance.json."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench._rows import Row

FILE = Path(__file__).resolve().parent.parent / "docs" / "performance.json"


@dataclass(frozen=True, kw_only=True)
class Section:
    """One benchmark: the day, the load average at its end, and its rows."""

    date: str
    load: float
    rows: Sequence[Row]

    @classmethod
    def now(cls, rows: Sequence[Row]) -> Section:
        return cls(date=time.strftime("%Y-%m-%d"), load=round(os.getloadavg()[0], 1), rows=rows)


def merged(new: Mapping[str, Section], order: Sequence[str]) -> dict[str, Section]:
    """The stored sections with these in place of older ones, which are stored too."""
    sections = {**_stored(), **new}
    ordered = {name: sections[name] for name in (*order, *sorted(sections)) if name in sections}
    body = {
        name: {"date": one.date, "load": one.load, "rows": [asdict(row) for row in one.rows]}
        for name, one in ordered.items()
    }
    FILE.write_text(json.dumps(body, indent=1) + "\n")
    return ordered


def _stored() -> dict[str, Section]:
    if not FILE.exists():
        return {}
    return {
        name: Section(date=one["date"], load=one["load"], rows=[Row(**row) for row in one["rows"]])
        for name, one in json.loads(FILE.read_text()).items()
    }
