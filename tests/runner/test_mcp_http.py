"""Tools of an MCP server over streamable HTTP: a real one, of the official SDK, that also fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runner.mcp_process import LiveServer, serve
from tests.support.model_server import ModelServer, RawReply
from workflows.runner.tool_calls import call_tool
from workflows.runner.tools import tools
from workflows.runner.tools.base import Context


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    mcp_server = serve()
    yield mcp_server
    mcp_server.ended()


Call = Callable[..., Awaitable[tuple[str, str]]]


@pytest.fixture
def call() -> Call:
    """Result and error of one call, as the model receives them."""

    def called(
        url: str, name: str, arguments: dict[str, Any] | None = None, **more: Any
    ) -> Awaitable[tuple[str, str]]:
        async def nowhere() -> Path:
            raise AssertionError("A server over HTTP has no use for a folder.")

        context = Context(
            name=name,
            pack=0,
            key="run:1",
            settings={"url": url, **more.get("settings", {})},
            secrets=more.get("secrets", {}),
            commands=False,
            planning=more.get("planning", False),
            private_hosts=more.get("private_hosts", ("127.0.0.1",)),
            workspace=nowhere,
        )
        return call_tool(tools()["mcp"], arguments or {}, context)

    return called


async def test_a_tool_is_called(call: Call, server: LiveServer) -> None:
    assert await call(server.url, "add", {"a": 2, "b": 3}) == ("5", "")
    named = {"settings": {"tool": "add"}}
    assert await call(server.url, "sum up", {"a": 2, "b": 3}, **named) == ("5", "")


async def test_planning_calls_read_only_tools_only(call: Call, server: LiveServer) -> None:
    assert await call(server.url, "look", planning=True) == ("all quiet", "")
    for name in ("add", "nothing"):
        result, error = await call(server.url, name, {"a": 2, "b": 3}, planning=True)
        assert result == ""
        assert f"does not declare {name} as read-only" in error


async def test_secrets_are_sent_as_headers_and_redacted(call: Call, server: LiveServer) -> None:
    assert await call(server.url, "headers") == ("nobody", "")
    secrets = {"authorization": "Bearer hunter22"}
    assert await call(server.url, "headers", secrets=secrets) == ("•••", "")


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("breaks", {}, "breaks"),
        ("nothing", {}, "nothing"),
        ("add", {"a": "two"}, "add"),
    ],
)
async def test_an_error_of_the_server_is_reported(
    call: Call, server: LiveServer, name: str, arguments: dict[str, Any], sentence: str
) -> None:
    result, error = await call(server.url, name, arguments)
    assert result == ""
    assert sentence in error


async def test_a_slow_call_times_out_and_the_server_stays_usable(
    call: Call, server: LiveServer
) -> None:
    result, error = await call(server.url, "never", settings={"timeout": 0.5})
    assert result == ""
    assert error == "never did not answer within 0.5 seconds."
    assert await call(server.url, "add", {"a": 1, "b": 1}) == ("2", "")


async def test_a_cancelled_call_closes_its_connection(call: Call, server: LiveServer) -> None:
    asked = asyncio.ensure_future(call(server.url, "slow"))
    assert await asyncio.to_thread(server.said) == "called"
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    assert await call(server.url, "add", {"a": 1, "b": 1}) == ("2", "")


async def test_a_server_that_dies_during_a_call_is_reported(call: Call) -> None:
    mcp_server = serve()
    try:
        result, error = await call(mcp_server.url, "dies", settings={"timeout": 20.0})
        assert result == ""
        assert error.startswith("The MCP server did not answer")
        result, error = await call(mcp_server.url, "add", {"a": 1, "b": 1})
        assert error.startswith("The MCP server did not answer")
    finally:
        mcp_server.ended()


@pytest.mark.parametrize(
    "answer",
    [
        RawReply(body=b"<html>Sign in</html>", type="text/html"),
        RawReply(body=b"{nope"),
        RawReply(body=b"[]"),
    ],
    ids=["a page", "no JSON", "another shape"],
)
async def test_a_server_of_another_kind_is_reported(call: Call, answer: RawReply) -> None:
    with ModelServer(otherwise=answer) as other:
        result, error = await call(f"{other.host}/mcp", "add", settings={"timeout": 5.0})
    assert result == ""
    assert error.startswith("The MCP server did not answer: ")
    assert "\n" not in error


async def test_an_unlisted_private_address_is_refused(call: Call, server: LiveServer) -> None:
    result, error = await call(server.url, "add", {"a": 1, "b": 1}, private_hosts=())
    assert result == ""
    assert "127.0.0.1 is a private address" in error
