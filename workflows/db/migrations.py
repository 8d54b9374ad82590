"""The migrations of the database, compared with those of this program."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from workflows.installation import version


@dataclass(frozen=True)
class MigrationState:
    """`missing`: number of migrations to be applied. `unknown`: migrations of another version that
    were applied; `writer`: that version, "" if it is not recorded."""

    missing: int
    unknown: tuple[str, ...]
    writer: str
    is_new: bool
    """True for a database without tables."""

    @property
    def refusal(self) -> str:
        """Reason for which this program does not use the database; "" if it does.

        A version works on the database of the next minor one, whose new columns have defaults
        there, so that servers are updated one after the other.
        """
        if not self.unknown or is_next_minor(self.writer, version()):
            return ""
        by = f"Signalbox {self.writer}" if self.writer else "another version of Signalbox"
        return (
            f"The database was migrated by {by}; this version ({version()}) does not know "
            f"{self.unknown[-1]}."
        )


def migration_state() -> MigrationState:
    """Compare the database with the program. Raises DatabaseError."""
    executor = MigrationExecutor(connection)
    applied = executor.loader.applied_migrations
    known = executor.loader.disk_migrations or {}
    unknown = tuple(sorted(".".join(node) for node in applied if node not in known))
    return MigrationState(
        missing=len(executor.migration_plan(executor.loader.graph.leaf_nodes())),
        unknown=unknown,
        writer=_writer() if unknown else "",
        is_new=not applied,
    )


def _writer() -> str:
    from workflows.models import Milestone

    try:
        row = Milestone.objects.filter(kind=Milestone.Kind.MIGRATION).first()
    except DatabaseError:
        return ""
    return row.version if row else ""


def is_next_minor(other: str, own: str) -> bool:
    """Return True if `other` is later than `own`, by one minor version at most."""
    try:
        major, minor, patch = map(int, other.split("."))
        own_major, own_minor, own_patch = map(int, own.split("."))
    except ValueError:
        return False
    if major != own_major or minor - own_minor not in (0, 1):
        return False
    return (minor, patch) > (own_minor, own_patch)
