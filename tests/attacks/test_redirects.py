"""Redirects and names that lead a request of a model or a tool into the server's own network.

127.0.0.2 stands for the internet, 127.0.0.1 for the server's network. The connections are real.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from workflows.providers.endpoint import Endpoint
from workflows.runner.models.connection_test import run_connection_test
from workflows.runner.tools.base import Context, ToolFailed
from workflows.runner.tools.http import TOOL
from workflows.security import egress

OUTSIDE, INSIDE = "127.0.0.2", "127.0.0.1"


class Web:
    """Two servers on one port: `/to/STATUS/URL` outside redirects; inside has the secret."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []
        self.lookups: list[str] = []
        self.rebinding: dict[str, list[str]] = {}
        web = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                place = str(self.server.server_address[0])
                web.heard.append((place, self.path))
                self.rfile.read(int(self.headers.get("content-length", 0)))
                _, _, rest = self.path.partition("/to/")
                status, _, target = rest.partition("/")
                body = b"" if rest else b"the secret" if place == INSIDE else b"public"
                self.send_response(int(status) if rest else 200)
                if rest:
                    self.send_header("location", target.removesuffix("/chat/completions"))
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: Any) -> None:
                pass

        first = ThreadingHTTPServer((INSIDE, 0), Answers)
        self.port = int(first.server_address[1])
        self.servers = [first, ThreadingHTTPServer((OUTSIDE, self.port), Answers)]
        for server in self.servers:
            Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def resolve(self, host: str, *_: Any, **__: Any) -> list[Any]:
        self.lookups.append(host)
        answers = self.rebinding.get(host)
        if answers:
            address = answers.pop(0) if len(answers) > 1 else answers[0]
        elif host in (OUTSIDE, INSIDE):
            address = host
        else:
            address = INSIDE if host.startswith("inside") else OUTSIDE
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, self.port))]

    @property
    def reached_inside(self) -> list[str]:
        return [path for place, path in self.heard if place == INSIDE]


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    served = Web()
    public = egress.is_public
    monkeypatch.setattr(egress, "is_public", lambda ip: ip == OUTSIDE or public(ip))
    monkeypatch.setattr(egress.socket, "getaddrinfo", served.resolve)
    yield served
    served.close()


async def fetch(url: str) -> str:
    async def folder() -> Path:
        raise AssertionError("a request needs no folder")

    context = Context(
        name="look",
        pack=0,
        key="run:1",
        settings={"timeout": 10},
        secrets={},
        commands=False,
        private_hosts=(),
        workspace=folder,
    )
    return await TOOL.call({"url": url}, context)


async def test_a_public_page_and_a_public_redirect_are_read(web: Web) -> None:
    assert await fetch(web.url("outside.example")) == "public"
    target = web.url("other.example")
    assert await fetch(web.url("outside.example", f"/to/302/{target}")) == "public"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("host", ["inside.example", INSIDE, "[::ffff:127.0.0.1]", "2130706433"])
async def test_no_redirect_leads_a_tool_inside(
    web: Web, status: int, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.rebinding = {"::ffff:127.0.0.1": ["::ffff:127.0.0.1"], "2130706433": [INSIDE]}
    target = web.url(host)
    with pytest.raises(ToolFailed, match="private address"):
        await fetch(web.url("outside.example", f"/to/{status}/{target}"))
    assert web.reached_inside == []


async def test_a_name_that_changes_its_address_leads_no_tool_inside(web: Web) -> None:
    """The address that was checked is the one that is connected to, and each redirect is checked
    again."""
    web.rebinding = {"rebinds.example": [OUTSIDE, INSIDE]}
    assert await fetch(web.url("rebinds.example")) == "public"
    assert web.lookups.count("rebinds.example") == 1
    web.rebinding = {"rebinds.example": [OUTSIDE, INSIDE]}
    again = web.url("rebinds.example")
    with pytest.raises(ToolFailed, match="private address"):
        await fetch(web.url("rebinds.example", f"/to/302/{again}"))
    assert web.reached_inside == []


def endpoint(address: str) -> Endpoint:
    return Endpoint(
        name="Mine", kind="compatible", key="sk-secret", base_url=address, model="m", timeout=10
    )


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_redirect_leads_a_model_request_anywhere(web: Web, status: int) -> None:
    for host in ("inside.example", "other.example"):
        address = web.url("outside.example", f"/to/{status}/{web.url(host)}")
        assert not run_connection_test(endpoint(address)).works
    assert web.reached_inside == []
    assert {path.split("/")[1] for _, path in web.heard} == {"to"}, "a redirect was followed"


def test_a_name_that_changes_its_address_leads_no_model_request_inside(web: Web) -> None:
    web.rebinding = {"rebinds.example": [OUTSIDE, INSIDE]}
    one = run_connection_test(endpoint(web.url("rebinds.example", "/v1")))
    two = run_connection_test(endpoint(web.url("rebinds.example", "/v1")))
    assert (one.works, two.works) == (False, False)
    assert "private address" in two.sentence
    assert web.reached_inside == []
