"""Ten failures: in every list, the headline of a run begins with the cause and has the fix."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import unescape
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.test import Client

from signalbox.commands.run_output import line
from tests.runner.test_models import ON, connect
from tests.support.model_server import CutOffReply, ErrorReply, ModelServer, NoReply, TextReply
from tests.support.tiny_dialect import tiny_pack
from tests.support.workers import until_idle
from workflows.actions import runs, tool_bindings
from workflows.actions.packs import create_from_sample
from workflows.models import Pack, Run, RunEvent
from workflows.runner.drivers.models import DRIVER
from workflows.runner.models.retries import RetryPolicy
from workflows.runner.worker import Worker

pytestmark = pytest.mark.django_db(transaction=True)

ONE = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}
TWO = {**ONE, "start": {"model": {"on": "more"}}, "more": {"model": {"on": "done"}}}
LOOK = {"start": {"tool": "done"}, "done": {"end": "failed"}}
TRIAGE = "steps_registry/triage-bot"
NEEDED = {"issue": "7"}


@dataclass(frozen=True, kw_only=True)
class Failure:
    """`cause`: words of the headline's first sentence. `fix`: its first button."""

    cause: str
    fix: tuple[str, str]
    status: str = "paused"
    answers: tuple[Any, ...] = ()
    table: Any = field(default_factory=lambda: ONE)
    """A tiny pack, or the name of a sample."""
    options: dict[str, Any] = field(default_factory=dict)
    answer_seconds: float = 20.0


CONNECTION = ("connection", "Mine")
FAILURES = {
    "wrong key": Failure(
        answers=(ErrorReply(status=401, message="Bad key."),),
        cause="“Mine” rejected its key: status 401",
        fix=CONNECTION,
    ),
    "refused schema": Failure(
        table=TRIAGE,
        options={"inputs": NEEDED},
        answers=(ErrorReply(status=400, message="Invalid schema for response_format."),) * 9,
        cause="“Mine” rejected the request: status 400, “Invalid schema for response_format”",
        fix=("state", "initial.read"),
        status="failed",
    ),
    "no JSON": Failure(
        table=TRIAGE,
        options={"inputs": NEEDED},
        answers=(TextReply(text='{"broken": tru'),) * 9,
        cause='is not the requested JSON: `{"broken": tru`',
        fix=("state", "initial.read"),
        status="failed",
    ),
    "cut stream": Failure(
        answers=(CutOffReply(says=ON, pieces=3),) * 3,
        cause="“Mine” closed the connection in the middle of an answer",
        fix=CONNECTION,
    ),
    "rate limit": Failure(
        answers=(ErrorReply(status=429, retry_after="3600"),),
        cause="“Mine” has reached its rate limit: status 429",
        fix=CONNECTION,
    ),
    "server error": Failure(
        answers=(ErrorReply(status=500),) * 3,
        cause="“Mine” failed: status 500",
        fix=CONNECTION,
    ),
    "timeout": Failure(
        answers=(NoReply(),),
        answer_seconds=0.1,
        cause="“Mine” did not answer within 0.1 seconds",
        fix=CONNECTION,
    ),
    "failing tool": Failure(
        table=LOOK,
        answers=(ErrorReply(status=503),) * 3,
        cause="The tool look failed: 127.0.0.1 returned 503",
        fix=("tool", "look"),
        status="failed",
    ),
    "cost limit": Failure(
        table=TWO,
        options={"budget": {"cost": 0.000001}},
        answers=(ON, ON),
        cause="max_cost",
        fix=("limits", ""),
        status="budget_exhausted",
    ),
    "missing input": Failure(
        table="promptpack/review-loop",
        cause="brief",
        fix=("again", ""),
        status="failed",
    ),
}


def pack_of(table: Any, server: ModelServer) -> Pack:
    if isinstance(table, str):
        return create_from_sample(table, owner=None, keep=True)
    pack = tiny_pack(table)
    if table is LOOK:
        url = f"{server.host}/look"
        tool_bindings.bind(pack, "look", kind="http", settings={"url": url, "method": "GET"})
    return pack


def first_sentence(text: str) -> str:
    return text.partition(". ")[0]


@pytest.mark.parametrize("name", FAILURES)
async def test_the_cause_comes_first_and_the_fix_is_at_hand(
    worker: Worker, server: ModelServer, monkeypatch: Any, settings: Any, name: str
) -> None:
    failure = FAILURES[name]
    policy = RetryPolicy(tries=3, first=0.001, answer=failure.answer_seconds)
    monkeypatch.setattr(DRIVER, "policy", policy)
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]
    server.will(*failure.answers)

    def begin() -> Run:
        connect(server, "openai")
        pack = pack_of(failure.table, server)
        return runs.start(pack, driver="model", options=failure.options)

    run = await sync_to_async(begin)()
    await until_idle(worker)
    shown, fixes = await sync_to_async(everywhere)(run)
    run = await Run.objects.aget(pk=run.pk)
    assert run.status == failure.status
    for place, text in shown.items():
        assert failure.cause in first_sentence(text), place
    assert [(fix["kind"], fix["name"]) for fix in fixes][:1] == [failure.fix]


def everywhere(run: Run) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The headline of the run in each place that shows it, and its fixes."""
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    api = f"/api/v1/runs/{run.pk}/"
    (row,) = client.get("/api/v1/runs/").json()["results"]
    result = client.get(f"{api}result/").json()
    page = client.get("/runs/").content.decode()
    cell = page.partition("data-run-result")[2].partition(">")[2].partition("</div>")[0]
    last = RunEvent.objects.filter(run=run, type__in=("run.paused", "run.finished")).last()
    assert last is not None
    shown = {
        "run": client.get(api).json()["reason"],
        "list of the API": row["reason"],
        "result": result["reason"],
        "list": unescape(cell),
        "terminal": line(last.type, last.fields),
    }
    return shown, result["fixes"]
