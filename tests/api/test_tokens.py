"""API tokens: scopes, expiry, last use and revocation."""

from __future__ import annotations

import importlib
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.support.checks import failure_note
from tests.support.tokens import api_token
from workflows.models import Token
from workflows.rights.scopes import SCOPES

NEW = {"name": "nightly export", "scopes": ["run", "read"], "expires_in_days": 30}


def bearer(token: str) -> dict[str, Any]:
    return {"headers": {"Authorization": f"Bearer {token}"}, "content_type": "application/json"}


@pytest.fixture
def program() -> Client:
    """A program without cookies."""
    return Client(HTTP_HOST="127.0.0.1", enforce_csrf_checks=True)


def test_a_token_is_created_listed_and_revoked(
    site: Client, post: Any, program: Client, ada: User
) -> None:
    made = post("tokens/", NEW)
    assert made.status_code == 201, made.content
    body = made.json()
    token = body.pop("token")
    assert body["id"] == token[:15]
    assert body["scopes"] == ["read", "run"]
    assert body["expires_at"] is not None
    assert site.get("/api/v1/tokens/").json() == [body]
    assert token not in str(list(Token.objects.values()))
    assert program.get("/api/v1/packs/", **bearer(token)).status_code == 200
    assert site.delete(f"/api/v1/tokens/{body['id']}/").status_code == 204
    assert program.get("/api/v1/packs/", **bearer(token)).status_code == 401
    assert site.delete(f"/api/v1/tokens/{body['id']}/").status_code == 404


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": " "}, "name"),
    ({"scopes": []}, "scopes"),
    ({"scopes": ["root"]}, "scopes/0"),
    ({"scopes": "read"}, "scopes"),
    ({"expires_in_days": 0}, "expires_in_days"),
    ({"expires_in_days": -1}, "expires_in_days"),
    ({"expires_in_days": 10**9}, "expires_in_days"),
]


def test_a_wrong_request_names_its_field(post: Any) -> None:
    for change, where in WRONG:
        with failure_note(repr(change)[:200]):
            answer = post("tokens/", NEW | change)
            assert (answer.status_code, answer.json()["where"]) == (400, where)
            assert not Token.objects.exists()


def test_the_last_use_is_stored_to_the_minute(program: Client, ada: User) -> None:
    token = api_token(ada)
    assert Token.objects.get().last_used_at is None
    program.get("/api/v1/packs/", **bearer(token))
    first = Token.objects.get().last_used_at
    assert first is not None
    program.get("/api/v1/packs/", **bearer(token))
    assert Token.objects.get().last_used_at == first
    earlier = timezone.now() - timedelta(minutes=2)
    Token.objects.update(last_used_at=earlier)
    program.get("/api/v1/packs/", **bearer(token))
    assert Token.objects.get().last_used_at > earlier


def test_an_expired_token_is_refused(program: Client, ada: User) -> None:
    token = api_token(ada)
    Token.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    assert program.get("/api/v1/packs/", **bearer(token)).status_code == 401


def test_a_token_passes_on_no_more_than_it_has(program: Client, ada: User) -> None:
    token = api_token(ada, scopes=["admin", "read"])
    Token.objects.update(expiry=timezone.now() + timedelta(days=10))

    def create(**change: Any) -> Any:
        return program.post(
            "/api/v1/tokens/", {**NEW, "scopes": ["read"], **change}, **bearer(token)
        )

    for change in (
        {"scopes": ["read", "run"], "expires_in_days": 1},
        {"expires_in_days": 11},
        {"expires_in_days": None},
    ):
        answer = create(**change)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), change
    assert create(expires_in_days=9).status_code == 201


def test_a_token_expires_after_90_days_by_default(post: Any) -> None:
    sent = {name: value for name, value in NEW.items() if name != "expires_in_days"}
    made = post("tokens/", sent).json()
    left = datetime.fromisoformat(made["expires_at"]) - timezone.now()
    assert timedelta(days=89) < left <= timedelta(days=90)
    never = {**sent, "expires_in_days": None}
    made = post("tokens/", never).json()
    assert made["expires_at"] is None


def test_tokens_of_others_are_neither_listed_nor_revoked(site: Client, bob: User) -> None:
    api_token(bob)
    assert site.get("/api/v1/tokens/").json() == []
    assert site.delete(f"/api/v1/tokens/{Token.objects.get().token_key}/").status_code == 404
    assert Token.objects.exists()


def test_old_tokens_keep_the_rights_of_their_user(ada: User) -> None:
    api_token(ada)
    Token.objects.update(scopes=[], expiry=None)
    migration = importlib.import_module("workflows.migrations.0018_token_scopes")
    migration.give_every_scope(apps, None)
    kept = Token.objects.get()
    assert tuple(kept.scopes) == SCOPES
    assert kept.expiry is None


def test_the_settings_page_creates_tokens_with_scopes(site: Client) -> None:
    form = {"do": "make-token", "name": "ci", "scope": ["read", "run"], "days": "7"}
    made = site.post("/settings/change/", form)
    assert "data-fresh-token" in made.content.decode()
    kept = Token.objects.get()
    assert kept.scopes == ["read", "run"]
    assert kept.expiry is not None
    assert kept.expiry < timezone.now() + timedelta(days=7)
    for wrong in ({"scope": []}, {"days": "8"}, {"days": ""}, {"scope": ["root"]}):
        answer = site.post("/settings/change/", {**form, **wrong}, follow=True)
        assert "notice error" in answer.content.decode()
    assert Token.objects.count() == 1
    site.post("/settings/change/", {**form, "days": "never"})
    assert Token.objects.filter(expiry=None).count() == 1
    assert "never" in site.get("/settings/").content.decode()
