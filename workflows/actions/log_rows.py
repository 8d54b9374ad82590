"""SQL for the rows of one step: two prepared statements, on PostgreSQL one.

A step takes microseconds; building a query with the ORM, and `atomic`, would take longer than
running it, and each statement is a round trip to PostgreSQL. `bench.steps` measures it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import TracebackType
from typing import Any

from django.db import DEFAULT_DB_ALIAS, IntegrityError, connections
from django.db.models import Field, Model

from workflows.core.engine.events import Event
from workflows.models import Job, Run, RunEvent
from workflows.models.fields import as_written, encoded

EVENT = ("run", "n", "at", "type", "fields")
TOTALS = ("model_calls", "tool_calls", "input_tokens", "output_tokens", "cost")
MOVED = ("last", *TOTALS)
CHANGED = (*MOVED, "status", "reason", "answer", "ends", "seconds", "finished_at")


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

    def keep(self, events: Sequence[Event], *, last: int, totals: Sequence[float]) -> bool:
        """Store events in a transaction of its own, and set the run's number to `last` and its
        `TOTALS`, for a run that a worker holds and has made progress with. False, with nothing
        written, if the job shows no progress, the row is no longer at its number, or a transaction
        is open.

        A database with row locks has to lock the job, which another writer may delete. PostgreSQL
        does all in one statement; on others nothing is kept.
        """
        here = self._here
        if here.in_atomic_block:
            return False
        if here.vendor == "postgresql":
            return self._keep_at_once(events, [last, *totals])
        if here.features.has_select_for_update:
            return False
        kept = False
        with here.wrap_database_errors:
            self._cursor.execute("BEGIN IMMEDIATE")
            try:
                held = self._did(
                    _update_held(), [last, *totals, self._id, self._row.last, self._id]
                )
                if held and self.add(events):
                    self._cursor.execute("COMMIT")
                    kept = True
            finally:
                here.connection.rollback()  # Roll back what is not committed.
        return kept

    def _keep_at_once(self, events: Sequence[Event], moved: Sequence[float]) -> bool:
        """`keep` in one round trip to PostgreSQL; without a transaction block, a statement is a
        transaction."""
        columns = (
            [event.n for event in events],
            [event.at for event in events],
            [event.type for event in events],
            [encoded(event.fields) for event in events],
        )
        values = [self._id, self._row.last, *moved, self._id, *columns]
        try:
            return self._did(_keep_held(), values)
        except IntegrityError:
            return False

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
    """Lock the run and then its job, in the order of other writers, and write only if both are as
    expected."""
    run, job = _table(Run), _table(Job)
    id, last = _column(Run, "id"), _column(Run, "last")
    columns = ", ".join(_column(RunEvent, name) for name in EVENT)
    changes = ", ".join(f"{_column(Run, name)} = %s" for name in MOVED)
    return f"""
        WITH seen AS (SELECT {id} FROM {run} WHERE {id} = %s AND {last} = %s FOR NO KEY UPDATE),
        held AS (
            SELECT {_column(Job, "run")} FROM {job}
            WHERE {_column(Job, "run")} = (SELECT {id} FROM seen)
            AND {_column(Job, "worker")} <> '' AND {_column(Job, "attempts")} = 0 FOR UPDATE
        ),
        moved AS (
            UPDATE {run} SET {changes}
            WHERE {id} = (SELECT {_column(Job, "run")} FROM held) RETURNING {id}
        )
        INSERT INTO {_table(RunEvent)} ({columns})
        SELECT %s, n, at, type, fields::json FROM
        unnest(%s::bigint[], %s::float8[], %s::text[], %s::text[]) AS new (n, at, type, fields)
        WHERE EXISTS (SELECT FROM moved)
    """


@cache
def _noted() -> str:
    return f"UPDATE {_table(Job)} SET {_column(Job, 'attempts')} = 0 WHERE {_held()}"


def _held() -> str:
    return f"{_column(Job, 'run')} = {_slot()} AND {_column(Job, 'worker')} <> ''"
