"""Runs for lists, pages and logs."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.functions import Cast, Coalesce

from roles.core.columns import columns
from roles.rights import visible
from workflows.core.engine.events import Event
from workflows.core.engine.result import rounded
from workflows.db.integers import fits_integer
from workflows.db.search_text import check_search_text
from workflows.errors import NotThere
from workflows.models import Pack, Run, RunEvent, RunTag
from workflows.selectors.run_lists import ended_in, limited, ordered
from workflows.selectors.run_marks import marks_of, scored

PATH = 24
"""Number of newest states in a run's row."""
PATHS_PER_QUERY = 250
"""Runs whose paths one query reads. SQLite nests a thousand conditions at most."""


def run_named(run_id: str | uuid.UUID) -> Run:
    """A run by id. Raises NotThere."""
    try:
        key = run_id if isinstance(run_id, uuid.UUID) else uuid.UUID(str(run_id))
    except ValueError:
        key = None
    run = (
        Run.objects.select_related("pack", "owner", "trigger").filter(pk=key).first()
        if key
        else None
    )
    if run is None:
        raise NotThere(f"There is no run {run_id}.", hint="Its pack may have been deleted.")
    return run


def runs(
    person: User,
    *,
    pack: str = "",
    status: str = "",
    driver: str = "",
    source: str = "",
    q: str = "",
    tag: str = "",
    end: str = "",
    reason: str = "",
    score_from: str = "",
    sort: str = "",
    **limits: str,
) -> QuerySet[Run]:
    """Runs that a user may see, newest first unless `sort` names a column. `limits`: see
    `run_lists.LIMITS`. Raises BadRequest for a text that cannot be stored."""
    check_search_text(
        status=status, driver=driver, source=source, q=q, tag=tag, end=end, reason=reason
    )
    rows = Run.objects.select_related("pack", "owner", "trigger").order_by("-created_at", "pk")
    result = visible(rows, person)
    if pack:
        result = result.filter(pack=int(pack)) if fits_integer(pack) else result.none()
    if status:
        result = result.filter(status=status)
    if driver:
        result = result.filter(driver=driver)
    if source:
        result = result.filter(source=source)
    if q:
        result = result.filter(
            Q(pack__name__icontains=q)
            | Q(reason__icontains=q)
            | Q(answer__icontains=q)
            | Q(ends__icontains=q)
            | Q(owner__username__icontains=q)
            | Q(note__icontains=q)
        )
    if tag:
        result = result.filter(pk__in=RunTag.objects.filter(name=tag).values("run"))
    if end:
        result = ended_in(result, end)
    if reason:
        result = result.filter(reason__icontains=reason)
    if score_from:
        result = scored(result, score_from)
    if any(limits.values()):
        result = limited(result, limits)
    return ordered(result, sort)


def run_json(run: Run) -> dict[str, Any]:
    """One run as the API and pages show it."""
    (row,) = runs_json([run])
    return row


def started_json(run: Run, limit: int) -> dict[str, Any]:
    """A run that has just been started, with its first events. Its path is read from them if they
    are the whole log."""
    first = events(run, 0, limit)
    paths = {run.pk: _path(first)} if len(first) == run.last else None
    (row,) = runs_json([run], paths=paths)
    return {**row, "events": first}


def runs_json(
    rows: Iterable[Run], *, paths: Mapping[uuid.UUID, list[str]] | None = None
) -> list[dict[str, Any]]:
    """Runs as the API and pages show them. The number of queries does not depend on the number of
    runs, up to `PATHS_PER_QUERY`; `pack`, `owner` and `trigger` should be loaded. `paths`: the
    newest states by run, for a caller that has them."""
    rows = list(rows)
    ids = [run.pk for run in rows]
    paths, marks = _paths(ids) if paths is None else paths, marks_of(ids)
    return [
        {
            "id": str(run.pk),
            "pack": run.pack_id,
            "pack_name": run.pack.name,
            **columns(run, "revision", "profile", "driver", "status", "reason", "last", "answer"),
            **columns(run, "ends", "seconds", "waited_seconds", "model_calls", "tool_calls"),
            **columns(run, "input_tokens", "output_tokens"),
            "cost": rounded(run.cost),
            "owner": run.owner.get_username() if run.owner else "",
            "source": run.source,
            "trigger": run.trigger_id,
            "trigger_name": run.trigger.name if run.trigger else "",
            **columns(run, "kept", "created_at", "finished_at"),
            "path": paths[run.pk],
            "forked_from": run.options.get("forked_from"),
            "note": run.note,
            **marks[run.pk],
        }
        for run in rows
    ]


def events(run: Run, after: int = 0, limit: int = 1000) -> list[dict[str, Any]]:
    """Events after number `after`."""
    rows = RunEvent.objects.filter(run=run, n__gt=after).order_by("n")[:limit]
    return [event_of(row).to_json() for row in rows]


def is_over(run: Run, after: int) -> bool:
    """Return True if the run's end is in its log and not after this number."""
    return RunEvent.objects.filter(run=run, n__lte=after, type="run.finished").exists()


def search_events(
    run: Run,
    *,
    search: str = "",
    type: str = "",
    state: str = "",
    after: int = 0,
    limit: int = 1000,
) -> list[dict[str, Any]]:
    """Events after number `after` of this type, of this state (in it, from it or to it), and with
    `search` in their type or fields as JSON, ignoring case. The log of the page searches in the
    same way. Raises BadRequest for a text that cannot be stored."""
    check_search_text(search=search, type=type, state=state)
    rows = RunEvent.objects.filter(run=run, n__gt=after).order_by("n")
    if type:
        rows = rows.filter(type=type)
    if state:
        rows = _holding(rows, state)
    if search:
        rows = _holding(rows, search)
    wanted = json.dumps(search, ensure_ascii=False)[1:-1].lower()
    events = []
    for row in rows.iterator(chunk_size=500):
        if state and state not in (row.fields.get(name) for name in OF_STATE):
            continue
        if wanted in _as_text(row):
            events.append(event_of(row).to_json())
            if len(events) == limit:
                break
    return events


OF_STATE = ("state", "source", "target")
"""Event fields that name a state."""


def _holding(rows: QuerySet[RunEvent], text: str) -> QuerySet[RunEvent]:
    """Narrow the query to rows that may match. Stored JSON escapes non-ASCII characters, so it
    looks for the longest plain part of the text."""
    piece = max(re.findall(r"[\w-]+", text, re.ASCII), key=len, default="")
    if not piece:
        return rows
    stored = rows.annotate(stored=Cast("fields", TextField()))
    return stored.filter(Q(type__icontains=piece) | Q(stored__icontains=piece))


def _as_text(row: RunEvent) -> str:
    body = {"type": row.type, **row.fields}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).lower()


def log(run: Run) -> list[Event]:
    """All events of a run."""
    return [event_of(row) for row in RunEvent.objects.filter(run=run).order_by("n")]


def event_of(row: RunEvent) -> Event:
    """A row as the engine's value."""
    return Event(n=row.n, at=row.at, type=row.type, fields=row.fields)


def _path(log: Sequence[Mapping[str, Any]]) -> list[str]:
    """The newest `PATH` states in a whole log."""
    entered = [str(event.get("state", "")) for event in log if event["type"] == "state.entered"]
    return entered[-PATH:]


def _paths(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[str]]:
    """The newest `PATH` states of each run, oldest first.

    A long run has thousands of entered states. So the number of the oldest event to show is read
    first, from the end of the log, and then only the events after it.
    """
    entered = RunEvent.objects.filter(type="state.entered")
    oldest = entered.filter(run=OuterRef("pk")).order_by("-n").values("n")[PATH - 1 : PATH]
    paths: dict[uuid.UUID, list[str]] = {id: [] for id in ids}
    for first in range(0, len(ids), PATHS_PER_QUERY):
        some = ids[first : first + PATHS_PER_QUERY]
        starts = Run.objects.filter(pk__in=some).annotate(start=Coalesce(Subquery(oldest), 0))
        shown = Q(pk__in=[])
        for id, start in starts.order_by().values_list("pk", "start"):
            shown |= Q(run=id, n__gte=start)
        events = entered.filter(shown).order_by("n").values_list("run", "fields")
        for id, fields in events:
            paths[id].append(str(fields.get("state", "")))
    return paths


def drivers(person: User) -> list[str]:
    """Drivers of the stored runs that a user may see."""
    rows = visible(Run.objects.order_by(), person)
    return sorted(rows.values_list("driver", flat=True).distinct())


def packs_with_runs(person: User) -> list[tuple[int, str]]:
    """Id and name of packs that have runs and that a user may see, by name."""
    rows = visible(Pack.objects.filter(runs__isnull=False), person)
    named = rows.distinct().order_by("name", "pk")
    return list(named.values_list("pk", "name")[:500])
