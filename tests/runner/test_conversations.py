"""Every conversation of samples and recorded runs keeps the providers' rules: by our checker, and
by servers with rules written from the providers' references and types of their libraries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.checks import quick_or_slow
from tests.support.model_server import ModelServer, TextReply
from tests.support.varied_walks import questions
from workflows.core.conversation.build import conversation_of
from workflows.core.conversation.check import violations
from workflows.core.dialects import dialects
from workflows.core.engine.effects import AskModel, effect_from_json
from workflows.core.engine.signals import Reply
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


@pytest.mark.parametrize("every", quick_or_slow(96, 1))
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
