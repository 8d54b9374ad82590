"""A pytest plugin that runs tests on PostgreSQL and Redis instead of SQLite.

Use it with `pytest -p tests.support.postgresql_plugin …`. It is a plugin because the settings read
the environment, and Django is set up before any conftest.
"""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

from tests.support.database_servers import database_address, redis_address

if "SIGNALBOX_DATABASE" not in os.environ:
    os.environ["SIGNALBOX_DATABASE"] = database_address()
    os.environ["SIGNALBOX_REDIS"] = redis_address()
worker = os.environ.get("PYTEST_XDIST_WORKER", "")
if worker and os.environ.get("SIGNALBOX_REDIS"):
    # It receives no notifications of the other processes.
    os.environ["SIGNALBOX_REDIS"] += f"?db={int(worker.removeprefix('gw')) + 1}"

BESIDE = ("events", "periodic_defers", "jobs", "workers")
"""Tables of Procrastinate, each before those that it refers to."""


def pytest_configure() -> None:
    """Between tests rows are deleted, which takes a tenth of what truncating as many small tables
    takes; those of tables that no model of ours stands for, too."""
    from django.conf import settings
    from django.db.backends.postgresql.creation import DatabaseCreation
    from django.db.backends.postgresql.operations import DatabaseOperations

    def everything(self: Any, style: Any, tables: list[str], **given: Any) -> list[str]:
        beside = [f"procrastinate_{name}" for name in BESIDE]
        return [f'DELETE FROM "{name}"' for name in [*beside, *tables]] if tables else []

    def whoever_is_there(self: Any, name: str, verbosity: int) -> None:
        self.connection.close_pool()
        with self._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    own = f"test_signalbox_{uuid4().hex}"
    settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = own
    DatabaseOperations.sql_flush = everything
    DatabaseCreation._destroy_test_db = whoever_is_there
