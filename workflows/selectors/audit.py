"""The audit log, for staff: filtered, and as CSV and JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Q, QuerySet

from workflows.db.days import day_in
from workflows.db.search_text import check_search_text
from workflows.models import AuditEntry

FIELDS = (
    "at", "user", "by", "operation", "method", "path", "kind", "object_id", "object_name",
    "outcome", "status", "address",
)  # fmt: skip
FILTERS = ("user", "operation", "kind", "object_id", "outcome", "since", "until", "q")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that a spreadsheet takes for a formula."""


def filters(query: Mapping[str, str]) -> dict[str, str]:
    """The filters in a query."""
    return {name: query.get(name, "").strip() for name in FILTERS}


def entries(**filters: str) -> QuerySet[AuditEntry]:
    """Entries, newest first. `filters`: see FILTERS. Raises BadRequest."""
    check_search_text(**filters)
    rows = AuditEntry.objects.all()
    for field, name in (
        ("user_name", "user"), ("operation", "operation"), ("kind", "kind"),
        ("object_id", "object_id"), ("outcome", "outcome"),
    ):  # fmt: skip
        if filters.get(name):
            rows = rows.filter(**{field: filters[name]})
    for bound, name in (("at__date__gte", "since"), ("at__date__lte", "until")):
        if filters.get(name):
            rows = rows.filter(**{bound: day_in(filters[name], name)})
    if q := filters.get("q"):
        words = Q(path__icontains=q) | Q(object_name__icontains=q) | Q(operation__icontains=q)
        rows = rows.filter(words | Q(user_name__icontains=q) | Q(address__icontains=q))
    return rows


def entry_json(row: AuditEntry) -> dict[str, Any]:
    """One entry by FIELDS. `at` is in UTC."""
    return {
        "at": row.at.isoformat(),
        "user": row.user_name,
        **{name: getattr(row, name) for name in FIELDS[2:]},
    }


def as_json_lines(rows: QuerySet[AuditEntry]) -> Iterator[str]:
    """One JSON object per line."""
    for row in rows.iterator(chunk_size=1000):
        yield json.dumps(entry_json(row), ensure_ascii=True) + "\n"


def as_csv(rows: QuerySet[AuditEntry]) -> Iterator[str]:
    """A table with a header. A text that a spreadsheet would take for a formula gets a quote in
    front."""
    yield _line(FIELDS)
    for row in rows.iterator(chunk_size=1000):
        yield _line([_cell(value) for value in entry_json(row).values()])


def _cell(value: Any) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


def _line(cells: Any) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()
