"""A locked database is reported with a message, and no request is half done."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from django.db import connection
from django.test import Client

from workflows.models import Pack

pytestmark = pytest.mark.sqlite


@pytest.fixture
def held(transactional_db: None) -> Iterator[None]:
    """Another program is writing, and ours does not wait for it."""
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()
        connection.close()


def test_a_busy_database_is_reported(site: Client, held: None) -> None:
    body = {"dialect": "flow", "name": "Mine"}
    answer = site.post("/api/v1/packs/", body, content_type="application/json")
    assert answer.status_code == 503
    assert answer.json()["message"].startswith("The database is busy.")
    assert not Pack.objects.exists()
