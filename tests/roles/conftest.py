"""Roles: people, a site to ask, and the configs that the specification's vectors are about."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.actions import roles as actions
from roles.models import Role
from tests.support.role_configs import config
from tests.support.server_fixtures import signed_in

Ask = Callable[..., Any]


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def site(ada: User) -> Client:
    """The API as ada's browser calls it."""
    return signed_in(ada)


@pytest.fixture
def ask(site: Client) -> Ask:
    """One request below /api/v1/ with a JSON body, as ada."""

    def send(method: str, path: str, body: Any = None, **more: Any) -> Any:
        more.setdefault("content_type", "application/json")
        data = "" if body is None else json.dumps(body)
        return site.generic(method, f"/api/v1/{path}", data, **more)

    return send


@pytest.fixture
def mine(ada: User) -> Role:
    """A role of ada's own."""
    return actions.create({"name": "Mine", "prompt_config": config("valid/02-developer.json")}, ada)
