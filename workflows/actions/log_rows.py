"""SQL for the rows of steps: two prepared statements per step, on PostgreSQL one for the steps of
several runs.

A step takes microseconds; building a query with the ORM, and `atomic`, would take longer than
running it, and each statement is a round trip to PostgreSQL. `bench.steps` measures it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, IntegrityError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Field, Model

from workflows.core.engine.events import Event
from workflows.models import Job, Run, RunEvent
from workflows.models.fields import as_written, encoded

EVENT = ("run", "n", "at", "type", "fields")
TOTALS = ("model_calls", "tool_calls", "input_tokens", "output_tokens", "cost")
MOVED = ("last", *TOTALS)
CHANGED = (*MOVED, "status", "reason", "answer", "ends", "seconds", "waited_seconds", "finished_at")


class Rows:
    """Statements of one transaction about one run. A context manager that closes its cursor.

    It uses the cursor of the database driver, because Django's adds placeholders, hooks and a debug
    log to every statement. Errors are converted to Django's.
    """

    def __init__(self, row: Run) -> None:
        self._row = row
        self._here = connections[DEFAULT_DB_ALIAS]
        self._id = self._written("id")
        self._here.ensure_connection()
        self._cursor = self._here.connection.cursor()

    def __enter__(self) -> Rows:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._cursor.close()

    def add(self, events: Sequence[Event]) -> bool:
        """Insert events. False if another writer used one of their numbers."""
        id, here = self._id, self._here
        rows = [(id, one.n, one.at, one.type, as_written(one.fields, here)) for one in events]
        try:
            with here.wrap_database_errors:
                self._cursor.executemany(_insert(), rows)
        except IntegrityError:
            return False
        return True

    def move(self, *, since: int, changed: bool) -> bool:
        """Update the run's row to match its events. False, with nothing written, if the row is no
        longer at number `since`. `changed`: more than its number changed."""
        names = CHANGED if changed else MOVED
        values = [self._written(name) for name in names]
        return self._did(_update(names), [*values, self._id, since])

    def got_somewhere(self) -> bool:
        """Record progress on the job of the worker that holds the run. False if no worker holds
        it."""
        return self._did(_noted(), [self._id])

    def _did(self, statement: str, values: Sequence[Any]) -> bool:
        """Return True if a row was changed."""
        with self._here.wrap_database_errors:
            self._cursor.execute(statement, values)
        return bool(self._cursor.rowcount)

    def _written(self, name: str) -> Any:
        """Convert a value of the row for this database."""
        return _field(Run, name).get_db_prep_save(getattr(self._row, name), self._here)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRows:
    """One step of a run: its events, and the number and the `TOTALS` of the run's row before and
    after it."""

    run: UUID
    since: int
    last: int
    totals: Sequence[float]
    events: Sequence[Event]


def keep(steps: Sequence[StepRows]) -> Set[UUID]:
    """Store steps of different runs in a transaction of its own. Returns the runs whose step was
    stored: those that a worker holds, and whose row is at its number. None of them if a transaction
    is open.

    A database with row locks has to lock the jobs, which another writer may delete. PostgreSQL
    does all in one statement. SQLite leaves the first step of a worker, which has to be noted on
    the job, to `Rows`. On other databases nothing is kept.
    """
    here = connections[DEFAULT_DB_ALIAS]
    if here.in_atomic_block:
        return frozenset()
    here.ensure_connection()
    try:
        with here.wrap_database_errors:
            if here.vendor == "postgresql":
                return _keep_at_once(steps, here.connection)
            return _keep_in_turn(steps, here)
    except IntegrityError:
        return frozenset()


def _keep_in_turn(steps: Sequence[StepRows], here: BaseDatabaseWrapper) -> Set[UUID]:
    if here.features.has_select_for_update:
        return frozenset()
    kept: set[UUID] = set()
    cursor = here.connection.cursor()
    try:
        cursor.execute("BEGIN IMMEDIATE")
        for step in steps:
            id = _field(Run, "id").get_db_prep_save(step.run, here)
            cursor.execute(_update_held(), [step.last, *step.totals, id, step.since, id])
            if cursor.rowcount:
                rows = [(id, one.n, one.at, one.type, encoded(one.fields)) for one in step.events]
                cursor.executemany(_insert(), rows)
                kept.add(step.run)
        if kept:
            cursor.execute("COMMIT")
    finally:
        here.connection.rollback()  # Roll back what is not committed.
        cursor.close()
    return kept


def _keep_at_once(steps: Sequence[StepRows], connection: Any) -> Set[UUID]:
    """One round trip to PostgreSQL; without a transaction block, a statement is a transaction. The
    statement is prepared once per connection, because planning it takes as long as running it."""
    from psycopg import Cursor

    events = [(step.run, event) for step in steps for event in step.events]
    values = (
        _array(step.run for step in steps),
        _array(step.since for step in steps),
        _array(step.last for step in steps),
        *(_array(column) for column in zip(*(step.totals for step in steps), strict=True)),
        _array(run for run, _ in events),
        _array(event.n for _, event in events),
        _array(event.at for _, event in events),
        [event.type for _, event in events],
        [encoded(event.fields) for _, event in events],
    )
    with Cursor(connection) as cursor:
        cursor.execute(_keep_held(), values, prepare=True)
        return {run for (run,) in cursor.fetchall()}


def _array(values: Iterable[UUID | float]) -> str:
    """PostgreSQL's text of an array. Numbers of one list would have types by their size, and the
    statement a plan for each combination."""
    return f"{{{','.join(map(str, values))}}}"


@cache
def _slot() -> str:
    """Placeholder of a value for this database's driver."""
    return "?" if connections[DEFAULT_DB_ALIAS].vendor == "sqlite" else "%s"


def _field(model: type[Model], name: str) -> Field[Any, Any]:
    field: Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]
    return field


def _column(model: type[Model], name: str) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(str(_field(model, name).column))


def _table(model: type[Model]) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(model._meta.db_table)


@cache
def _insert() -> str:
    columns = ", ".join(_column(RunEvent, name) for name in EVENT)
    values = ", ".join([_slot()] * len(EVENT))
    return f"INSERT INTO {_table(RunEvent)} ({columns}) VALUES ({values})"


@cache
def _update(names: tuple[str, ...]) -> str:
    changes = ", ".join(f"{_column(Run, name)} = {_slot()}" for name in names)
    where = f"{_column(Run, 'id')} = {_slot()} AND {_column(Run, 'last')} = {_slot()}"
    return f"UPDATE {_table(Run)} SET {changes} WHERE {where}"


@cache
def _update_held() -> str:
    job = f"SELECT 1 FROM {_table(Job)} WHERE {_held()} AND {_column(Job, 'attempts')} = 0"
    return f"{_update(MOVED)} AND EXISTS ({job})"


@cache
def _keep_held() -> str:
    """Lock the runs and then their jobs, in the order of other writers, and write only those that
    are as expected. Several runs are locked in the order of their ids. The progress is noted on the
    jobs."""
    run, job = _table(Run), _table(Job)
    id, last, job_run = _column(Run, "id"), _column(Run, "last"), _column(Job, "run")
    attempts = _column(Job, "attempts")
    types = {name: _type(Run, name) for name in MOVED}
    step = ", ".join(f"%s::{type}[]" for type in ("uuid", _type(Run, "last"), *types.values()))
    changes = ", ".join(f"{_column(Run, name)} = step.{_quoted(name)}" for name in MOVED)
    names = ", ".join(map(_quoted, MOVED))
    columns = ", ".join(_column(RunEvent, name) for name in EVENT)
    return f"""
        WITH step AS MATERIALIZED (
            SELECT * FROM unnest({step}) AS step (run_id, since, {names})
        ),
        seen AS (
            SELECT run.{id} FROM step JOIN {run} AS run ON run.{id} = step.run_id
            WHERE run.{last} = step.since ORDER BY run.{id} FOR NO KEY UPDATE OF run
        ),
        held AS (
            SELECT job.{job_run} AS run_id FROM seen JOIN {job} AS job ON job.{job_run} = seen.{id}
            WHERE job.{_column(Job, "worker")} <> '' ORDER BY job.{job_run} FOR UPDATE OF job
        ),
        noted AS (
            UPDATE {job} SET {attempts} = 0
            WHERE {job_run} IN (SELECT run_id FROM held) AND {attempts} <> 0
        ),
        moved AS (
            UPDATE {run} AS run SET {changes} FROM step, held
            WHERE run.{id} = held.run_id AND step.run_id = held.run_id RETURNING run.{id}
        ),
        added AS (
            INSERT INTO {_table(RunEvent)} ({columns})
            SELECT run_id, n, at, type, fields::json FROM
            unnest(%s::uuid[], %s::bigint[], %s::float8[], %s::text[], %s::text[])
                AS new (run_id, n, at, type, fields)
            WHERE run_id IN (SELECT {id} FROM moved)
        )
        SELECT {id} FROM moved
    """


def _quoted(name: str) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(name)


def _type(model: type[Model], name: str) -> str:
    return str(_field(model, name).db_type(connections[DEFAULT_DB_ALIAS]))


@cache
def _noted() -> str:
    return f"UPDATE {_table(Job)} SET {_column(Job, 'attempts')} = 0 WHERE {_held()}"


def _held() -> str:
    return f"{_column(Job, 'run')} = {_slot()} AND {_column(Job, 'worker')} <> ''"
