"""`signalbox backup`, `restore`, `move` and `keys`: copies of an installation, and its key."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from signalbox.backups.key_file import KEY
from signalbox.commands.errors import UNREADABLE, Trouble
from signalbox.database import alone, errors_in_words, set_up


def run(options: argparse.Namespace) -> int:
    """Call the part that uses the database."""
    with errors_in_words():
        match options.command:
            case "backup":
                _backup(options)
            case "restore":
                _restore(Path(options.file), force=options.force)
            case "move":
                return _move(options.to, force=options.force)
            case _:
                _rotate()
    return 0


def _backup(options: argparse.Namespace) -> None:
    set_up("backup")
    from signalbox.backups.create import Parts, create_backup, in_words
    from workflows.actions.milestones import record
    from workflows.db.migrations import migration_state
    from workflows.models import Milestone

    parts = Parts(
        key=not options.without_key,
        workspaces=not options.without_workspaces,
        mirrors=options.mirrors,
    )
    file = Path(options.file)
    manifest = create_backup(file, parts)
    if not migration_state().missing:
        record(Milestone.Kind.BACKUP)
    print(f"wrote {file}: {in_words(manifest)}")
    if parts.key:
        print("It has the secret key, which reads every stored secret: protect it like the server.")
    else:
        print("It has no secret key. Keep the key too: without it, stored secrets are lost.")


def _restore(file: Path, *, force: bool) -> None:
    data = set_up("restore")
    from django.conf import settings

    from signalbox.backups.archive import Archive
    from signalbox.backups.create import in_words
    from signalbox.backups.restore import restore

    archive = Archive(file)
    with alone(unused=True):
        replaced = restore(archive, force=force)
    print(f"restored {in_words(archive.manifest)} from {archive.manifest['made_at']}")
    if replaced:
        print(f"The former content is in {replaced}.")
    if not os.environ.get("SIGNALBOX_SECRET_KEY"):
        settings.SECRET_KEY = (data / KEY).read_text()
    _report_unreadable()


def _report_unreadable() -> None:
    from workflows.selectors.secrets import unreadable_secrets

    if lost := unreadable_secrets():
        print(
            f"signalbox: {len(lost)} stored secrets cannot be read with this server's key, and "
            f"have to be entered again: {', '.join(lost)}.",
            file=sys.stderr,
        )
        print(
            "  If you have the key they were stored with, set it as SIGNALBOX_SECRET_KEY.",
            file=sys.stderr,
        )


def _move(target: str, *, force: bool) -> int:
    """Copy the database into another, with the program of that database."""
    data = set_up("move")
    from django.db import connection

    from signalbox.backups.create import DATABASE_ONLY, create_backup

    address = "" if target == "sqlite" else target
    if connection.vendor == ("postgresql" if address else "sqlite"):
        raise Trouble(
            f"The database is {connection.vendor} already.",
            hint="To copy it to another of its kind, use backup and restore.",
        )
    with alone(unused=True), tempfile.TemporaryDirectory(prefix="moving-", dir=data) as folder:
        file = Path(folder, "database.zip")
        create_backup(file, DATABASE_ONLY)
        connection.close()
        command = [sys.executable, "-m", "signalbox", "restore", str(file)]
        environment = {**os.environ, "SIGNALBOX_DATABASE": address}
        code = subprocess.run(
            [*command, *(["--force"] if force else [])], env=environment, check=False
        ).returncode
    if code:
        return code
    print(
        "Set SIGNALBOX_DATABASE to that address for every server and worker."
        if address
        else "Remove SIGNALBOX_DATABASE from the environment of the server."
    )
    print("The database before is unchanged. Delete it when the new one has proved itself.")
    return 0


def _rotate() -> None:
    """Make a new key if this installation has its own, and encrypt every secret with the new."""
    data = set_up("keys")
    from django.conf import settings

    from signalbox.backups.key_file import begin_rotation, end_rotation
    from workflows.actions.secrets import encrypt_again

    with alone(unused=True):
        if not os.environ.get("SIGNALBOX_SECRET_KEY"):
            settings.OLD_SECRET_KEYS = [settings.SECRET_KEY, *settings.OLD_SECRET_KEYS]
            settings.SECRET_KEY = begin_rotation(data)
        elif not settings.OLD_SECRET_KEYS:
            raise Trouble(
                "The key is in SIGNALBOX_SECRET_KEY, and this command does not know the one "
                "before.",
                hint="Set SIGNALBOX_SECRET_KEY to the new key and SIGNALBOX_OLD_SECRET_KEY to the "
                "old one.",
                code=UNREADABLE,
            )
        done, unreadable = encrypt_again()
        end_rotation(data)
    print(f"{done} stored secrets are encrypted with the new key. All users have to sign in again.")
    if unreadable:
        _report_unreadable()
