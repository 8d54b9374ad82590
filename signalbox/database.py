"""Django set-up for commands that use the server's data folder."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from signalbox.commands.errors import Trouble
from workflows.installation import HAS_PAGES, data_folder
from workflows.security.file_modes import restrict_folder, restrict_new_files

MIGRATING = 7_446_253
"""Number of the PostgreSQL lock that is held during migrations."""
MIGRATING_FILE, MIGRATES_WITHIN = "migrating.sqlite3", 600.0
"""The lock file next to the SQLite database, and the seconds that other processes wait."""
SITUATIONS = (
    ("locked", "is in use by another program", "Close what has it open, and try again."),
    ("readonly", "cannot be written", "Check its permissions, or set SIGNALBOX_DATA."),
    ("unable to open", "cannot be opened", "Check its permissions, or set SIGNALBOX_DATA."),
    ("disk is full", "has no room left", "Make room on the disk, or set SIGNALBOX_DATA."),
    ("disk I/O", "cannot be read or written", "Check the disk, or set SIGNALBOX_DATA."),
    ("not a database", "is not a database", "Move it to another folder, or set SIGNALBOX_DATA."),
    ("malformed", "is damaged", "Restore a backup, or set SIGNALBOX_DATA."),
)
"""SQLite errors, and the message for the operator."""


def prepare(command: str) -> None:
    """Set Django up and migrate the database. Raises Trouble."""
    if not HAS_PAGES:
        raise Trouble(
            f"signalbox {command} needs the pages and the canvas, which this package does not "
            "have.",
            hint="Install the wheel of `signalbox` instead of `signalbox-cli`, or run `make run` "
            "in a checkout.",
        )
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")
    data = data_folder()
    from django.core.exceptions import ImproperlyConfigured

    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        if command in ("serve", "open", "worker"):
            restrict_new_files()
        if not restrict_folder(data):
            _warn_of_readers(data)
        import django

        django.setup()
    except ImproperlyConfigured as error:
        raise Trouble(str(error)) from error
    except OSError as error:
        raise Trouble(
            f"Signalbox cannot keep its data in {data}: {error.strerror or error}.",
            hint="Set SIGNALBOX_DATA to a folder that may be written.",
        ) from error
    with _alone():
        from django.core.management import call_command

        call_command("migrate", verbosity=0, interactive=False)
    restrict_folder(data)


def _warn_of_readers(data: Path) -> None:
    print(
        f"signalbox: Other users of this machine can enter {data}, which holds the database and "
        "the secret key. Make it a folder of the server's user, with mode 700.",
        file=sys.stderr,
    )


@contextmanager
def _alone() -> Iterator[None]:
    """Let one process at a time migrate the database."""
    from django.db import connection

    if connection.vendor == "sqlite":
        with closing(_guard(Path(connection.settings_dict["NAME"]).parent)):
            yield
        return
    import psycopg
    from procrastinate.contrib.django.utils import connector_params

    try:
        with psycopg.connect(**connector_params(), autocommit=True) as server:
            server.execute("SELECT pg_advisory_lock(%s)", [MIGRATING])
            yield
    except psycopg.OperationalError as error:
        raise Trouble(
            f"The database cannot be reached: {str(error).strip()}.",
            hint="Check SIGNALBOX_DATABASE.",
        ) from error


def _guard(folder: Path) -> sqlite3.Connection:
    """A lock that ends with its process. Django's own transactions end between migrations."""
    from django.db import connection

    with connection.wrap_database_errors:
        guard = sqlite3.connect(
            folder / MIGRATING_FILE, timeout=MIGRATES_WITHIN, isolation_level=None
        )
        guard.execute("BEGIN EXCLUSIVE")
    return guard


def in_words(error: Exception) -> Trouble | None:
    """Message for the operator about a database error; None if the file is not the cause."""
    from django.db import DatabaseError, connection

    if not isinstance(error, DatabaseError):
        return None
    for phrase, situation, hint in SITUATIONS:
        if phrase in str(error):
            return Trouble(f"{connection.settings_dict['NAME']} {situation}.", hint=hint)
    return None
