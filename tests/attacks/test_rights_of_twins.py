"""Rights on rows that are nearly the same: facts with and without an owner or a pack, shares with
one group and another."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import Group

from roles.models import Memory
from roles.rights import Level, level_of, share
from tests.attacks.rights_world import PEOPLE, SENTINEL, World, make_world
from workflows.actions import packs
from workflows.actions.role_prompts import project_of


@pytest.fixture
def world(db: None, settings: Any) -> World:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    return make_world()


def status(world: World, person: str, method: str, fact: Memory, body: Any = None) -> int:
    address, data = f"/api/v1/memories/{fact.pk}/", json.dumps(body)
    client = world.clients[person]
    return int(client.generic(method, address, data, "application/json").status_code)


@pytest.fixture
def fact(world: World) -> Memory:
    """A fact without an owner in the project of a private pack."""
    project = project_of(world.pack)
    return Memory.objects.create(scope="shared", project=project, fact=SENTINEL, category="c")


def test_a_fact_without_an_owner_has_the_rights_of_its_project(world: World, fact: Memory) -> None:
    assert {name: status(world, name, "GET", fact) for name in PEOPLE[:4]} == {
        "owner": 200, "reader": 200, "editor": 200, "stranger": 404,
    }  # fmt: skip
    for name, expected in {"stranger": 404, "reader": 403, "editor": 200}.items():
        assert status(world, name, "PATCH", fact, {"category": "d"}) == expected, name
    for name, expected in {"stranger": 404, "reader": 403, "editor": 204}.items():
        assert status(world, name, "DELETE", fact) == expected, name


def test_facts_of_a_deleted_pack_are_for_staff(world: World, fact: Memory) -> None:
    packs.delete(world.pack.pk)
    for name in PEOPLE[:4]:
        assert status(world, name, "DELETE", fact) == 404, name
    assert status(world, "staff", "GET", fact) == 200


def test_a_second_group_changes_nothing_for_the_first(world: World) -> None:
    others = Group.objects.create(name="others")
    others.user_set.add(world.users["stranger"])  # type: ignore[attr-defined]
    for level in (Level.READ, Level.NONE):
        share(world.pack, others, level)
        assert level_of(world.users["stranger"], world.pack) is level
        assert level_of(world.users["editor"], world.pack) is Level.EDIT
        assert level_of(world.users["reader"], world.pack) is Level.READ
