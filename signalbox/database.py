"""Django set-up for commands that use the server's data folder."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from signalbox.commands.errors import Trouble
from workflows.installation import HAS_PAGES, data_folder
from workflows.security.file_modes import restrict_folder, restrict_new_files

MIGRATING = 7_446_253
"""Number of the PostgreSQL lock that is held during migrations."""
MIGRATING_FILE, MIGRATES_WITHIN = "migrating.sqlite3", 600.0
"""The lock file next to the SQLite database, and the seconds that other processes wait."""
OTHERS = """SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
AND pid <> pg_backend_pid() AND backend_type = 'client backend'"""
RESTRICTED = ("serve", "open", "worker", "backup", "restore", "move", "keys")
"""Commands whose new files are for the server's user only."""
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
    data = set_up(command)
    with alone():
        _migrate()
    restrict_folder(data)


def set_up(command: str) -> Path:
    """Set Django up, and leave the database as it is. Returns the data folder. Raises Trouble."""
    if not HAS_PAGES:
        raise Trouble(
            f"signalbox {command} needs the pages and the canvas, which this package does not "
            "have.",
            hint="Install the wheel of `signalboxd` instead of `signalbox-cli`, or run `make run` "
            "in a checkout.",
        )
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")
    data = data_folder()
    from django.core.exceptions import ImproperlyConfigured

    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        if command in RESTRICTED:
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
    return data


def _migrate() -> None:
    """Migrate the database, after a copy if it has tables. Raises Trouble if it is from a version
    that this program does not work with."""
    from django.core.management import call_command

    from workflows.actions.milestones import record
    from workflows.db.migrations import migration_state
    from workflows.models import Milestone

    state = migration_state()
    if state.refusal:
        raise Trouble(
            state.refusal,
            hint="Install that version or a later one, or restore a backup of this version.",
        )
    if state.missing and not state.is_new:
        _copy(state.missing)
    call_command("migrate", verbosity=0, interactive=False)
    if state.missing:
        record(Milestone.Kind.MIGRATION)


def _copy(missing: int) -> None:
    """Back up the database before it is migrated. Raises Trouble, so that nothing is migrated
    without a copy."""
    from signalbox.backups.create import DATABASE_ONLY, create_backup, dated

    path = dated("before-migration", ".zip")
    try:
        create_backup(path, DATABASE_ONLY)
    except OSError as error:
        raise Trouble(
            f"The database needs {missing} migrations, and its copy cannot be written to {path}: "
            f"{error.strerror or error}.",
            hint="Make room on the disk. The database was not changed.",
        ) from error
    print(
        f"signalbox: The database is brought up to date by {missing} migrations. A copy of it as "
        f"it was is in {path}.",
        file=sys.stderr,
        flush=True,
    )


def _warn_of_readers(data: Path) -> None:
    print(
        f"signalbox: Other users of this machine can enter {data}, which holds the database and "
        "the secret key. Make it a folder of the server's user, with mode 700.",
        file=sys.stderr,
    )


@contextmanager
def alone(*, unused: bool = False) -> Iterator[None]:
    """Let one process at a time migrate, restore or move the database; others that start wait.
    `unused`: refuse a database that another process has open."""
    from django.db import connection

    if connection.vendor == "sqlite":
        file = Path(connection.settings_dict["NAME"])
        with closing(_guard(file.parent)):
            if unused:
                _refuse_open_file(file)
            yield
        return
    import psycopg
    from procrastinate.contrib.django.utils import connector_params

    try:
        with psycopg.connect(**connector_params(), autocommit=True) as server:
            server.execute("SELECT pg_advisory_lock(%s)", [MIGRATING])
            if unused and (others := server.execute(OTHERS).fetchone()) and others[0]:
                raise _in_use(f"{others[0]} other connections to the database are open")
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


def _refuse_open_file(file: Path) -> None:
    """Only the single user of a database may end its write-ahead log."""
    if not file.exists():
        return
    from django.db import OperationalError, connection

    with closing(sqlite3.connect(file, timeout=0)) as database:
        try:
            with connection.wrap_database_errors:
                database.execute("PRAGMA journal_mode=DELETE")
        except OperationalError as error:
            if "locked" not in str(error):
                raise
            raise _in_use(f"{file} is open in another process") from error


def _in_use(what: str) -> Trouble:
    return Trouble(f"{what}.", hint="Stop the server and all workers first.")


def checkpoint() -> None:
    """Write the write-ahead log of an SQLite database into its file, so that a copy of the file
    alone is whole. Call it when the last write of this process is done."""
    from django.db import connection

    if connection.vendor != "sqlite":
        return
    file = connection.settings_dict["NAME"]
    with suppress(sqlite3.Error), closing(sqlite3.connect(file, timeout=10)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def errors_in_words() -> Iterator[None]:
    """Raise Trouble for errors of the database file."""
    try:
        yield
    except (ModuleNotFoundError, Trouble):
        raise
    except Exception as error:
        if trouble := in_words(error):
            raise trouble from error
        raise


def in_words(error: Exception) -> Trouble | None:
    """Message for the operator about a database error; None if the file is not the cause."""
    from django.db import DatabaseError, connection

    if not isinstance(error, DatabaseError):
        return None
    for phrase, situation, hint in SITUATIONS:
        if phrase in str(error):
            return Trouble(f"{connection.settings_dict['NAME']} {situation}.", hint=hint)
    return None
