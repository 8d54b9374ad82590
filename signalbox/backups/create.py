"""A backup of the database, the key, the workspaces and the mirrors, while runs continue."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from signalbox.backups.archive import Archive, ArchiveWriter
from signalbox.backups.folders import write_folder
from signalbox.backups.key_file import KEY
from signalbox.backups.rows import write_rows
from signalbox.commands.errors import Trouble
from workflows.db.migrations import migration_state
from workflows.installation import version

WORKSPACES = "workspaces"
MIRRORS = "repositories"
KNOWN_HOSTS = "known_hosts"
COUNTED = (
    ("workflows_pack", "pack", "packs"),
    ("workflows_run", "run", "runs"),
    ("workflows_runevent", "event", "events"),
)
"""Tables whose size shows a person that a backup is the right one."""


@dataclass(frozen=True)
class Parts:
    """Parts of a backup besides the database."""

    key: bool = True
    workspaces: bool = True
    mirrors: bool = False


DATABASE_ONLY = Parts(key=False, workspaces=False)


def create_backup(path: Path, parts: Parts) -> Mapping[str, Any]:
    """Write a backup to a file that does not exist, read it again, and return its manifest.

    The rows are of one moment. Files are copied after them, so a workspace may be ahead of its run
    as after the crash of a worker. Raises Trouble and OSError.
    """
    if path.exists():
        raise Trouble(f"{path} exists.", hint="Choose another name, or delete it.")
    state = migration_state()
    if state.is_new:
        raise Trouble(
            f"There is no installation in {settings.DATA}.",
            hint="Set SIGNALBOX_DATA and SIGNALBOX_DATABASE as for the server.",
        )
    if state.unknown:
        raise Trouble(
            f"The database has migrations that this version ({version()}) does not know.",
            hint="Make the backup with the version that applied them.",
        )
    with ArchiveWriter(path) as out:
        manifest: dict[str, Any] = {
            "version": version(),
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "database": connection.vendor,
            **write_rows(out),
        }
        if parts.key:
            with out.entry(KEY) as stream:
                stream.write(settings.SECRET_KEY.encode())
        if parts.workspaces:
            write_folder(out, settings.DATA / WORKSPACES, WORKSPACES)
        if parts.mirrors:
            write_folder(out, settings.DATA / MIRRORS, MIRRORS)
        elif (hosts := settings.DATA / MIRRORS / KNOWN_HOSTS).exists():
            with out.entry(f"{MIRRORS}/{KNOWN_HOSTS}") as stream:
                stream.write(hosts.read_bytes())
        out.finish(manifest)
    Archive(path).close()
    return manifest


def in_words(manifest: Mapping[str, Any]) -> str:
    """The sizes of a backup for a person: "12 packs, 20 runs, 2,440 events"."""
    rows = {table: entry["rows"] for table, entry in manifest["tables"].items()}
    return ", ".join(
        f"{rows.get(table, 0):,} {one if rows.get(table) == 1 else many}"
        for table, one, many in COUNTED
    )


def dated(name: str, ending: str = "") -> Path:
    """A new path in the data folder whose name has the time and sorts by it."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%SZ")
    path = Path(settings.DATA, f"{name}-{now}{ending}")
    return (
        path
        if not path.exists()
        else path.with_name(f"{name}-{now}-{secrets.token_hex(2)}{ending}")
    )
