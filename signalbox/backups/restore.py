"""Restore of a backup: everything is checked and prepared aside, then put in its place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from signalbox.backups.archive import Archive
from signalbox.backups.create import MIRRORS, WORKSPACES, dated
from signalbox.backups.folders import extract_folder
from signalbox.backups.key_file import KEY
from signalbox.backups.rows import applied_migrations, load_rows
from signalbox.commands.errors import Trouble
from workflows.installation import version

STAGING = "restoring"
"""Folder in the data folder. One that is left over is from a restore that was killed."""
CONTENT = ("workflows_pack", "workflows_run", "auth_user")
"""Tables with rows in every installation that someone has used."""


def restore(archive: Archive, *, force: bool) -> Path | None:
    """Put a backup in the place of this installation, which no process uses. Returns the folder
    with the former content; None if there was none. Raises Trouble before anything is changed."""
    _refuse_newer(archive)
    is_used = _refuse_content(archive, force=force)
    staging = settings.DATA / STAGING
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    try:
        _extract_files(archive, staging)
        if connection.vendor == "sqlite":
            with _database_at(staging / _database().name):
                load_rows(archive)
        else:
            load_rows(archive)
        replaced = _put_in_place(staging, is_used=is_used)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    call_command("migrate", verbosity=0, interactive=False)
    return replaced


def _database() -> Path:
    return Path(connection.settings_dict["NAME"])


def _refuse_newer(archive: Archive) -> None:
    needed = {(app, name) for app, name in archive.manifest["migrations"]}
    known = MigrationExecutor(connection).loader.disk_migrations or {}
    if unknown := sorted(needed - known.keys()):
        raise Trouble(
            f"{archive.path} was made by Signalbox {archive.manifest['version']}, whose tables "
            f"this version ({version()}) does not know: {'.'.join(unknown[-1])}.",
            hint="Restore it with that version.",
        )


def _refuse_content(archive: Archive, *, force: bool) -> bool:
    """Refuse a target with content, and a PostgreSQL database with other tables. Returns whether
    there is content to be replaced."""
    tables = set(connection.introspection.table_names())
    rows = {name: _count(name) for name in CONTENT if name in tables}
    if any(rows.values()) and not force:
        raise Trouble(
            f"{settings.DATA if connection.vendor == 'sqlite' else 'The database'} has "
            f"{rows.get('workflows_pack', 0):,} packs and {rows.get('workflows_run', 0):,} runs.",
            hint="Use an empty one, or replace its content with --force.",
        )
    needed = {(app, name) for app, name in archive.manifest["migrations"]}
    if connection.vendor != "sqlite" and applied_migrations() - needed:
        raise Trouble(
            "The tables of this database are from another version than the backup.",
            hint="Create an empty database, and name it in SIGNALBOX_DATABASE.",
        )
    connection.close()
    return any(rows.values())


def _count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")
        (count,) = cursor.fetchone()
    return int(count)


def _extract_files(archive: Archive, staging: Path) -> None:
    for name in (WORKSPACES, MIRRORS):
        if archive.names(name):
            extract_folder(archive, name, staging / name)
    if KEY in archive.manifest["checksums"]:
        with archive.open(KEY) as stream:
            key = staging / KEY
            key.touch(mode=0o600)
            key.write_bytes(stream.read())


@contextmanager
def _database_at(path: Path) -> Iterator[None]:
    """Use the SQLite database at another path inside the block."""
    usual = connection.settings_dict["NAME"]
    connection.settings_dict["NAME"] = path
    try:
        yield
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual


def _put_in_place(staging: Path, *, is_used: bool) -> Path | None:
    """Move the former content aside and the new in its place, the database last. A key and an
    empty database without content were made by this command, as by every one that finds none."""
    replaced = dated("replaced")
    database = _database().name if connection.vendor == "sqlite" else ""
    for name in (KEY, WORKSPACES, MIRRORS, database):
        fresh, present = staging / name, settings.DATA / name
        if not name or not fresh.exists():
            continue
        if (
            present.exists()
            and not _same(fresh, present)
            and (is_used or name not in (KEY, database))
        ):
            replaced.mkdir(mode=0o700, exist_ok=True)
            present.rename(replaced / name)
        fresh.replace(present)
    return replaced if replaced.exists() else None


def _same(fresh: Path, present: Path) -> bool:
    return fresh.is_file() and present.is_file() and fresh.read_bytes() == present.read_bytes()
