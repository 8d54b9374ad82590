"""A folder with packs, and the official client of a server for it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from signalbox.commands.mcp.folders import Folders
from signalbox.commands.mcp.stdio import server_of
from workflows.core.dialects import dialects

PACK = "review-loop.pack.json"


@dataclass(frozen=True)
class Agent:
    """A client that reads JSON. `exchanged`: bytes of arguments and answers so far."""

    client: Client
    exchanged: list[int]

    async def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The answer of a call that has to work."""
        body, failed = await self.answer(tool, **arguments)
        assert not failed, body
        return body

    async def refused(self, tool: str, /, **arguments: Any) -> str:
        """The message of a call that has to fail."""
        body, failed = await self.answer(tool, **arguments)
        assert failed, body
        return f"{body['error']} {body.get('next', '')}"

    async def answer(self, tool: str, /, **arguments: Any) -> tuple[dict[str, Any], bool]:
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        text = content.text  # type: ignore[union-attr]
        self.exchanged.append(len(json.dumps(arguments).encode()) + len(text.encode()))
        return json.loads(text), bool(result.is_error)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a PromptPack."""
    folder = tmp_path / "work"
    folder.mkdir()
    for path, data in dialects()["promptpack"].samples()["review-loop"].items():
        folder.joinpath(path).write_bytes(data)
    monkeypatch.chdir(folder)
    return folder


Connect = Callable[..., AbstractAsyncContextManager[Agent]]


@pytest.fixture
def connect() -> Connect:
    """A connection in this process: `async with connect(".", mode="legacy") as agent`."""

    @asynccontextmanager
    async def connected(*paths: str, mode: str = "auto") -> AsyncIterator[Agent]:
        async with Client(server_of(Folders.of(paths or ["."])), mode=mode) as client:
            yield Agent(client, [])

    return connected
