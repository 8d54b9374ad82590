"""Events of a run as JSON text, without parsing the stored fields: a long log has megabytes."""

from __future__ import annotations

import json
from uuid import UUID

from django.db.models import TextField
from django.db.models.functions import Cast

from workflows.core.engine.json_values import finite
from workflows.models import RunEvent

NOT_JSON = ("Infinity", "NaN")
"""Names that Python writes for numbers that JSON does not have."""


def event_texts(run_id: UUID | str, after: int, limit: int) -> list[tuple[int, str]]:
    """Number and JSON text of the next events after this number, as `Event.to_json` writes them."""
    rows = (
        RunEvent.objects.filter(run_id=run_id, n__gt=after)
        .order_by("n")
        .annotate(written=Cast("fields", TextField()))
        .values_list("n", "at", "type", "written")[:limit]
    )
    return [(n, _text(n, at, type, written)) for n, at, type, written in rows]


def _text(n: int, at: float, type: str, written: str) -> str:
    if any(name in written for name in NOT_JSON):
        written = json.dumps(finite(json.loads(written)))
    head = f'{{"n":{n},"at":{at!r},"type":{json.dumps(type)}'
    return f"{head}}}" if written == "{}" else f"{head},{written[1:]}"
