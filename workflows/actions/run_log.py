"""The log of one run within a transaction: its current fold, and appended events."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from roles.rows import found
from workflows.actions import approvals, jobs
from workflows.core.engine.events import Draft, Event
from workflows.core.engine.fold import WORKSPACE_DIFF, fold_all
from workflows.core.engine.result import answer_of, end_states
from workflows.core.engine.run import RunState
from workflows.db.text import to_storable
from workflows.errors import NotThere
from workflows.models import Artifact, Job, Run, RunEvent
from workflows.notifications.bus import notify_run
from workflows.selectors.runs import event_of
from workflows.telemetry import metrics

KEPT_FOLDS = 256
TOTALS = ("model_calls", "tool_calls", "input_tokens", "output_tokens", "cost")
ENDED = ("answer", "ends", "seconds", "waited_seconds", "finished_at")
MAX_ANSWER = 600
"""Characters of an answer in the run's row."""


class StaleLog(Exception):
    """Another writer used these event numbers first: read again and retry."""


class Folds:
    """Cache of the newest folds by run. A fold is valid for exactly the number it was folded to;
    the caller reads the log after that number."""

    def __init__(self, limit: int = KEPT_FOLDS) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[UUID, RunState] = OrderedDict()

    def get(self, run_id: UUID, last: int) -> RunState:
        """The cached fold of this run, or an empty one if the log is shorter than it."""
        with self._lock:
            run = self._kept.get(run_id)
            if run is None or run.n > last:
                return RunState()
            self._kept.move_to_end(run_id)
            return run

    def put(self, run_id: UUID, run: RunState) -> None:
        with self._lock:
            earlier = self._kept.get(run_id)
            if earlier is None or earlier.n < run.n:
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
    """The run's row. Raises NotThere. `lock` locks the row until the transaction ends."""
    rows = Run.objects.select_related("pack")
    if lock:
        rows = rows.select_for_update(of=("self",))
    return found(rows.filter(pk=run_id), NotThere("No run has this id."))


def folded(row: Run) -> RunState:
    """The run up to the row's number, from the newest cached fold and the log after it."""
    run = FOLDS.get(row.pk, row.last)
    if run.n < row.last:
        later = RunEvent.objects.filter(run_id=row.pk, n__gt=run.n, n__lte=row.last)
        run = fold_all(map(event_of, later.order_by("n")), run)
    return run


def opened(run_id: UUID | str, *, afresh: bool = False) -> Log:
    """The log, locked until the transaction ends. Must run inside one.

    `afresh` ignores the cached fold and the row's number, and reads the whole log.
    """
    row = row_of(run_id, lock=True)
    if not afresh:
        return Log(row=row, run=folded(row))
    events = RunEvent.objects.filter(run_id=row.pk).order_by("n")
    return Log(row=row, run=fold_all(map(event_of, events)))


def drafted(run: RunState, drafts: Sequence[Draft], at: float) -> tuple[Event, ...]:
    """Number drafts of the server's own events, after all events of the log."""
    return tuple(
        Event(n=run.n + number, at=at, type=draft.type, fields=draft.fields)
        for number, draft in enumerate(drafts, 1)
    )


def append(
    log: Log, events: Sequence[Event], *, run: RunState | None = None, status: str = ""
) -> Log:
    """Store events and update the list rows; notify after the commit.

    `run` is the fold of all events if the caller has it; `status` overrides its status. Raises
    StaleLog if another writer was first.
    """
    run = fold_all(events, log.run) if run is None else run
    row = log.row
    _move(row, run, status or run.status)
    try:
        RunEvent.objects.bulk_create(
            RunEvent(run=row, n=event.n, at=event.at, type=event.type, fields=event.fields)
            for event in events
        )
    except IntegrityError as used:
        raise StaleLog from used
    _keep_artifacts(row, run, events)
    approvals.follow(row, log.run, run, events)
    transaction.on_commit(lambda: _tell(row, run, events))
    return Log(row=row, run=run)


def go_on(log: Log, events: Sequence[Event], *, run: RunState | None = None) -> Log:
    """`append`, then `schedule`. Raises StaleLog as `append` does."""
    after = append(log, events, run=run)
    schedule(after)
    return after


def _move(row: Run, run: RunState, status: str) -> None:
    """Update the run's row to match its events."""
    since = row.last
    changed = ["last", "status", "reason", *TOTALS]
    row.last, row.status, row.reason = run.n, status, to_storable(run.reason)
    for name in TOTALS:
        setattr(row, name, getattr(run, name))
    if run.finished and row.finished_at is None:
        row.answer = to_storable(answer_of(run)[:MAX_ANSWER])
        row.ends = to_storable(", ".join(end_states(run)))
        row.seconds = round(run.active_seconds, 3)
        row.waited_seconds = round(run.waited_seconds, 3)
        row.finished_at = datetime.fromtimestamp(run.now, UTC)
        changed += ENDED
    values = {name: getattr(row, name) for name in changed}
    if not Run.objects.filter(pk=row.pk, last=since).update(**values):
        raise StaleLog


def _tell(row: Run, run: RunState, events: Sequence[Event]) -> None:
    FOLDS.put(row.pk, run)
    notify_run(row.pk)
    metrics.count(events, driver=row.driver, source=row.source)


def _keep_artifacts(row: Run, run: RunState, events: Sequence[Event]) -> None:
    newest = {event.fields["name"]: event.n for event in events if event.type == "artifact.set"}
    for event in events:
        if event.type == "workspace.closed" and event.fields.get("diff"):
            newest[WORKSPACE_DIFF] = event.n
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
    """Update the run's one job: it exists while an effect is pending.

    The driver decides whether a person or a worker answers; a worker that finds only questions to
    people deletes the job.
    """
    if log.run.finished or not log.run.pending:
        Job.objects.filter(run_id=log.row.pk).delete()
    else:
        jobs.make_due(log.row)
