"""The rows of all tables as JSON, the same for SQLite and PostgreSQL.

Tables are read and written with the models of the migrations that the database has, so a backup of
an earlier version is restored with its own tables, which are then migrated.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any, TypeAlias
from uuid import UUID

from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model
from django.utils.duration import duration_string

from signalbox.backups.archive import Archive, ArchiveWriter

FOLDER = "rows"
QUEUE = "procrastinate"
"""The app of the delivery queue, which only PostgreSQL has. Its tables are left out: workers find
the runs that were not delivered."""
BATCH = 1_000
"""Rows that are read or written at once."""

Node: TypeAlias = "tuple[str, str]"
"""App and name of a migration."""


def applied_migrations() -> set[Node]:
    """The migrations of this database; none if it has no tables."""
    executor = MigrationExecutor(connection)
    return {node for node in executor.loader.applied_migrations if node[0] != QUEUE}


def write_rows(out: ArchiveWriter) -> dict[str, Any]:
    """Write one entry for each table, all of the same moment, while other processes write. Returns
    the part of the manifest: `migrations` and `tables`."""
    tables: dict[str, Any] = {}
    with _snapshot():
        applied = applied_migrations()
        for model in _models(applied):
            fields = model._meta.concrete_fields
            count = 0
            with out.entry(f"{FOLDER}/{model._meta.db_table}.jsonl") as stream:
                rows = model._base_manager.order_by("pk")
                names = [field.attname for field in fields]
                for row in rows.values_list(*names).iterator(chunk_size=BATCH):
                    stream.write(json.dumps(row, default=_plain).encode() + b"\n")
                    count += 1
            tables[model._meta.db_table] = {"fields": names, "rows": count}
    return {"migrations": sorted(map(list, applied)), "tables": tables}


def load_rows(archive: Archive) -> None:
    """Make the tables of the backup in this database, which has none or the same, and replace their
    rows."""
    applied = {(app, name) for app, name in archive.manifest["migrations"]}
    executor = _executor(applied)
    graph = executor.loader.graph
    queue = [node for node in graph.leaf_nodes() if node[0] == QUEUE]
    executor.migrate([*_leaves(executor, applied), *queue])
    models = list(_models(applied))
    with transaction.atomic():
        for model in models:
            model._base_manager.all()._raw_delete(connection.alias)
        for model in models:
            _load_table(archive, model, archive.manifest["tables"][model._meta.db_table])
        reset = connection.ops.sequence_reset_sql(no_style(), models)
        with connection.cursor() as cursor:
            for statement in reset:
                cursor.execute(statement)


def _load_table(archive: Archive, model: type[Model], table: Mapping[str, Any]) -> None:
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    fields = [by_name[name] for name in table["fields"]]
    size = min(BATCH, connection.ops.bulk_batch_size(fields, range(BATCH)) or BATCH)
    with archive.open(f"{FOLDER}/{model._meta.db_table}.jsonl") as stream:
        rows = (json.loads(line) for line in stream)
        while batch := list(islice(rows, size)):
            objects = [
                model(
                    **{
                        field.attname: field.to_python(value)
                        for field, value in zip(fields, row, strict=True)
                    }
                )
                for row in batch
            ]
            # Not bulk_create: it would set the times of changes to now.
            model._base_manager.all()._insert(  # type: ignore[attr-defined]
                objects, fields=fields, using=connection.alias, raw=True
            )


@contextmanager
def _snapshot() -> Iterator[None]:
    """One moment for all reads of the block. Writers of other processes continue."""
    if connection.vendor == "sqlite":
        # Django would begin as a writer.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def _models(applied: set[Node]) -> Iterator[type[Model]]:
    executor = _executor(applied)
    state = executor.loader.project_state(_leaves(executor, applied))
    for model in state.apps.get_models(include_auto_created=True):
        options = model._meta
        if options.managed and not options.proxy and not options.swapped:
            yield model


def _executor(applied: set[Node]) -> MigrationExecutor:
    """An executor for tables with these migrations. One that replaces others is left out if they
    were applied before it existed."""
    executor = MigrationExecutor(connection)
    disk = executor.loader.disk_migrations or {}
    if not applied >= {node for node, migration in disk.items() if migration.replaces}:
        executor.loader = MigrationLoader(connection, replace_migrations=False)
    return executor


def _leaves(executor: MigrationExecutor, applied: set[Node]) -> list[Node]:
    """The migrations that no other one of these depends on."""
    graph = executor.loader.graph
    nodes = applied & graph.nodes.keys()
    inner = {parent.key for node in nodes for parent in graph.node_map[node].parents}
    return sorted(nodes - inner)


def _plain(value: object) -> str:
    """A value that JSON lacks, in the form that its field reads."""
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return duration_string(value)
    if isinstance(value, UUID | Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be stored in a backup.")
