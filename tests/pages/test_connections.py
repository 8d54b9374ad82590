"""The settings page lists, adds, tries and deletes connections, and shows no key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.support.model_server import ErrorReply, ModelServer, TextReply
from workflows.models import Connection
from workflows.security.encryption import decrypt

KEY = "sk-not-to-be-seen"


@pytest.fixture
def server(settings: Any) -> Iterator[ModelServer]:
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]
    with ModelServer() as running:
        yield running


@pytest.fixture
def mine(site: Client, server: ModelServer) -> Connection:
    address = server.url("compatible")
    given = {"name": "Mine", "kind": "compatible", "base_url": address, "model": "qwen"}
    assert "The connection Mine was added." in said(site, do="add", key=KEY, **given)
    return Connection.objects.get()


def said(site: Client, **form: Any) -> str:
    """The page after a form was sent."""
    return site.post("/settings/connections/", form, follow=True).content.decode()


def test_a_connection_is_listed_without_its_key(site: Client, mine: Connection) -> None:
    page = site.get("/settings/").content.decode()
    assert 'data-connection="Mine"' in page
    assert "OpenAI-compatible server" in page
    assert KEY not in page
    assert mine.sealed_key not in page


def test_one_click_tries_it(site: Client, mine: Connection, server: ModelServer) -> None:
    server.will(TextReply(text="OK"), ErrorReply(status=404, message="No such model."))
    assert "qwen answered after" in said(site, do="test", connection=mine.pk)
    assert "has no model" in said(site, do="test", connection=mine.pk)


def test_a_change_keeps_the_key_that_is_not_entered_again(site: Client, mine: Connection) -> None:
    form = {"do": "change", "connection": mine.pk, "base_url": mine.base_url, "key": ""}
    said(site, model="other", **form)
    mine.refresh_from_db()
    assert (mine.model, decrypt(mine.sealed_key)) == ("other", KEY)


def test_how_long_an_answer_may_take_is_entered_and_shown(site: Client, mine: Connection) -> None:
    form = {"do": "change", "connection": mine.pk, "base_url": mine.base_url}
    assert 'name="timeout" inputmode="decimal" value="90.5"' in said(site, timeout="90.5", **form)
    mine.refresh_from_db()
    assert mine.timeout == 90.5
    assert "not a number of seconds" in said(site, timeout="soon", **form)
    said(site, timeout="", **form)
    mine.refresh_from_db()
    assert mine.timeout is None


def test_a_connection_is_deleted(site: Client, mine: Connection) -> None:
    assert "was deleted" in said(site, do="delete", connection=mine.pk)
    assert not Connection.objects.exists()


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"do": "add", "name": "", "kind": "openai"}, "needs a name"),
        ({"do": "add", "name": "A", "kind": "parrot"}, "Unknown kind"),
        ({"do": "add", "name": "A", "kind": "openai"}, "requires a key"),
        ({"do": "test", "connection": "x"}, "There is no connection 0"),
        ({"do": "delete", "connection": "99"}, "There is no connection 99"),
        ({"do": "sing"}, "Unknown form"),
    ],
    ids=["no name", "no kind", "no key", "no number", "not there", "no form"],
)
def test_impossible_requests_are_reported(
    site: Client, form: dict[str, str], sentence: str
) -> None:
    assert sentence in said(site, **form)


def test_a_stranger_changes_nothing(client: Client, db: None) -> None:
    answer = client.post("/settings/connections/", {"do": "add"}, headers={"host": "127.0.0.1"})
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/")


def test_one_of_several_is_made_the_default(site: Client, mine: Connection) -> None:
    assert "Make Mine the default" not in site.get("/settings/").content.decode()
    page = said(site, do="add", name="Cloud", kind="anthropic", key=KEY)
    assert "Make Mine the default" in page
    assert "Mine is the default connection now." in said(
        site, do="default", connection=str(mine.pk)
    )
    page = site.get("/settings/").content.decode()
    assert "Make Mine the default" not in page
    assert "Make Cloud the default" in page
    assert list(Connection.objects.filter(default=True)) == [mine]
