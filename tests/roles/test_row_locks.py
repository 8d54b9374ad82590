"""Writers of roles and their memory lock the rows."""

from __future__ import annotations

from django.contrib.auth.models import User

from roles.actions import copies, memory
from roles.actions import roles as actions
from roles.models import Role


def test_first_copies_lock_the_person_they_are_for(ada: User, locked: list[str]) -> None:
    assert Role.objects.filter(is_system=True).exists()
    copies.provide(ada)
    assert locked[:1] == ["User"]


def test_a_change_of_a_role_locks_it(mine: Role, ada: User, locked: list[str]) -> None:
    actions.set_scopes(mine.pk, {"platform_scopes": []}, ada)
    assert locked == ["Role"]


def test_a_memory_locks_the_role_that_has_it(mine: Role, locked: list[str]) -> None:
    call = {"fact": "Tabs.", "category": "notes"}
    memory.call("memory_store", call, role=mine.pk, project="greeter")
    assert locked == ["Role"]
