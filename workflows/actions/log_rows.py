"""The rows of one step in few statements, whose text is made once: a step is made of microseconds,
and building a query takes longer than running it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, IntegrityError, connections
from django.db.models import Field, Model

from workflows.core.engine.events import Event
from workflows.models import Job, Run, RunEvent

AT_A_TIME = 500
"""Events in one INSERT: databases limit the values of a statement."""
EVENT = ("run", "n", "at", "type", "fields")
MOVED = ("last",)
CHANGED = ("last", "status", "reason", "finished_at")


def add_events(run_id: UUID, events: Sequence[Event]) -> bool:
    """Store them. False where another writer has numbered an event like one of these."""
    here = connections[DEFAULT_DB_ALIAS]
    id, kept = _written(Run, "id", run_id), RunEvent._meta.get_field("fields").get_db_prep_save
    values = [(id, event.n, event.at, event.type, kept(event.fields, here)) for event in events]
    try:
        with here.cursor() as cursor:
            for first in range(0, len(values), AT_A_TIME):
                some = values[first : first + AT_A_TIME]
                cursor.execute(_insert(len(some)), [one for row in some for one in row])
    except IntegrityError:
        return False
    return True


def move(row: Run, *, since: int, changed: bool) -> bool:
    """Have the run's row say what its events say. False where it does not stand at number `since`
    any more, and nothing is written. `changed`: more than its number did."""
    names = CHANGED if changed else MOVED
    values = [_written(Run, name, getattr(row, name)) for name in names]
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_update(names), [*values, _written(Run, "id", row.pk), since])
        return bool(cursor.rowcount)


def got_somewhere(run_id: UUID) -> bool:
    """Note on the job that whoever holds it got the run on. False where nobody holds it."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_held(), [_written(Run, "id", run_id)])
        return bool(cursor.rowcount)


def _written(model: type[Model], name: str, value: Any) -> Any:
    """A value as this database takes it."""
    field: Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]
    return field.get_db_prep_save(value, connections[DEFAULT_DB_ALIAS])


def _column(model: type[Model], name: str) -> str:
    field: Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(str(field.column))


def _table(model: type[Model]) -> str:
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(model._meta.db_table)


@cache
def _insert(rows: int) -> str:
    columns = ", ".join(_column(RunEvent, name) for name in EVENT)
    row = "(" + ", ".join(["%s"] * len(EVENT)) + ")"
    return f"INSERT INTO {_table(RunEvent)} ({columns}) VALUES {', '.join([row] * rows)}"


@cache
def _update(names: tuple[str, ...]) -> str:
    changes = ", ".join(f"{_column(Run, name)} = %s" for name in names)
    where = f"{_column(Run, 'id')} = %s AND {_column(Run, 'last')} = %s"
    return f"UPDATE {_table(Run)} SET {changes} WHERE {where}"


@cache
def _held() -> str:
    held = f"{_column(Job, 'run')} = %s AND {_column(Job, 'worker')} <> ''"
    return f"UPDATE {_table(Job)} SET {_column(Job, 'attempts')} = 0 WHERE {held}"
