"""Runs as a file to save: CSV, or a JSON object per line."""

from __future__ import annotations

import csv
import io
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import StreamingHttpResponse

from roles.rights import visible
from workflows.models import Run
from workflows.selectors import runs as read
from workflows.selectors.run_people import people_of

MAX_RUNS = 10_000
RUNS_PER_PART = 200
COLUMNS = (
    "id", "pack_name", "revision", "status", "reason", "answer", "ends", "driver",
    "seconds", "waited_seconds", "model_calls", "tool_calls", "input_tokens", "output_tokens",
    "cost", "owner", "source", "created_at", "finished_at", "tags", "score", "note", "people",
)  # fmt: skip
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that a spreadsheet would calculate."""


def runs_file(
    person: User, kind: str, ids: Sequence[uuid.UUID], filters: Mapping[str, str]
) -> StreamingHttpResponse:
    """The chosen runs, or without a choice the filtered list, as `csv` or `jsonl`; MAX_RUNS at
    most. Raises BadRequest for an invalid filter."""
    rows: QuerySet[Run]
    if ids:
        chosen = Run.objects.select_related("pack", "owner", "trigger").filter(pk__in=ids)
        rows = visible(chosen.order_by("-created_at", "pk"), person)
    else:
        rows = read.runs(person, **filters)
    parts = _in_parts(rows)
    lines = _csv(parts) if kind == "csv" else (json.dumps(row) + "\n" for row in parts)
    answer = StreamingHttpResponse(lines, content_type="application/octet-stream")
    answer["Content-Disposition"] = f'attachment; filename="runs.{kind}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


def _in_parts(rows: QuerySet[Run]) -> Iterator[dict[str, Any]]:
    for start in range(0, MAX_RUNS, RUNS_PER_PART):
        part = list(rows[start : start + RUNS_PER_PART])
        people = people_of([run.pk for run in part])
        for row in read.runs_json(part):
            yield {**row, "people": people[uuid.UUID(row["id"])]}
        if len(part) < RUNS_PER_PART:
            return


def _csv(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield _line(COLUMNS)
    for row in rows:
        flat = {**row, "tags": ", ".join(row["tags"]), "people": "; ".join(row["people"])}
        yield _line(_cell(flat[name]) for name in COLUMNS)


def _cell(value: object) -> object:
    """The value; text that a spreadsheet would calculate begins with an apostrophe."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _line(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
