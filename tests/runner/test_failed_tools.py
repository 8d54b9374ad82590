"""A failed call of a tool is sent to each provider as an error, not as a result."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.runner.test_conversations import MODELS
from tests.support.model_server import ModelServer, TextReply
from workflows.core.dialects.promptpack.program.conversation import after_result
from workflows.core.engine.effects import (
    AskModel,
    Message,
    ToolSpec,
    effect_from_json,
    effect_to_json,
)
from workflows.core.engine.run import Position
from workflows.providers.endpoint import Endpoint, Kind
from workflows.runner.models.clients import close_clients
from workflows.runner.models.retries import RetryPolicy, ask_once

pytestmark = pytest.mark.sqlite
WORDS = "the desk is closed"


def question(error: str) -> AskModel:
    """A question after one call, which failed with this error, if any."""
    called = {"id": "call_1", "name": "look_up", "arguments": {}}
    waiting = Position(id="p", state="s", memory={"waiting": [called]})
    (turn,) = after_result(waiting, WORDS, error)["messages"]
    made = AskModel(
        key="k",
        position="p",
        state="s",
        system="Answer.",
        messages=(
            Message(role="user", text="Hello"),
            Message(role="assistant", text="", tool_calls=(called,)),
            Message(**turn),
        ),
        tools=(ToolSpec(name="look_up", description="", parameters={"type": "object"}),),
    )
    again = effect_from_json(json.loads(json.dumps(effect_to_json(made))))
    assert again == made
    return made


async def sent(kind: Kind, error: str) -> Any:
    with ModelServer(otherwise=TextReply(text="Fine.")) as server:
        endpoint = Endpoint(
            kind=kind,
            name="strict",
            base_url=server.url(kind),
            key="k",
            model=MODELS[kind],
            private_hosts=("127.0.0.1",),
        )
        await ask_once(question(error), endpoint, MODELS[kind], policy=RetryPolicy())
        await close_clients()
        assert server.refused == []
        return server.asked[0].body


@pytest.mark.parametrize("kind", MODELS)
async def test_each_provider_receives_an_error(kind: Kind) -> None:
    failed = json.dumps(await sent(kind, WORDS))
    fine = json.dumps(await sent(kind, ""))
    assert WORDS in failed
    match kind:
        case "anthropic":
            assert '"is_error": true' in failed
            assert '"is_error": true' not in fine
        case "google":
            assert '"error"' in failed
            assert '"error"' not in fine
        case _:
            # The protocol has no mark; the text begins with the word.
            assert f"Error: {WORDS}" in failed
            assert f"Error: {WORDS}" not in fine
