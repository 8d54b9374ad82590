"""Connections over HTTP: their keys go in and never come out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings

from tests.support.checks import failure_note
from tests.support.model_server import ErrorReply, ModelServer, TextReply
from workflows.actions.packs import create_from_sample
from workflows.models import Connection
from workflows.security.encryption import decrypt, encrypt

KEY = "sk-not-to-be-seen"


@pytest.fixture
def mine(server: ModelServer, post: Any) -> dict[str, Any]:
    given = {"name": "Mine", "kind": "compatible", "base_url": server.url("compatible")}
    answer = post("connections/", {**given, "model": "qwen", "key": KEY})
    assert answer.status_code == 201, answer.content
    return answer.json()


def patch(site: Client, id: int, body: Any) -> Any:
    return site.patch(f"/api/v1/connections/{id}/", body, content_type="application/json")


def test_a_connection_is_made_and_listed_without_its_key(
    site: Client, mine: dict[str, Any]
) -> None:
    listed = site.get("/api/v1/connections/")
    assert listed.json() == [mine]
    assert mine["has_key"] is True
    assert KEY not in listed.content.decode() + json.dumps(mine)
    stored = Connection.objects.get()
    assert KEY not in stored.sealed_key
    assert decrypt(stored.sealed_key) == KEY


INVALID: list[tuple[dict[str, str], str, str]] = [
    ({"name": "  "}, "name", "may not be blank"),
    ({"name": "Mine"}, "name", "already"),
    ({"kind": "parrot"}, "kind", "not a valid choice"),
    ({"key": ""}, "key", "requires a key"),
    ({"kind": "compatible"}, "base_url", "needs its base URL"),
    ({"timeout": 0}, "timeout", "from 1 second to 3,600"),
    ({"timeout": "nan"}, "timeout", "valid number"),
    ({"timeout": "soon"}, "timeout", "valid number"),
    ({"base_url": "ftp://127.0.0.1/"}, "base_url", "not a web address"),
    (
        {"base_url": "http://me:secret@127.0.0.1/"},
        "base_url",
        "must not contain a user, password",
    ),
    ({"base_url": "http://[::1/"}, "base_url", "not a web address"),
    ({"base_url": "http://169.254.169.254/v1"}, "base_url", "private address"),
    ({"base_url": "http://[::ffff:10.0.0.1]/v1"}, "base_url", "private address"),
    ({"base_url": "http://0.0.0.0:80/"}, "base_url", "private address"),
    ({"base_url": "http://[64:ff9b::a00:1]/"}, "base_url", "private address"),
]


def test_invalid_connections_are_refused_with_a_message(mine: dict[str, Any], post: Any) -> None:
    for given, where, message in INVALID:
        with failure_note(repr(given)[:200]):
            answer = post("connections/", {"name": "New", "kind": "openai", "key": "k", **given})
            assert answer.status_code == 400
            assert answer.json()["where"] == where
            assert message in answer.json()["message"]


def test_a_key_stays_when_something_else_changes(site: Client, mine: dict[str, Any]) -> None:
    answer = patch(site, mine["id"], {"name": "Ours", "model": "other"})
    assert (answer.json()["name"], answer.json()["model"]) == ("Ours", "other")
    assert decrypt(Connection.objects.get().sealed_key) == KEY


def test_a_timeout_is_set_and_cleared(site: Client, mine: dict[str, Any]) -> None:
    assert mine["timeout"] is None
    assert patch(site, mine["id"], {"timeout": 90}).json()["timeout"] == 90
    assert patch(site, mine["id"], {"model": "other"}).json()["timeout"] == 90
    assert patch(site, mine["id"], {"timeout": None}).json()["timeout"] is None


def test_a_key_is_not_sent_to_another_address(site: Client, mine: dict[str, Any]) -> None:
    elsewhere = {"base_url": "http://127.0.0.1:9/v1"}
    answer = patch(site, mine["id"], elsewhere)
    assert (answer.status_code, answer.json()["where"]) == (400, "key")
    assert Connection.objects.get().base_url == mine["base_url"]
    assert patch(site, mine["id"], {**elsewhere, "key": "other"}).status_code == 200


def test_one_click_tries_a_connection(mine: dict[str, Any], post: Any, server: ModelServer) -> None:
    server.will(TextReply(text="OK"), ErrorReply(status=401, message=f"Not {KEY}."))
    good = post(f"connections/{mine['id']}/test/", {}).json()
    assert good["works"] is True
    assert good["sentence"].startswith("qwen answered after")
    assert server.asked[0].body.get("stream") is not True
    bad = post(f"connections/{mine['id']}/test/", {}).json()
    assert bad["works"] is False
    assert "rejected its key" in bad["sentence"]
    assert KEY not in bad["sentence"]


def test_a_key_encrypted_under_another_secret_has_to_be_entered_again(
    mine: dict[str, Any], post: Any
) -> None:
    with override_settings(SECRET_KEY="another"):
        Connection.objects.update(sealed_key=encrypt(KEY))
    answer = post(f"connections/{mine['id']}/test/", {})
    assert (answer.status_code, answer.json()["where"]) == (400, "key")


def test_a_connection_is_deleted(site: Client, mine: dict[str, Any], post: Any) -> None:
    address = f"/api/v1/connections/{mine['id']}/"
    assert site.delete(address).status_code == 204
    assert site.get(address).status_code == 404
    assert site.delete(address).status_code == 404
    assert post(f"connections/{mine['id']}/test/", {}).status_code == 404


def test_a_run_requires_an_existing_connection(mine: dict[str, Any], post: Any, ada: User) -> None:
    pack = create_from_sample("promptpack/customer-support", owner=ada)
    asked = {"pack": pack.pk, "driver": "model", "connection": "Mine", "model": "big"}
    assert post("runs/", asked).status_code == 201
    answer = post("runs/", {**asked, "connection": "Other"})
    assert answer.status_code == 404
    assert answer.json()["message"] == "There is no connection 'Other'."
