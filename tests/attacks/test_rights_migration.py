"""Owners in databases from before there were owners, and the table in the documentation."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from workflows.models import Connection, Pack, Trigger
from workflows.rights.summary import COLUMNS, summary


def rows(owner: User | None) -> tuple[Pack, Pack, Connection, Trigger]:
    pack = Pack.objects.create(name="p", dialect="stages", profile="p", main="m", owner=owner)
    sample = Pack.objects.create(name="s", dialect="stages", profile="p", main="m", sample="x")
    connection = Connection.objects.create(name="c", kind="openai")
    trigger = Trigger.objects.create(pack=pack, name="t", kind="webhook", owner=owner)
    return pack, sample, connection, trigger


def migrated(*found: Pack | Connection | Trigger) -> list[str]:
    import_module("workflows.migrations.0021_owners").give_owners(apps, None)
    for row in found:
        row.refresh_from_db()
    return [row.owner.get_username() if row.owner else "" for row in found]


@pytest.mark.django_db
def test_one_user_owns_the_old_rows() -> None:
    User.objects.create_user("ada")
    assert migrated(*rows(None)) == ["ada", "", "ada", "ada"]


@pytest.mark.django_db
def test_several_users_share_the_old_rows_and_triggers_keep_their_user() -> None:
    ada = User.objects.create_user("ada")
    User.objects.create_user("bob")
    assert migrated(*rows(ada)) == ["", "", "", "ada"]


@pytest.mark.django_db
def test_a_database_without_users_has_no_owners() -> None:
    assert migrated(*rows(None)) == ["", "", "", ""]


def test_the_documentation_has_the_table() -> None:
    text = Path("docs/security.md").read_text()
    assert f"| to | {' | '.join(COLUMNS)} |" in text
    for line in summary():
        cells = " | ".join("yes" if cell else "no" for cell in line.cells)
        assert f"| {line.what} | {cells} |" in text
