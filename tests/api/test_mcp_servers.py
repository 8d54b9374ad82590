"""MCP servers over HTTP: connect, refresh, change, delete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.runner.mcp_process import STDIO, LiveServer, serve
from workflows.models import McpServer


@pytest.fixture(scope="module")
def live() -> Iterator[LiveServer]:
    server = serve()
    yield server
    server.ended()


@pytest.fixture(autouse=True)
def _settings(settings: Any) -> None:
    settings.SIGNALBOX_COMMANDS = True
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]


def send(site: Client, address: str, body: Any = None) -> Any:
    return site.post(address, json.dumps(body or {}), content_type="application/json")


def test_a_server_is_connected_over_the_api(site: Client, live: LiveServer) -> None:
    body = {"name": "ours", "settings": {"url": live.url}, "secrets": {"authorization": "Bearer x"}}
    made = send(site, "/api/v1/mcp-servers/", body)
    assert made.status_code == 201, made.content
    assert made.json()["secret_names"] == ["authorization"]
    assert "Bearer x" not in made.content.decode()
    assert "mcp__ours__add" in {tool["name"] for tool in made.json()["tools"]}
    assert send(site, "/api/v1/mcp-servers/", body).status_code == 400
    one = f"/api/v1/mcp-servers/{made.json()['id']}/"
    assert send(site, f"{one}refresh/").json()["problem"] == ""
    moved = {"settings": {"url": "http://127.0.0.1:9/mcp"}}
    refused = site.patch(one, json.dumps(moved), content_type="application/json")
    assert (refused.status_code, refused.json()["where"]) == (400, "secrets")
    assert [row["name"] for row in site.get("/api/v1/mcp-servers/").json()] == ["ours"]
    assert site.delete(one).status_code == 204
    assert site.get(one).status_code == 404


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"name": "a__b", "settings": {"url": "https://a.example/mcp"}}, "name"),
        ({"name": "ours", "settings": {}}, "settings"),
        ({"name": "ours", "settings": {"url": "ftp://a.example"}}, "settings"),
        ({"name": "ours", "settings": {"command": []}}, "settings/command"),
    ],
)
def test_an_invalid_server_is_refused(site: Client, body: dict[str, Any], where: str) -> None:
    refused = send(site, "/api/v1/mcp-servers/", body)
    assert (refused.status_code, refused.json()["where"]) == (400, where)
    assert McpServer.objects.count() == 0


def test_a_server_without_commands_starts_no_process(site: Client, settings: Any) -> None:
    settings.SIGNALBOX_COMMANDS = False
    refused = send(site, "/api/v1/mcp-servers/", {"name": "ours", "settings": {"command": STDIO}})
    assert (refused.status_code, refused.json()["where"]) == (400, "settings/command")
    assert "SIGNALBOX_COMMANDS=1" in refused.json()["hint"]


def test_the_settings_page_connects_a_server(site: Client, live: LiveServer) -> None:
    form = {"do": "connect", "name": "ours", "address": live.url}
    page = site.post("/settings/mcp-servers/", form, follow=True).content.decode()
    assert "The MCP server ours has 9 tools." in page
    assert "mcp__ours__add" in page
    page = site.post("/settings/mcp-servers/", {**form, "address": "'"}, follow=True)
    assert "unclosed quote" in page.content.decode()
    server = {"do": "delete", "server": McpServer.objects.get().pk}
    site.post("/settings/mcp-servers/", server)
    assert McpServer.objects.count() == 0
