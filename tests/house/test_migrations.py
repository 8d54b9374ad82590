"""Migrations leave the tables usable for the version before, which works on the same database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import models
from django.db.migrations import (
    AddField,
    AlterField,
    AlterModelTable,
    CreateModel,
    DeleteModel,
    Migration,
    RemoveField,
    RenameField,
    RenameModel,
)
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.models import NOT_PROVIDED

LAST_BEFORE = {"workflows": 38, "roles": 2}
"""Numbers of the last migrations that were made before the promise."""
REMOVED_LATER: set[str] = set()
"""Migrations that remove what two versions have not used: `app.name`."""
ENDS = (RemoveField, DeleteModel, RenameField, RenameModel, AlterModelTable)


def problems(migration: Migration) -> Iterator[str]:
    """Operations that the version before cannot work with."""
    for operation in migration.operations:
        if problem := problem_of(operation):
            yield f"{migration.app_label}.{migration.name}: {operation.describe()}: {problem}"


def problem_of(operation: Operation) -> str:
    if isinstance(operation, ENDS):
        return "the version before uses it; list the migration in REMOVED_LATER once none does"
    if isinstance(operation, AddField | AlterField):
        field = operation.field
        if not (field.null or field.many_to_many or field.db_default is not NOT_PROVIDED):
            return "the version before does not fill it; give it db_default or null=True"
    return ""


def test_new_migrations_leave_the_version_before_at_work() -> None:
    loader = MigrationLoader(None)
    found = [
        problem
        for (app, name), migration in sorted((loader.disk_migrations or {}).items())
        if app in LAST_BEFORE and int(name[:4]) > LAST_BEFORE[app]
        if f"{app}.{name}" not in REMOVED_LATER
        for problem in problems(migration)
    ]
    assert found == []


def test_a_new_database_has_the_tables_of_one_that_was_migrated_step_by_step() -> None:
    new, migrated = (
        MigrationLoader(None, replace_migrations=at_once).project_state()
        for at_once in (True, False)
    )
    assert MigrationAutodetector(new, migrated)._detect_changes() == {}


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        (AddField("run", "later", models.TextField(default="")), "db_default"),
        (AddField("run", "later", models.TextField(db_default="")), ""),
        (AddField("run", "later", models.TextField(null=True)), ""),
        (AlterField("run", "reason", models.TextField(default="")), "db_default"),
        (RemoveField("run", "reason"), "REMOVED_LATER"),
        (RenameField("run", "reason", "cause"), "REMOVED_LATER"),
        (DeleteModel("run"), "REMOVED_LATER"),
        (CreateModel("later", [("text", models.TextField())]), ""),
    ],
    ids=repr,
)
def test_operations_that_break_the_version_before_are_found(
    operation: Operation, problem: str
) -> None:
    answer = problem_of(operation)
    assert problem in answer
    assert bool(answer) is bool(problem)
