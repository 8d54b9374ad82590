"""Check of the disk and the database, and error messages if they cannot be written."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

PROBE_BYTES = 64 * 1024
WAIT_MILLISECONDS = 1_000
"""Time that a check waits for the writer of an SQLite database."""
UNSAVED = "Nothing of this request was saved."
STORAGE_HINT = "Report it to the operator of this server, and try again later."
_SENTENCES = {
    "locked": "The database is in use by another program.",
    "readonly": "The database cannot be written.",
    "read-only": "The database cannot be written.",
    "unable to open": "The database cannot be opened.",
    "disk is full": "The disk of the database is full.",
    "no space left": "The disk of the database is full.",
    "could not extend file": "The disk of the database is full.",
    "disk i/o": "The disk of the database cannot be read or written.",
}
_UNREACHABLE = (
    *("connection failed", "connection timeout", "connection is closed", "closed the connection"),
    *("terminating connection", "the database system is", "couldn't get a connection"),
)
"""Parts of the messages of PostgreSQL's client and of its pool."""
_ERRORS = {
    errno.ENOSPC: "The disk of the data folder is full.",
    errno.EDQUOT: "The quota of the data folder is used up.",
    errno.EROFS: "The data folder cannot be written.",
}


def storage_problem(error: Exception) -> str:
    """The error message for a disk or database that cannot be written; "" for other errors."""
    if isinstance(error, OSError):
        return _ERRORS.get(error.errno or 0, "")
    if isinstance(error, DatabaseError | InterfaceError):
        text = str(error).casefold()
        if isinstance(error, OperationalError | InterfaceError) and any(
            part in text for part in _UNREACHABLE
        ):
            return "The database cannot be reached."
        return next((sentence for part, sentence in _SENTENCES.items() if part in text), "")
    return ""


def storage_check() -> str:
    """`ok` if the data folder and the database can be written now, otherwise the reason."""
    try:
        _write_file(Path(settings.DATA))
        with _impatient(), transaction.atomic():
            _write_row()
            transaction.set_rollback(True)
    except (DatabaseError, OSError) as error:
        return storage_problem(error) or f"cannot be written ({type(error).__name__})"
    return "ok"


def _write_file(folder: Path) -> None:
    handle, name = tempfile.mkstemp(prefix=".ready-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(bytes(PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    finally:
        Path(name).unlink(missing_ok=True)


def _write_row() -> None:
    """A row of a table that every installation has; the transaction is rolled back."""
    from django.contrib.sessions.models import Session
    from django.utils import timezone

    Session(session_key="storage-check", session_data="", expire_date=timezone.now()).save(
        force_insert=True
    )


@contextmanager
def _impatient() -> Iterator[None]:
    """Wait for another writer a second at most."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        yield
        return
    with connection.cursor() as cursor:
        usual = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        cursor.execute(f"PRAGMA busy_timeout = {WAIT_MILLISECONDS}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {usual}")
