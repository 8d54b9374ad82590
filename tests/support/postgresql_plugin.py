"""A pytest plugin that runs tests on PostgreSQL and Redis instead of SQLite.

Use it with `pytest -p tests.support.postgresql_plugin …`. It is a plugin because the settings read
the environment, and Django is set up before any conftest.
"""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

from tests.support.database_servers import MIGRATED, database_address, redis_address

if "SIGNALBOX_DATABASE" not in os.environ:
    os.environ["SIGNALBOX_DATABASE"] = database_address()
    os.environ["SIGNALBOX_REDIS"] = redis_address()
worker = os.environ.get("PYTEST_XDIST_WORKER", "")
if worker and os.environ.get("SIGNALBOX_REDIS"):
    # It receives no notifications of the other processes.
    os.environ["SIGNALBOX_REDIS"] += f"?db={int(worker.removeprefix('gw')) + 1}"

PROCRASTINATE_TABLES = ("events", "periodic_defers", "jobs", "workers")
"""Tables of Procrastinate, each before the tables that it refers to."""


def pytest_configure() -> None:
    """Delete the rows of all tables between tests, also those of Procrastinate. It takes a tenth of
    the time of truncating as many small tables."""
    from django.conf import settings
    from django.db.backends.postgresql.creation import DatabaseCreation
    from django.db.backends.postgresql.operations import DatabaseOperations

    def delete_rows(self: Any, style: Any, tables: list[str], **options: Any) -> list[str]:
        others = [f"procrastinate_{name}" for name in PROCRASTINATE_TABLES]
        return [f'DELETE FROM "{name}"' for name in [*others, *tables]] if tables else []

    made = DatabaseCreation.create_test_db

    def create_database(self: Any, *arguments: Any, **options: Any) -> Any:
        name = made(self, *arguments, **options)
        self.connection.close()
        self.connection.close_pool()
        with self._nodb_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{MIGRATED}" TEMPLATE "{name}"')
        return name

    def drop_database(self: Any, name: str, verbosity: int) -> None:
        self.connection.close_pool()
        with self._nodb_cursor() as cursor:
            for one in (name, MIGRATED):
                cursor.execute(f'DROP DATABASE "{one}" WITH (FORCE)')

    settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = f"test_signalbox_{uuid4().hex}"
    DatabaseOperations.sql_flush = delete_rows
    DatabaseCreation.create_test_db = create_database
    DatabaseCreation._destroy_test_db = drop_database
