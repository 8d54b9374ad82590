"""One run's log while a transaction holds it: the fold so far, and what is added to it."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from workflows.actions import approvals, jobs
from workflows.actions.log_rows import Rows
from workflows.core.engine.events import Draft, Event
from workflows.core.engine.fold import fold_all
from workflows.core.engine.run import RunState
from workflows.db.text import to_storable
from workflows.errors import NotThere
from workflows.models import Artifact, Job, Run, RunEvent
from workflows.notifications.bus import notify_run
from workflows.telemetry import metrics

KEPT_FOLDS = 256


class StaleLog(Exception):
    """Another writer numbered its events first: read again and retry."""


class Folds:
    """The newest folds by run. One is good for exactly the number it was folded up to: whoever
    takes it out reads the log after that number."""

    def __init__(self, limit: int = KEPT_FOLDS) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[UUID, RunState] = OrderedDict()

    def get(self, run_id: UUID, last: int) -> RunState:
        """The fold kept for this run, or an empty one where the log is shorter than it."""
        with self._lock:
            run = self._kept.get(run_id)
            if run is None or run.n > last:
                return RunState()
            self._kept.move_to_end(run_id)
            return run

    def put(self, run_id: UUID, run: RunState) -> None:
        with self._lock:
            known = self._kept.get(run_id)
            if known is None or known.n < run.n:
                self._kept[run_id] = run
            self._kept.move_to_end(run_id)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)


FOLDS = Folds()


@dataclass(frozen=True, kw_only=True)
class Log:
    """A run's row and its fold, both at number `run.n`."""

    row: Run
    run: RunState


def row_of(run_id: UUID | str, *, lock: bool = False) -> Run:
    """Raises NotThere. With `lock` the row is held until the transaction ends."""
    rows = Run.objects.select_related("pack")
    if lock:
        rows = rows.select_for_update(of=("self",))
    row = rows.filter(pk=run_id).first()
    if row is None:
        raise NotThere("There is no run with this id.")
    return row


def folded(row: Run) -> RunState:
    """The run up to the row's number, out of the newest kept fold and the log after it."""
    run = FOLDS.get(row.pk, row.last)
    if run.n < row.last:
        later = RunEvent.objects.filter(run_id=row.pk, n__gt=run.n, n__lte=row.last)
        run = fold_all(map(event_of, later.order_by("n")), run)
    return run


def event_of(stored: RunEvent) -> Event:
    return Event(n=stored.n, at=stored.at, type=stored.type, fields=stored.fields)


def opened(run_id: UUID | str, *, afresh: bool = False) -> Log:
    """The log, held until the transaction ends. Must run inside one.

    `afresh` believes neither the kept fold nor the row's number, and reads the whole log.
    """
    row = row_of(run_id, lock=True)
    if not afresh:
        return Log(row=row, run=folded(row))
    events = RunEvent.objects.filter(run_id=row.pk).order_by("n")
    return Log(row=row, run=fold_all(map(event_of, events)))


def drafted(run: RunState, drafts: Sequence[Draft], at: float) -> tuple[Event, ...]:
    """Number drafts of the shell's own, after everything that is in the log."""
    return tuple(
        Event(n=run.n + number, at=at, type=draft.type, fields=draft.fields)
        for number, draft in enumerate(drafts, 1)
    )


def append(
    log: Log, events: Sequence[Event], *, run: RunState | None = None, status: str = ""
) -> Log:
    """Store events, and what lists need of them; ring after the commit.

    `run` is the fold of them all, where the caller has it; `status` overrides what it says. Raises
    StaleLog where another writer was first.
    """
    run = fold_all(events, log.run) if run is None else run
    with Rows(log.row) as rows:
        _move(rows, log.row, run, status or run.status)
        return _added(rows, log, events, run)


def go_on(log: Log, events: Sequence[Event], *, run: RunState | None = None) -> Log:
    """`append`, and `schedule` what is due then. Raises StaleLog as `append` does."""
    run = fold_all(events, log.run) if run is None else run
    with Rows(log.row) as rows:
        _move(rows, log.row, run, run.status)
        after = _added(rows, log, events, run)
        told = bool(run.pending and not run.finished and rows.got_somewhere())
    if not told:
        schedule(after)
    return after


def kept(log: Log, events: Sequence[Event], *, run: RunState) -> Log | None:
    """`go_on` as a transaction by itself, for a worker that goes on step by step: its events say
    everything. None, and nothing is written, where they do not."""
    row = log.row
    if not run.pending or _differs(row, run, run.status) or _beside(log, run, events):
        return None
    with Rows(row) as rows:
        if not rows.keep(events, last=run.n):
            return None
    row.last = run.n
    _tell(row, run, events)
    return Log(row=row, run=run)


def _beside(log: Log, run: RunState, events: Sequence[Event]) -> bool:
    """Whether rows beside the log have to say something too."""
    artifacts = any(event.type == "artifact.set" for event in events)
    return artifacts or approvals.concern(log.row, log.run, run)


def _move(rows: Rows, row: Run, run: RunState, status: str) -> None:
    since, changed = row.last, _differs(row, run, status)
    row.last, row.status, row.reason = run.n, status, to_storable(run.reason)
    if run.finished:
        row.finished_at = datetime.fromtimestamp(run.now, UTC)
    if not rows.move(since=since, changed=changed):
        raise StaleLog


def _differs(row: Run, run: RunState, status: str) -> bool:
    return run.finished or (row.status, row.reason) != (status, to_storable(run.reason))


def _added(rows: Rows, log: Log, events: Sequence[Event], run: RunState) -> Log:
    if not rows.add(events):
        raise StaleLog
    _keep_artifacts(log.row, run, events)
    approvals.follow(log.row, log.run, run, events)
    transaction.on_commit(lambda: _tell(log.row, run, events))
    return Log(row=log.row, run=run)


def _tell(row: Run, run: RunState, events: Sequence[Event]) -> None:
    FOLDS.put(row.pk, run)
    notify_run(row.pk)
    metrics.count(events, driver=row.driver, source=row.source)


def _keep_artifacts(row: Run, run: RunState, events: Sequence[Event]) -> None:
    newest = {event.fields["name"]: event.n for event in events if event.type == "artifact.set"}
    for name, n in newest.items():
        kind, value = _stored(run.artifacts.get(name))
        Artifact.objects.update_or_create(
            run=row, pack=row.pack, name=name, defaults={"type": kind, "value": value, "n": n}
        )


def _stored(value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        return "text", to_storable(value)
    return "json", json.dumps(value, ensure_ascii=False)


def schedule(log: Log) -> None:
    """Have the run's one job say what is true: there is one while something is pending.

    Whether a person or a worker answers is the driver's to say; a worker that finds only questions
    to people takes the job away again.
    """
    if log.run.finished or not log.run.pending:
        Job.objects.filter(run_id=log.row.pk).delete()
    else:
        jobs.make_due(log.row)
