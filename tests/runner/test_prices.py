"""Prices of a connection: the cost of each call, and limits of the cost on one's own server."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from tests.runner.test_models import LOOP, ONE
from tests.support.model_server import ModelServer, TextReply
from tests.support.workers import until_idle
from workflows.actions import connections, runs
from workflows.actions.packs import create_from_sample
from workflows.errors import BadRequest
from workflows.models import Run, RunEvent
from workflows.providers.prices import Price, own_price, published_on, published_price
from workflows.runner.worker import Worker
from workflows.selectors.run_estimates import estimate
from workflows.selectors.run_results import result_json

pytestmark = pytest.mark.django_db(transaction=True)

PRICES = {"local-model": {"input": 5, "output": 10}}
STAY = TextReply(structured={"go": "stay", "why": "not yet"}, tokens=(1_000, 500))
"""1,000 × 5 $ + 500 × 10 $ per million tokens are 0.01 $."""


def connect(server: ModelServer, prices: Any) -> None:
    connections.create(
        name="Own server",
        kind="compatible",
        base_url=server.url("compatible"),
        model="local-model",
        prices=prices,
    )


@pytest.fixture(autouse=True)
def _loopback(settings: Any) -> None:
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]


async def test_a_budget_stops_ones_own_server_after_the_right_call(
    start: Any, make_worker: Any
) -> None:
    worker: Worker = await make_worker()
    with ModelServer() as server:
        server.otherwise = STAY
        await sync_to_async(connect)(server, PRICES)
        run = await start(LOOP, driver="model", budget={"cost": 0.05})
        await until_idle(worker)
        calls = len(server.asked)
    ended = await Run.objects.aget(pk=run.pk)
    assert ended.status == "budget_exhausted"
    assert ended.reason == "max_cost 0.05 reached limit 0.05"
    assert calls == 5
    sent = {"model_calls": calls, "input_tokens": 1_000 * calls, "output_tokens": 500 * calls}
    assert {name: getattr(ended, name) for name in sent} == sent
    assert ended.cost == pytest.approx(0.05)
    result = await sync_to_async(lambda: result_json(ended, runs.work_of(ended.pk).run))()
    assert result["totals"] | sent == result["totals"]
    assert result["totals"]["cost"] == 0.05
    assert [turn["cost"] for turn in result["turns"]] == [0.01] * calls
    (state,), (model,) = result["states"], result["models"]
    assert (state["state"], state["calls"], state["cost"]) == ("start", calls, 0.05)
    assert (model["model"], model["input_tokens"]) == ("local-model", 5_000)


EARLIER = ((2, 400, 100), (1, 500, 90))
"""Model calls, tokens read and tokens written of earlier runs: at most 500 and 90 per call."""


@pytest.mark.parametrize(
    ("sample", "choice", "earlier", "model", "cost"),
    [
        ("mail-triage", {}, (), "local-model", 5_000 * 10),
        ("mail-triage", {}, EARLIER, "local-model", 10 * 500 * 5 + 5_000 * 10),
        ("mail-triage", {"model": "small"}, (), "small", 5_000 * 1),
        ("mail-triage", {"model": "unknown"}, (), "", None),
        ("mail-triage", {"connection": "Nowhere"}, (), "", None),
        ("review-loop", {}, (), "", None),
        ("review-loop", {}, EARLIER, "local-model", 35 * 500 * 5 + 35 * 90 * 10),
    ],
)
def test_the_worst_case_of_a_pack_has_a_cost(
    admin_user: User, sample: str, choice: Any, earlier: Any, model: str, cost: float | None
) -> None:
    connections.create(
        name="Own server",
        kind="compatible",
        base_url="http://127.0.0.1:1/v1",
        model="local-model",
        model_names={"opus": "local-model"},
        prices={"local-model": {"input": 5, "output": 10}, "small": {"input": 1, "output": 1}},
    )
    pack = create_from_sample(f"promptpack/{sample}", owner=admin_user)
    how = {"pack": pack, "revision": 1, "profile": "documented", "driver": "model"}
    for calls, read, written in earlier:
        tokens = {"model_calls": calls, "input_tokens": read, "output_tokens": written}
        Run.objects.create(**how, **tokens, status="completed", seconds=1.0)
    worst = estimate(pack, admin_user, **choice)["worst"]
    assert worst["cost"] == (None if cost is None else cost / 1_000_000)
    assert (worst["model"], worst["as_before"]) == (model, bool(earlier))


async def test_a_limit_of_the_cost_of_a_model_without_a_price_pauses_the_run(
    start: Any, make_worker: Any
) -> None:
    worker: Worker = await make_worker()
    with ModelServer() as server:
        await sync_to_async(connect)(server, {})
        run = await start(ONE, driver="model", budget={"cost": 0.05})
        await until_idle(worker)
        assert server.asked == []
    (pause,) = [row async for row in RunEvent.objects.filter(run=run, type="run.paused")]
    assert pause.fields["reason"].startswith(
        "This run may cost 0.05 USD at most, but the model 'local-model' has no price on the "
        "connection “Own server”."
    )


def test_prices_count_cached_input_apart() -> None:
    price = Price(input=2, output=8, cached_input=0.5)
    assert price.cost(1_000_000, 1_000_000) == 10
    assert price.cost(1_000_000, 0, cached=500_000) == 1.25
    assert Price(input=2, output=8).cost(1_000_000, 0, cached=500_000) == 2
    assert own_price({"*": {"input": 1, "output": 2}}, "any") == Price(input=1, output=2)
    assert own_price({}, "any") is None


def test_published_prices_have_a_date() -> None:
    known = published_price("openai", "", "gpt-4o")
    assert known is not None
    assert 0 < known.input < known.output
    assert published_price("compatible", "http://127.0.0.1:1/v1", "local-model") is None
    assert published_on() > "2026"


@pytest.mark.parametrize(
    "prices",
    [
        {"": {"input": 1, "output": 1}},
        {"m": {"input": 1}},
        {"m": {"input": -1, "output": 1}},
        {"m": {"input": True, "output": 1}},
        {"m": {"input": float("nan"), "output": 1}},
        {"m": {"input": 1, "output": 1, "per": 3}},
    ],
)
def test_a_wrong_price_is_refused(prices: Any) -> None:
    with pytest.raises(BadRequest):
        connections.checked_prices(prices)


def test_a_free_model_is_priced() -> None:
    row = connections.checked_prices({" * ": {"input": 0, "output": 0}})
    price = own_price(row, "any")
    assert price == Price(input=0, output=0)
