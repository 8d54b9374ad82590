"""The official client at /mcp of a real server: rights of tokens, progress, cancellation, and
clients that disappear."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

from bench.edits import pack as large_pack
from signalbox.asgi import application
from tests.support.checks import failure_note
from tests.support.live_server import LiveServer
from workflows.agent_tools.tools import TOOLS

NOTE = {"type": "set_field", "element": "state:draft", "field": "/description", "value": "Short."}
LONG = {"runs": 1_000}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    server = LiveServer(tmp_path_factory.mktemp("mcp"))
    server.start()
    server.sign_in()
    yield server
    server.stop()


def token_of(server: LiveServer, *scopes: str) -> str:
    return str(server.post("tokens/", {"name": "agent", "scopes": scopes})["token"])


@asynccontextmanager
async def connected(server: LiveServer, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
    transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
    async with http, Client(transport, mode=mode) as client:
        yield client


async def call(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, given)
    (content,) = result.content
    assert not result.is_error, content
    return json.loads(content.text)  # type: ignore[union-attr, no-any-return]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agent_works_within_the_scopes_of_its_token(server: LiveServer, mode: str) -> None:
    pack = server.post("packs/", {"sample": "promptpack/review-loop"})["id"]
    here = str(pack)
    async with connected(server, token_of(server, "read"), mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        assert here in [one["pack"] for one in (await call(client, "packs"))["packs"]]
        graph = await call(client, "graph", pack=here)
        assert graph["entries"] == ["draft"]
        tried = await call(client, "propose", pack=here, edits=[NOTE])
        assert tried["changes"] == {"fields": ["state:draft /description"]}
        kept = await call(client, "apply", pack=here, edits=[NOTE], revision=graph["revision"])
    assert server.get(f"packs/{pack}/")["head"] == 1
    (row,) = server.get(f"packs/{pack}/proposals/?status=pending")["results"]
    assert row["id"] == kept["proposal"]
    async with connected(server, token_of(server, "read", "edit"), mode) as client:
        written = await call(client, "apply", pack=here, edits=[NOTE], revision=graph["revision"])
    assert (written["revision"], server.get(f"packs/{pack}/")["head"]) == ("2", 2)
    assert {one["operation"] for one in server.get("audit/")["results"]} >= {"mcp_apply"}


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_long_work_reports_progress_and_ends_with_its_call(
    server: LiveServer, mode: str
) -> None:
    """More calls than processes are cancelled and left; then one works."""
    text = large_pack(200).decode()
    (made,) = server.post("import/", {"text": text, "name": "large.pack.json"})["packs"]
    token = token_of(server, "read")
    for _ in range(3):
        async with connected(server, token, mode) as client:
            first, stages = asyncio.Event(), list[str | None]()

            async def progress(
                done: float, total: float | None, message: str | None,
                first: asyncio.Event = first, stages: list[str | None] = stages,
            ) -> None:  # fmt: skip
                stages.append(message)
                first.set()

            long = client.call_tool(
                "rehearse", {"pack": str(made["id"]), **LONG}, progress_callback=progress
            )
            running = asyncio.create_task(long)
            await asyncio.wait_for(first.wait(), 60)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            assert stages[0] == "rehearse"
    async with connected(server, token, mode) as client:
        pack = server.post("packs/", {"sample": "promptpack/review-loop"})["id"]
        assert (await call(client, "rehearse", pack=str(pack)))["taken"] == "3 of 3"


def test_other_requests_are_refused_with_the_reason(server: LiveServer) -> None:
    good = {"Authorization": f"Bearer {token_of(server, 'read')}"}
    weak = {"Authorization": f"Bearer {token_of(server, 'run')}"}
    rows: list[tuple[dict[str, str], bytes, int, str]] = [
        ({}, b"{}", 401, "Authorization: Bearer <token>"),
        ({"Authorization": "Bearer x"}, b"{}", 401, "Authorization: Bearer <token>"),
        ({"Authorization": "Bearer \xe9"}, b"{}", 401, "Authorization: Bearer <token>"),
        (weak, b"{}", 403, "This token lacks the scope 'read'."),
        ({**good, "Origin": "https://elsewhere.example"}, b"{}", 400, "cannot read this request"),
        ({**good, "Host": "elsewhere.example"}, b"{}", 400, "cannot read this request"),
        (good, b"{", 400, "Parse error"),
        (good, b"[" * 200_000, 400, "Parse error"),
        (good, b"[]", 400, ""),
        ({**good, "Content-Length": str(5 << 20)}, b"{", 413, ""),
    ]
    for headers, body, status, words in rows:
        with failure_note(f"{headers} {body[:20]!r}"):
            accepted = {"Accept": "application/json, text/event-stream"}
            sent = {"Content-Type": "application/json", **accepted, **headers}
            with pytest.raises(HTTPError) as refused:
                urlopen(Request(f"{server.url}/mcp", data=body, headers=sent))
            with refused.value as answer:
                text = answer.read().decode()
            assert (answer.code, words in text) == (status, True), text


async def test_a_server_without_the_library_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "workflows.plugins.mcp.http", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server.streamable_http_manager", None)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await application({"type": "http", "path": "/mcp", "headers": []}, lambda: None, send)  # type: ignore[arg-type]
    assert sent[0]["status"] == 501
    assert b"signalboxd[mcp]" in sent[1]["body"]
