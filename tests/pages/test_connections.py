"""The settings page lists, adds, tries and deletes connections, and shows no key."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.test import Client

from tests.support.model_server import ErrorReply, ModelServer, TextReply
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import connections, model_choices, runs
from workflows.core.engine.signals import Control
from workflows.models import Connection
from workflows.runner.models import local_servers
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


def test_the_deletion_of_a_needed_connection_asks_first(site: Client, mine: Connection) -> None:
    pack = tiny_pack({"start": {"model": {"on": "done"}}, "done": {"end": "completed"}})
    run = runs.start(pack, driver="model", options={"connection": "Mine"})
    address = f"/api/v1/connections/{mine.pk}/"
    sentence = "1 run needs the connection “Mine”, and will pause without it."
    assert sentence in (page := said(site, do="delete", connection=mine.pk))
    assert "Delete anyway" in page
    refused = site.delete(address)
    assert (refused.status_code, refused.json()["code"]) == (409, "needed")
    assert refused.json()["message"] == sentence
    runs.signal(run.pk, Control(at=time.time(), what="cancel"))
    assert "was deleted" in said(site, do="delete", connection=mine.pk)
    mine.save(force_insert=True)
    runs.start(pack, driver="model", options={"connection": "Mine"})
    said(site, do="delete-anyway", connection=mine.pk)
    assert not Connection.objects.exists()
    mine.save(force_insert=True)
    assert site.delete(f"{address}?force=1").status_code == 204


def test_a_connection_that_a_single_state_names_is_needed(site: Client, mine: Connection) -> None:
    pack = tiny_pack({"start": {"model": {"on": "done"}}, "done": {"end": "completed"}})
    Connection.objects.create(name="Other", kind="compatible", model="m", default=True)
    runs.start(pack, driver="model", options={"connection": "Other"})
    assert "was deleted" in said(site, do="delete", connection=mine.pk)
    mine.save(force_insert=True)
    model_choices.choose(pack, "start", connection="Mine", model="", by=mine.owner)
    assert "1 run needs" in said(site, do="delete", connection=mine.pk)


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


def test_model_names_are_shown_and_changed(site: Client) -> None:
    row = connections.create(name="Cloud", kind="anthropic", key="k")
    page = site.get("/settings/").content.decode()
    assert 'value="claude-haiku-5-5"' in page
    form = {"do": "change", "connection": row.pk, "model": "", "base_url": ""}
    names = {"model_name": ["opus", "fast", ""], "model_id": ["claude-opus-4-8", "m", ""]}
    said(site, **form, **names)
    row.refresh_from_db()
    assert row.model_names == {"opus": "claude-opus-4-8", "fast": "m"}
    wrong = {"model_name": ["opus", ""], "model_id": ["claude-opus-4-8", "m"]}
    assert "A model name is empty" in said(site, **form, **wrong)
    twice = {"model_name": ["opus", "opus"], "model_id": ["a", "b"]}
    assert "listed twice" in said(site, **form, **twice)
    row.refresh_from_db()
    assert row.model_names == {"opus": "claude-opus-4-8", "fast": "m"}


def test_a_refused_form_keeps_what_was_entered_except_the_key(site: Client, settings: Any) -> None:
    settings.SIGNALBOX_PRIVATE_HOSTS = []
    form = {
        "do": "add",
        "name": "My Ollama",
        "kind": "compatible",
        "base_url": "http://localhost:11434/v1",
        "model": "qwen3",
        "key": KEY,
    }
    sent = site.post("/settings/connections/", {**form, "name": ""})
    assert sent["Location"].endswith("/settings/#new-connection")
    page = site.get("/settings/").content.decode()
    notice = page[page.index('id="new-connection"') :]
    assert 'role="alert"' in notice
    assert 'value="http://localhost:11434/v1"' in notice
    assert '<option value="compatible" selected>' in notice
    assert 'value="qwen3"' in notice
    assert KEY not in page
    assert 'role="alert"' not in site.get("/settings/").content.decode()


class OllamaLike(BaseHTTPRequestHandler):
    """`GET /v1/models` as Ollama answers it."""

    models: tuple[str, ...] = ("llama3.2:latest", "qwen3:8b")

    def do_GET(self) -> None:
        rows = [{"id": name, "object": "model", "owned_by": "library"} for name in self.models]
        known = self.path == "/v1/models"
        body = json.dumps({"object": "list", "data": rows}).encode() if known else b"not here"
        self.send_response(200 if known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no log."""


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The base URL of a server on this computer that lists two models."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), OllamaLike)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ports = {"Ollama": server.server_port, "LM Studio": silent.getsockname()[1]}
        monkeypatch.setattr(local_servers.find_local_servers, "__defaults__", (ports,))
        yield f"http://localhost:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_servers_on_this_computer_are_found_and_connected(
    admin_client: Client, settings: Any, ollama: str
) -> None:
    page = said(admin_client, do="find")
    assert 'data-local-server="Ollama"' in page
    assert "qwen3:8b" in page
    assert "LM Studio</strong>" not in page
    assert "SIGNALBOX_PRIVATE_HOSTS=localhost" in page
    assert 'aria-label="Connect Ollama"' not in page
    settings.SIGNALBOX_PRIVATE_HOSTS = ["localhost"]
    assert 'aria-label="Connect Ollama"' in said(admin_client, do="find")
    form = {"kind": "compatible", "name": "Ollama", "base_url": ollama, "model": "qwen3:8b"}
    assert "The connection Ollama was added." in said(admin_client, do="add", **form)


def test_a_computer_without_model_servers_is_reported(
    admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_servers.find_local_servers, "__defaults__", ({},))
    assert "No server answers on this computer." in said(admin_client, do="find")


@pytest.mark.parametrize("body", ["[]", "no JSON", '{"data": [{"id": 5}, "x"]}', "x" * 600_000])
def test_an_odd_list_of_models_is_no_server(
    ollama: str, monkeypatch: pytest.MonkeyPatch, body: str
) -> None:
    def send(handler: OllamaLike) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body.encode())

    monkeypatch.setattr(OllamaLike, "do_GET", send)
    found = local_servers.find_local_servers()
    assert [one.models for one in found] == ([()] if body.startswith('{"data"') else [])
