"""The model on the wire: the run's, the step's or the connection's, by the connection's names."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.support.model_server import ErrorReply, ModelServer
from workflows.actions import connections, packs, runs
from workflows.actions.model_choices import choose
from workflows.core.dialects import dialects
from workflows.models import Run, RunEvent
from workflows.providers.model_names import DEFAULTS, SIZES
from workflows.runner.drivers.models import DRIVER
from workflows.runner.models.retries import RetryPolicy
from workflows.runner.worker import Worker

pytestmark = pytest.mark.django_db(transaction=True)

REGISTRY = ".agent/review-loop/steps_registry.json"
AGENT = ".agent/review-loop/agent.json"
OWN = "the-connections-own"
NO_SUCH_MODEL = ErrorReply(status=404, message="No such model.")
PROVIDERS = ("anthropic", "openai", "google")

Asked = Callable[..., Any]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(otherwise=ErrorReply(status=401)) as running:
        yield running


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(DRIVER, "policy", RetryPolicy(tries=1, answer=20.0))
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]


def climpt(*, model: str = "", default: str = "") -> dict[str, bytes]:
    """The sample "review-loop" whose first step and agent name these models."""
    files = dict(dialects()["steps_registry"].samples()["review-loop"])
    registry, agent = json.loads(files[REGISTRY]), json.loads(files[AGENT])
    if model:
        registry["steps"]["draft"]["model"] = model
    if default:
        agent["runner"]["flow"]["defaultModel"] = default
    files |= {REGISTRY: json.dumps(registry).encode(), AGENT: json.dumps(agent).encode()}
    return files


def agents(model: str) -> dict[str, bytes]:
    """A graph of one agent with this model."""
    node = {"id": "desk", "label": "Desk", "role": "planner", "instructions": "Go."}
    graph = {
        "agent_graph": 1,
        "entry": "desk",
        "nodes": [{**node, "model": model}],
        "edges": [],
    }
    return {"desk.agents.json": json.dumps(graph).encode()}


def promptpack() -> dict[str, bytes]:
    return dict(dialects()["promptpack"].samples()["code-review"])


@pytest.fixture
def asked(server: ModelServer, worker: Worker) -> Asked:
    """Run a pack until its first answer. Return the models on the wire, and the reason why the run
    paused."""

    def begin(
        files: dict[str, bytes],
        kind: str,
        connection: Mapping[str, Any],
        choice: str,
        options: dict[str, Any],
    ) -> Run:
        given = {"model": OWN, "key": "k", "base_url": server.url(kind), **connection}
        connections.create(name="Mine", kind=kind, **given)
        pack = packs.import_files(files, owner=None).packs[0]
        if choice:
            choose(pack, "", connection="", model=choice)
        return runs.start(pack, driver="model", options=options)

    async def ask(
        files: dict[str, bytes],
        *,
        kind: str = "anthropic",
        connection: Mapping[str, Any] = {},
        choice: str = "",
        **options: Any,
    ) -> tuple[list[str], str]:
        run = await sync_to_async(begin)(files, kind, connection, choice, options)
        async with asyncio.timeout(120):
            await worker.run_until_idle()
        pauses = RunEvent.objects.filter(run=run, type="run.paused")
        reasons = [fields["reason"] async for fields in pauses.values_list("fields", flat=True)]
        return [one.model for one in server.asked], "".join(reasons)

    return ask


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", PROVIDERS)
async def test_a_step_with_a_size_uses_the_providers_model(
    asked: Asked, kind: str, size: str
) -> None:
    models, _ = await asked(climpt(model=size), kind=kind)
    assert models == [DEFAULTS[kind][size]]


async def test_a_step_with_a_full_model_id_uses_it(asked: Asked) -> None:
    models, _ = await asked(climpt(model="claude-opus-4-8"))
    assert models == ["claude-opus-4-8"]


@pytest.mark.parametrize(
    "named", ["anthropic:claude-opus-4-8", "anthropic/claude-opus-4-8", "claude-opus-4-8"]
)
async def test_an_agent_names_its_model_with_or_without_the_provider(
    asked: Asked, named: str
) -> None:
    models, _ = await asked(agents(named))
    assert models == ["claude-opus-4-8"]


@pytest.mark.parametrize(("default", "size"), [("sonnet", "sonnet"), ("", "opus")])
async def test_a_climpt_step_without_a_model_uses_the_agents_else_opus(
    asked: Asked, default: str, size: str
) -> None:
    models, _ = await asked(climpt(default=default))
    assert models == [DEFAULTS["anthropic"][size]]


async def test_a_pack_without_models_uses_the_connections(asked: Asked) -> None:
    models, _ = await asked(promptpack())
    assert models == [OWN]


@pytest.mark.parametrize(
    ("model", "sent"),
    [("claude-opus-4-8", "claude-opus-4-8"), ("haiku", DEFAULTS["anthropic"]["haiku"])],
)
async def test_the_model_of_a_run_replaces_the_steps(asked: Asked, model: str, sent: str) -> None:
    models, _ = await asked(climpt(model="sonnet"), model=model)
    assert models == [sent]


async def test_the_model_chosen_for_a_pack_may_be_a_name(asked: Asked) -> None:
    models, _ = await asked(climpt(model="sonnet"), choice="haiku")
    assert models == [DEFAULTS["anthropic"]["haiku"]]


async def test_any_name_can_be_mapped(asked: Asked) -> None:
    names = {"gpt-6-luna": "claude-haiku-4-5", "opus": "claude-opus-4-8"}
    models, _ = await asked(agents("gpt-6-luna"), connection={"model_names": names})
    assert models == ["claude-haiku-4-5"]


async def test_a_compatible_server_uses_its_own_model_for_every_size(asked: Asked) -> None:
    models, _ = await asked(climpt(model="sonnet"), kind="compatible")
    assert models == [OWN]


async def test_a_size_without_a_model_pauses_before_the_request(asked: Asked) -> None:
    models, reason = await asked(climpt(model="sonnet"), connection={"model_names": {}})
    assert models == []
    assert reason == (
        "The connection “Mine” has no model for the name 'sonnet'. "
        "Add it to its model names under Settings, then resume."
    )


async def test_a_name_for_a_missing_default_pauses_before_the_request(asked: Asked) -> None:
    models, reason = await asked(
        climpt(model="sonnet"), kind="compatible", connection={"model": ""}
    )
    assert models == []
    assert reason == (
        "The name 'sonnet' uses the model of the connection “Mine”, which has none. "
        "Set one under Settings, then resume."
    )


@pytest.mark.parametrize(
    ("model", "names", "remedy"),
    [
        (
            "speedy",
            {},
            "has no model 'speedy', or its address is wrong: status 404, “No such model”. "
            "Add 'speedy' to its model names, or change its address, under Settings, then resume.",
        ),
        (
            "sonnet",
            {"sonnet": "claude-9"},
            "has no model 'claude-9', or its address is wrong: status 404, “No such model”. "
            "Change the model for 'sonnet', or its address, under Settings, then resume.",
        ),
        (
            "",
            {},
            f"has no model '{OWN}', or its address is wrong: status 404, “No such model”. "
            "Change its model or its address under Settings, then resume.",
        ),
    ],
    ids=["unmapped", "mapped", "the connection's own"],
)
async def test_a_model_that_the_provider_lacks_is_reported_with_the_next_step(
    asked: Asked, server: ModelServer, model: str, names: dict[str, str], remedy: str
) -> None:
    server.will(NO_SUCH_MODEL)
    files = agents(model) if model else promptpack()
    _, reason = await asked(files, connection={"model_names": names})
    assert reason == f"The connection “Mine” {remedy}"
