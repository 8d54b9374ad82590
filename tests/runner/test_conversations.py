"""Every conversation of samples and recorded runs keeps the providers' rules: by our checker, and
by servers with rules written from the providers' references and types of their libraries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from tests.support.checks import quick_or_slow
from tests.support.model_server import ModelServer, TextReply
from tests.support.varied_walks import questions
from workflows.core.conversation.answer_form import answer_form
from workflows.core.conversation.build import conversation_of
from workflows.core.conversation.check import violations
from workflows.core.dialects import dialects
from workflows.core.engine.effects import AskModel, Effect, effect_from_json
from workflows.core.engine.rehearsal.answers import answer_with
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.signals import Reply, Signal
from workflows.providers.endpoint import Endpoint, Kind
from workflows.runner.models.clients import close_clients
from workflows.runner.models.retries import RetryPolicy, ask_once

pytestmark = pytest.mark.sqlite

VECTORS = Path(__file__).parents[1] / "vectors" / "fold"
WALKS = 12
MODELS: dict[Kind, str] = {
    "openai": "gpt-4o",
    "anthropic": "claude-haiku-4-5",
    "google": "gemini-2.5-flash",
    "compatible": "llama3",
}
SAMPLES = [
    (name, sample, profile)
    for name, dialect in sorted(dialects().items())
    for sample in sorted(dialect.samples())
    for profile in dialect.profiles
]


@cache
def asked(dialect: str, sample: str, profile: str) -> tuple[AskModel, ...]:
    """The questions of all walks, one for each form of conversation."""
    kind = dialects()[dialect]
    program = kind.program(kind.read(kind.samples()[sample]), profile)
    found: dict[str, AskModel] = {}
    for seed in range(WALKS):
        for question in questions(program, seed):
            found.setdefault(_form(question), question)
    return tuple(found.values())


def _form(question: AskModel) -> str:
    turns = [(turn.role, bool(turn.text), len(turn.tool_calls)) for turn in question.messages]
    return f"{question.state} {turns} {[tool.name for tool in question.tools]}"


def recorded() -> Iterator[AskModel]:
    for path in sorted(VECTORS.glob("*.json")):
        for event in json.loads(path.read_text())["events"]:
            effect = event.get("effect") or {}
            if event["type"] == "model.asked" and effect:
                question = effect_from_json(effect)
                assert isinstance(question, AskModel)
                yield question


@pytest.mark.parametrize(("dialect", "sample", "profile"), SAMPLES)
def test_conversations_of_samples_keep_every_rule(dialect: str, sample: str, profile: str) -> None:
    found = asked(dialect, sample, profile)
    assert found or dialect == "climpt_workflow", "only the orchestrator asks no model"
    for question in found:
        assert list(violations(conversation_of(question))) == [], question.state


def test_recorded_conversations_keep_every_rule() -> None:
    found = list(recorded())
    assert len(found) > 300
    for question in found:
        assert list(violations(conversation_of(question))) == [], question.state


@pytest.mark.parametrize("every", quick_or_slow(32, 1))
@pytest.mark.parametrize("kind", MODELS)
async def test_strict_servers_accept_every_conversation(kind: Kind, every: int) -> None:
    """Every `every`-th conversation of each sample is sent, and the last one; so are those of the
    recorded runs."""
    sent: list[tuple[Any, AskModel]] = [
        (row, question) for row in SAMPLES for question in asked(*row)[::-every]
    ]
    sent += [("recorded", question) for question in list(recorded())[::-every]]
    with ModelServer(otherwise=TextReply(text="Fine.", structured={})) as server:
        for row, question in sent:
            await exchange(server, kind, question, row)
        await close_clients()
    assert server.refused == []
    assert len(server.asked) == len(sent) > 1_100 / every


async def exchange(server: ModelServer, kind: Kind, question: AskModel, row: Any) -> Reply:
    endpoint = Endpoint(
        kind=kind,
        name="strict",
        base_url=server.url(kind),
        key="k",
        model=MODELS[kind],
        private_hosts=("127.0.0.1",),
    )
    try:
        return await ask_once(question, endpoint, MODELS[kind], policy=RetryPolicy())
    except Exception as error:
        raise AssertionError((row, question.state, server.refused)) from error


def rehearsed(dialect: str, sample: str, profile: str) -> list[tuple[AskModel, Reply]]:
    """Every question of a rehearsal of 50 runs with its answer, each way to answer a form once."""
    found: dict[str, tuple[AskModel, Reply]] = {}

    def recording(effect: Effect, *how: Any, **more: Any) -> Signal:
        signal = answer_with(effect, *how, **more)
        if isinstance(effect, AskModel) and isinstance(signal, Reply):
            said = (signal.structured, [call.name for call in signal.tool_calls])
            found.setdefault(f"{_form(effect)} {said}", (effect, signal))
        return signal

    kind = dialects()[dialect]
    source = kind.read(kind.samples()[sample])
    with patch("workflows.core.engine.rehearsal.rehearse.answer_with", recording):
        rehearse(kind.program(source, profile), kind.graph(source, profile))
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
async def test_every_answer_of_a_rehearsal_is_possible_and_arrives(kind: Kind) -> None:
    """A model that keeps the schemas of its requests can give the answers of every rehearsed run,
    and runs read them."""
    count = 0
    with ModelServer(keeps_schemas=True) as server:
        for row in SAMPLES:
            for question, reply in rehearsed(*row):
                server.will(_as_sent(question, reply))
                got = await exchange(server, kind, question, row)
                assert _said(got) == _said(reply), row
                count += 1
        await close_clients()
    assert count >= 2_000


def _said(reply: Reply) -> Any:
    calls = [(call.name, call.arguments) for call in reply.tool_calls]
    return reply.text, reply.structured, calls


def _as_sent(question: AskModel, reply: Reply) -> TextReply:
    wire = {name: sent for sent, name in conversation_of(question).names.items()}
    calls = [(wire.get(call.name, call.name), call.arguments) for call in reply.tool_calls]
    value = reply.structured
    if value is not None and question.schema and answer_form(question.schema, "openai").wrapped:
        value = {"value": value}
    return TextReply(text=reply.text, tool_calls=tuple(calls), structured=value)
