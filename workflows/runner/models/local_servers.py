"""Model servers that run on this computer, found by asking the ports that they usually have.

Ollama, LM Studio, vLLM and the server of llama.cpp are compatible with OpenAI, so each lists its
models under `/v1/models`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from workflows.security.http_client import client

PORTS = {"Ollama": 11434, "LM Studio": 1234, "vLLM": 8000, "llama.cpp": 8080}
HOST = "localhost"
WAIT = 1.0
"""Seconds until a server on this computer must answer."""
MAX_MODELS = 50
MAX_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A server that answered. `base_url` is the one of a compatible connection."""

    name: str
    base_url: str
    models: tuple[str, ...]


def find_local_servers(ports: Mapping[str, int] = PORTS) -> list[LocalServer]:
    """The servers that list their models. Blocks for about a second at most."""
    return asyncio.run(_find(ports))


async def _find(ports: Mapping[str, int]) -> list[LocalServer]:
    servers = await asyncio.gather(*(_look(name, port) for name, port in ports.items()))
    return [server for server in servers if server is not None]


async def _look(name: str, port: int) -> LocalServer | None:
    import httpx2

    base_url = f"http://{HOST}:{port}/v1"
    # The caller asked for exactly these addresses, so they need no entry in the settings.
    with suppress(httpx2.HTTPError, TimeoutError, ValueError):
        async with (
            asyncio.timeout(WAIT),
            client(timeout=WAIT, allowed=(HOST,), headers={}) as http,
            http.stream("GET", f"{base_url}/models") as answer,
        ):
            if answer.status_code == 200:
                body = b""
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > MAX_BYTES:
                        return None
                return LocalServer(name=name, base_url=base_url, models=_models(json.loads(body)))
    return None


def _models(body: Any) -> tuple[str, ...]:
    """The ids in the answer. Raises ValueError if it is not a list of models."""
    rows = body.get("data") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        raise ValueError("not a list of models")
    ids = (row.get("id") for row in rows if isinstance(row, dict))
    return tuple(id for id in ids if isinstance(id, str) and id)[:MAX_MODELS]
