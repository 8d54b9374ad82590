"""`pytest -p tests.on_postgresql …` runs tests on PostgreSQL and Redis instead of SQLite.

A plugin, because settings read the environment and Django is set up before any conftest.
"""

from __future__ import annotations

import os
from typing import Any

from tests.postgresql import database_address, redis_address

if "SIGNALBOX_DATABASE" not in os.environ:
    os.environ["SIGNALBOX_DATABASE"] = database_address()
    os.environ["SIGNALBOX_REDIS"] = redis_address()


def pytest_configure() -> None:
    """Tables that no model of ours stands for are emptied between tests, too."""
    from django.db.backends.postgresql.creation import DatabaseCreation
    from django.db.backends.postgresql.operations import DatabaseOperations

    flush = DatabaseOperations.sql_flush

    def everything(self: Any, style: Any, tables: list[str], **given: Any) -> list[str]:
        more = ["procrastinate_jobs"] if tables else []
        return flush(self, style, [*tables, *more], **{**given, "allow_cascade": True})

    def whoever_is_there(self: Any, name: str, verbosity: int) -> None:
        self.connection.close_pool()
        with self._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    DatabaseOperations.sql_flush = everything
    DatabaseCreation._destroy_test_db = whoever_is_there
