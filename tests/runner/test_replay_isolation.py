"""Viewing and forking a recorded run opens no socket."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.runner.conftest import worked_off
from tests.support.model_server import ModelServer, TextReply
from workflows.actions import connections, forks, runs
from workflows.actions.packs import create_from_sample
from workflows.core.engine.fold import fold_all
from workflows.core.engine.replay.compare_runs import compare
from workflows.models import Run
from workflows.selectors.runs import log

OUTWARD = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")
LOOKED_AT = ("", "graph/", "events/", "events/?search=review", "artifacts/", "pending/", "script/")
_unplugged: list[list[str]] = []


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _unplugged and event in OUTWARD:
        _unplugged[-1].append(f"{event} {arguments[1:]!r}")
        raise OSError("The network is unplugged.")


@pytest.fixture(scope="module", autouse=True)
def _listening() -> None:
    """A hook cannot be removed; this one is silent while no test is isolated."""
    sys.addaudithook(_hear)


@contextmanager
def unplugged() -> Iterator[list[str]]:
    """Block all sockets of this process. Yields the attempts."""
    tried: list[str] = []
    _unplugged.append(tried)
    try:
        yield tried
    finally:
        _unplugged.pop()


def leads(event: str) -> TextReply:
    return TextReply(tool_calls=(("workflow__transition", {"event": event, "context": "Go on."}),))


@pytest.fixture
def recorded(transactional_db: None, settings: Any) -> Run:
    """A run that a model answered, whose server is gone."""
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]
    pack = create_from_sample("promptpack/code-review", owner=None)
    with ModelServer(
        leads("ChangeReady"), leads("Approved"), TextReply(text="Well done.")
    ) as model:
        connections.create(
            name="Mine", kind="openai", base_url=model.url("openai"), model="gpt-4o", key="sk-1"
        )
        row = runs.start(pack, driver="model", options={"connection": "Mine"})
        asyncio.run(worked_off())
        assert len(model.asked) == 3
    row.refresh_from_db()
    assert row.status == "completed"
    return row


def test_viewing_and_forking_a_recorded_run_opens_no_socket(recorded: Run) -> None:
    site = Client(HTTP_HOST="127.0.0.1")
    site.force_login(User.objects.create_user("ada"))
    events = log(recorded)
    with unplugged() as tried:
        for n in range(1, len(events) + 1):
            assert fold_all(events[:n]).n == n
        assert compare(events, events).same
        for rest in LOOKED_AT:
            assert site.get(f"/api/v1/runs/{recorded.pk}/{rest}").status_code == 200, rest
        again = site.get(f"/api/v1/runs/{recorded.pk}/compare/{recorded.pk}/").json()
        assert again["same"]
        for page in (f"/runs/{recorded.pk}/", f"/runs/{recorded.pk}/compare/{recorded.pk}/"):
            assert site.get(page).status_code == 200
        asked = [event.n for event in events if event.type == "model.asked"]
        made = [
            forks.fork(recorded.pk, asked[-1], driver=driver).row
            for driver in ("rehearsal", "script", "manual", "model")
        ]
    assert tried == []
    assert [row.last >= asked[-1] for row in made] == [True] * 4


def test_the_socket_audit_detects_a_connection() -> None:
    with unplugged() as tried, socket.socket() as one, pytest.raises(OSError, match="unplugged"):
        one.connect(("127.0.0.1", 9))
    assert len(tried) == 1
