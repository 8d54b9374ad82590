"""The schema of an answer, over the wire of each provider: a server with the provider's published
rules accepts it, and the answer arrives as the pack's schema has it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.steps_registry.packs import corpus_packs
from tests.support.answer_schemas import FITS, OUTSIDE, TEXT, WRAPPED, having
from tests.support.checks import failure_note
from tests.support.corpus import at_least
from tests.support.model_server import ModelServer, TextReply
from workflows.core.conversation.answer_form import answer_form
from workflows.core.conversation.check import check_question
from workflows.core.dialects.steps_registry.schemas.references import SchemaProblem
from workflows.core.dialects.steps_registry.schemas.resolve import step_schema
from workflows.core.engine.effects import AskModel, Message, ToolSpec
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_values import value_for
from workflows.core.engine.signals import Reply
from workflows.core.json_schemas.validation import pack_schema
from workflows.providers.endpoint import Endpoint, Kind
from workflows.runner.models.clients import close_clients
from workflows.runner.models.retries import RetryPolicy, ask, ask_once

pytestmark = pytest.mark.sqlite

MODELS: dict[Kind, str] = {
    "openai": "gpt-4o",
    "anthropic": "claude-opus-4-6",
    "google": "gemini-2.5-flash",
    "compatible": "llama3",
}
CASES = [*FITS.items(), *((name, row[0]) for name, row in OUTSIDE.items()), *WRAPPED.items()]
READ = ToolSpec(
    name="read", description="Read a file.", parameters={"type": "object", "properties": {}}
)


def question(schema: Any, *tools: ToolSpec) -> AskModel:
    return AskModel(
        key="1",
        position="0",
        state="here",
        system="Be kind.",
        messages=(Message(role="user", text="Well?"),),
        schema=schema,
        tools=tools,
    )


async def exchange(
    server: ModelServer, kind: Kind, schema: Any, value: Any, *tools: ToolSpec
) -> tuple[Reply, dict[str, Any]]:
    """Ask for an answer with this schema; the model answers with this value."""
    form, asked = answer_form(schema, kind), question(schema, *tools)
    check_question(asked, kind)
    server.will(TextReply(structured={"value": value} if form.wrapped else value))
    try:
        reply = await ask_once(asked, endpoint(server, kind), MODELS[kind], policy=RetryPolicy())
    except Exception as error:
        raise AssertionError((kind, server.refused, repr(error))) from error
    return reply, dict(server.asked[-1].body)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    """A server, and clients of this test alone."""
    with ModelServer() as server:
        yield server
        await close_clients()


def endpoint(server: ModelServer, kind: Kind) -> Endpoint:
    return Endpoint(
        kind=kind,
        name="strict",
        base_url=server.url(kind),
        key="k",
        model=MODELS[kind],
        private_hosts=("127.0.0.1",),
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", MODELS)
async def test_every_schema_is_accepted_and_answered(server: ModelServer, kind: Kind) -> None:
    for name, schema in CASES:
        with failure_note(f"Schema: {name}"):
            value = {"a": 1} if name == "not" else value_for(schema, Rng(1, name))
            assert pack_schema(schema).is_valid(value)
            reply, body = await exchange(server, kind, schema, value)
            assert reply.structured == value
            if kind == "anthropic":
                is_in_the_form_of_anthropic(name, schema, body)


def is_in_the_form_of_anthropic(name: str, schema: Any, body: dict[str, Any]) -> None:
    """It holds models to what is in its subset. Anything else is a tool with the whole schema, so
    that maps and open objects keep their properties."""
    if schema is FITS.get(name):
        assert "output_config" in body
        assert "tools" not in body
    elif "anthropic" in OUTSIDE.get(name, ({}, ()))[1]:
        [tool] = body["tools"]
        assert "output_config" not in body
        assert not tool.get("strict")
        assert tool["input_schema"] == answer_form(schema, "anthropic").schema


async def test_a_map_can_be_filled_with_other_tools_offered(server: ModelServer) -> None:
    schema = having(labels={"type": "object", "additionalProperties": TEXT})
    value = {"labels": {"kind": "bug", "size": "small"}}
    for kind in ("openai", "anthropic", "compatible"):
        reply, body = await exchange(server, kind, schema, value, READ)
        assert reply.structured == value
        assert '"additionalProperties": {"type": "string"}' in json.dumps(body)


async def test_a_request_that_no_library_can_build_is_final(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would fail in the same way again, so the pack handles the error at once."""

    def broken(*_: Any, **__: Any) -> Any:
        raise AssertionError("Expected code to be unreachable, but got: ['object', 'null']")

    monkeypatch.setattr("anthropic.transform_schema", broken)
    there = endpoint(server, "anthropic")
    reply = await ask(question(FITS["an object"]), there, "claude-opus-4-6", policy=RetryPolicy())
    assert server.asked == []
    assert reply.error == (
        "This request cannot be sent to Anthropic: Expected code to be unreachable, but got: "
        "['object', 'null']."
    )


def published(corpus: Path) -> list[tuple[str, dict[str, Any]]]:
    """The schemas of answers in every registry of the corpus, each once."""
    schemas: dict[str, tuple[str, dict[str, Any]]] = {}
    for path, source in corpus_packs(corpus):
        for step in source.steps.values():
            with suppress(SchemaProblem):
                schema = step_schema(source, step)
                if schema is not None:
                    schemas.setdefault(json.dumps(schema), (f"{path} {step.id}", schema))
    return list(schemas.values())


@pytest.mark.parametrize("kind", MODELS)
async def test_strict_servers_accept_the_schemas_of_every_registry(
    server: ModelServer, kind: Kind, corpus: Path
) -> None:
    schemas = published(corpus)
    assert len(schemas) >= at_least(60, 4)
    there = endpoint(server, kind)
    for place, schema in schemas:
        server.will(TextReply(text="{}", structured={}))
        with failure_note(f"Schema of {place}"):
            await ask_once(question(schema), there, MODELS[kind], policy=RetryPolicy())
    assert server.refused == []
