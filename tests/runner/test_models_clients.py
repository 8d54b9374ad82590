"""Model clients: shared connections and cancelled streams."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from tests.support.model_server import ModelServer, NoReply
from workflows.core.engine.effects import AskModel
from workflows.providers.endpoint import KINDS, Endpoint, Kind
from workflows.runner.models import clients, retries


async def test_concurrent_requests_share_one_client(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Endpoint] = []
    make = clients._client_for

    def counted(reach: Endpoint) -> clients._Client:
        made.append(reach)
        return make(reach)

    monkeypatch.setattr(clients, "_client_for", counted)
    reach = Endpoint(name="Mine", kind="openai", key="k")
    models = await asyncio.gather(*(clients.model_at(reach, f"m-{n}") for n in range(50)))
    assert made == [reach]
    assert [model.model_name for model in models] == [f"m-{n}" for n in range(50)]
    assert await clients.model_at(reach, "m-1") is models[1]
    await clients.close_clients()


@pytest.mark.parametrize("kind", KINDS)
async def test_two_keys_for_one_address_have_a_client_each(kind: Kind) -> None:
    """The client sends the key, so sharing it would send one user's requests with another's key."""
    address = {"kind": kind, "base_url": "https://models.example.org/v1"}
    mine, theirs = (Endpoint(name=key, key=key, **address) for key in ("mine", "theirs"))
    models = [await clients.model_at(one, "m") for one in (mine, theirs, mine)]
    assert models[0] is models[2]
    assert models[0] is not models[1]
    await clients.close_clients()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_cancelled_stream_closes_its_connection(kind: Kind) -> None:
    told = asyncio.Event()

    async def tell(text: str) -> None:
        told.set()
        await asyncio.Event().wait()

    with ModelServer(NoReply(pieces=3)) as server:
        reach = Endpoint(
            name="Mine",
            kind=kind,
            key="k",
            base_url=server.url(kind),
            private_hosts=("127.0.0.1",),
        )
        effect = AskModel(key="k", position="1", state="start", system="Answer.")
        policy = retries.RetryPolicy()
        asking = asyncio.create_task(retries.ask(effect, reach, "m", policy=policy, on_delta=tell))
        await asyncio.wait_for(told.wait(), 120)
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        assert await asyncio.to_thread(server.hung_up.get, timeout=120)
        await clients.close_clients()
