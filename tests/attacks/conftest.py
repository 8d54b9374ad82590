"""A world of users and objects that tests of rights share."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from django.db import transaction

from tests.attacks.rights_world import World, make_world


@pytest.fixture(scope="module")
def _made_world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    """A world in a transaction around all tests of a module. Each test has its own inside it."""
    around = transaction.atomic()
    around._from_testcase = True  # type: ignore[attr-defined]
    with django_db_blocker.unblock(), around:
        yield make_world()
        transaction.set_rollback(True)


@pytest.fixture
def world(_made_world: World, db: None, settings: Any) -> World:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    copied = ("users", "pack", "run", "other", "approval")
    return replace(_made_world, **{name: deepcopy(getattr(_made_world, name)) for name in copied})
