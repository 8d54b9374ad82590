"""Health checks, readiness and metrics."""

from __future__ import annotations

import errno
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from signalbox.commands.errors import Trouble
from signalbox.metrics_server import figures
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import runs
from workflows.core.engine.events import Event
from workflows.installation import version
from workflows.models import (
    Approval,
    ApprovalNotice,
    Firing,
    Job,
    Milestone,
    NotificationChannel,
    Run,
    RunEvent,
    Trigger,
)
from workflows.runner import drivers, periodic_tasks
from workflows.runner.queue import heartbeats
from workflows.selectors import status
from workflows.telemetry.metrics import count
from workflows.telemetry.outages import Outage
from workflows.views import readiness
from workflows.views.bounded_check import BoundedCheck

REDIS = Outage("notifications_out", "Notifications to other processes", readiness.log)
NO_WORKER = "No worker is running, so no run continues and no schedule starts one."
TABLE = {"start": {"model": {"on": "done"}}, "done": {"end": "completed"}}


@pytest.fixture(autouse=True)
def _in_this_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the database in the transaction of the test."""
    monkeypatch.setattr(BoundedCheck, "result", lambda check, _: check._check())


@pytest.fixture
def stranger() -> Client:
    return Client(HTTP_HOST="127.0.0.1")


def value(page: str, name: str, **labels: str) -> float:
    """The figure with this name and at least these labels; 0 where there is none."""
    for line in page.splitlines():
        found = re.fullmatch(rf"{name}(?:{{(.*)}})? (\S+)", line)
        if found and all(f'{key}="{one}"' in (found[1] or "") for key, one in labels.items()):
            return float(found[2])
    return 0.0


def test_a_server_without_a_worker_of_its_own_is_ready(stranger: Client, settings: Any) -> None:
    settings.SIGNALBOX_WORKER = "none"
    answer = stranger.get("/readyz")
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "status": "ready",
            "checks": {"database": "ok", "migrations": "ok", "plugins": "ok"},
            "warnings": [NO_WORKER],
        },
    )
    heartbeats.beat("a/b/1/2/3", runs=0, started_at=time.time())
    assert stranger.get("/readyz").json()["warnings"] == []
    heartbeats.end("a/b/1/2/3")
    assert stranger.get("/readyz").json()["warnings"] == [NO_WORKER]


def test_liveness_does_not_query_the_database(
    stranger: Client, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert stranger.get("/healthz").json() == {"status": "ok"}


def test_a_database_that_hangs_delays_readiness_for_a_limited_time(
    stranger: Client,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.SIGNALBOX_WORKER = "none"
    monkeypatch.undo()
    asked, answers = [], threading.Event()

    def hangs() -> tuple[dict[str, str], dict[str, str]]:
        asked.append(1)
        answers.wait()
        return {"database": "ok"}, {}

    monkeypatch.setattr(readiness, "DATABASE_SECONDS", 0.05)
    monkeypatch.setattr(readiness, "_check_database", hangs)
    try:
        caplog.clear()
        for _ in range(3):
            answer = stranger.get("/readyz")
            assert answer.status_code == 503
            assert answer.json()["checks"]["database"] == "does not answer within 0.05 seconds"
        assert asked == [1]
        assert len(caplog.messages) == 1, "one line for an outage"
    finally:
        answers.set()
    monkeypatch.setattr(readiness, "DATABASE_SECONDS", 60.0)
    while stranger.get("/readyz").status_code == 503:
        pass
    assert caplog.messages[-1].startswith("No longer so: database: does not answer")


def later(minors: int) -> str:
    major, minor, _ = version().split(".")
    return f"{major}.{int(minor) + minors}.0"


@pytest.fixture
def waiting_run(settings: Any) -> Run:
    """A run of a pack on an installation with one worker, which does nothing."""
    settings.SIGNALBOX_WORKER = "none"
    heartbeats.beat("a/b/1/2/3", runs=7, started_at=time.time())
    run = runs.start(tiny_pack(TABLE), driver="manual", options={})
    Job.objects.update(due_at=time.time() + 9_000)
    return run


def no_worker(run: Run, _: pytest.MonkeyPatch) -> None:
    heartbeats.end("a/b/1/2/3")


def runs_wait(run: Run, _: pytest.MonkeyPatch) -> None:
    rows = [Run(pack=run.pack, revision=1, driver="manual") for _ in range(49)]
    Run.objects.bulk_create(rows)
    Job.objects.bulk_create(Job(run=row, due_at=time.time()) for row in rows)
    Job.objects.filter(run=run).update(due_at=time.time() - 3_000)


def runs_stuck(run: Run, _: pytest.MonkeyPatch) -> None:
    Job.objects.update(leased_until=time.time() + 60)
    RunEvent.objects.update(at=time.time() - 3_000)


def schedules_late(run: Run, _: pytest.MonkeyPatch) -> None:
    due = timezone.now() - timedelta(minutes=10)
    Trigger.objects.create(pack=run.pack, name="nightly", kind="schedule", next_at=due)


def messages(run: Run, _: pytest.MonkeyPatch) -> None:
    ada = User.objects.get(username="ada")
    asked = Approval.objects.create(run=run, key="0:1", asks={}, asked_at=timezone.now())
    channel = NotificationChannel.objects.create(person=ada, kind="mail")
    ApprovalNotice.objects.create(approval=asked, channel=channel, due=timezone.now(), tries=2)


def results(run: Run, _: pytest.MonkeyPatch) -> None:
    hook = Trigger.objects.create(pack=run.pack, name="hook", kind="webhook")
    now = timezone.now()
    Firing.objects.create(trigger=hook, key="1", at=now, callback_due=now, callback_tries=1)


def disk_low(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "disk", lambda: status.Disk(free=9 * 2**20, total=2**40))


def storage(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("workflows.db.storage._write_file", full)


def migrations(run: Run, _: pytest.MonkeyPatch) -> None:
    MigrationRecorder(connection).record_applied("workflows", "9999_future")
    Milestone.objects.update_or_create(
        kind=Milestone.Kind.MIGRATION, defaults={"version": later(2), "at": timezone.now()}
    )


def worker(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness.settings, "SIGNALBOX_WORKER", "embedded")
    monkeypatch.setattr(readiness, "last_heartbeat", lambda: 95.0)


def notifications_out(run: Run, _: pytest.MonkeyPatch) -> None:
    REDIS.failed(ConnectionError("Error 111 connecting to redis:6379."))


SITUATIONS: dict[Callable[[Run, pytest.MonkeyPatch], None], str] = {
    no_worker: NO_WORKER,
    runs_wait: "50 runs wait for a worker, the first for 30",
    runs_stuck: "1 runs have had no event for 10 minutes although a worker holds them.",
    schedules_late: "1 schedules are late: nightly.",
    messages: "1 messages about approvals were refused.",
    results: "1 results were not accepted by their callback.",
    disk_low: "The disk has 9 MiB left.",
    storage: "storage: The disk of the data folder is full.",
    migrations: f"migrations: The database was migrated by Signalbox {later(2)}",
    worker: "worker: no heartbeat for 95 seconds",
    notifications_out: "Notifications to other processes fail (ConnectionError: Error 111",
}


def test_page_readiness_metric_and_log_name_the_same_problem(
    site: Client,
    stranger: Client,
    waiting_run: Run,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for situation, sentence in SITUATIONS.items():
        kind = situation.__name__
        heartbeats.beat("a/b/1/2/3", runs=7, started_at=time.time())
        assert stranger.get("/readyz").json()["warnings"] == [], kind
        caplog.clear()
        with transaction.atomic(), monkeypatch.context() as patched:
            situation(waiting_run, patched)
            answer = stranger.get("/readyz")
            body = answer.json()
            told = [f"{name}: {text}" for name, text in body["checks"].items()] + body["warnings"]
            assert [text for text in told if text.startswith(sentence)], (kind, told)
            assert answer.status_code == (503 if sentence.startswith(f"{kind}:") else 200), kind
            assert sentence in unescape(site.get("/settings/status/").content.decode()), kind
            figures_page = site.get("/metrics").content.decode()
            assert value(figures_page, "signalbox_problems", kind=kind) == 1, kind
            assert sum(text.startswith(sentence) for text in caplog.messages) == 1, kind
            transaction.set_rollback(True)
        REDIS.ended()
        assert stranger.get("/readyz").json()["warnings"] == [], kind
        ended = (
            "Notifications to other processes work"
            if situation is notifications_out
            else f"No longer so: {sentence}"
        )
        assert [text for text in caplog.messages if text.startswith(ended)], kind


def test_a_lost_database_is_named_by_pages_the_api_metrics_and_the_log(
    site: Client,
    stranger: Client,
    waiting_run: Run,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.SIGNALBOX_METRICS_TOKEN = "a-token"
    sentence = "The database cannot be reached."

    def gone(*_: object) -> None:
        raise OperationalError("connection failed: Connection refused")

    with monkeypatch.context() as patched:
        patched.setattr(BaseDatabaseWrapper, "_cursor", gone)
        site.raise_request_exception = False
        for address in ("/", "/settings/status/", "/api/v1/packs/"):
            answer = site.get(address)
            assert (answer.status_code, sentence in answer.content.decode()) == (503, True)
        answer = stranger.get("/readyz")
        assert answer.json()["checks"]["database"] == "cannot be reached"
        page = stranger.get("/metrics", headers={"Authorization": "Bearer a-token"})
        assert value(page.content.decode(), "signalbox_problems", kind="database") == 1
    assert "database: cannot be reached" in caplog.messages


def test_the_status_page_and_the_metrics_have_the_figures(
    site: Client, stranger: Client, bob: User, waiting_run: Run
) -> None:
    Job.objects.update(due_at=time.time() - 3_000)
    assert f"/runs/{waiting_run.pk}/" in site.get("/settings/status/").content.decode()
    figures_page = site.get("/metrics").content.decode()
    assert value(figures_page, "signalbox_workers") == 1
    assert 3_000 <= value(figures_page, "signalbox_oldest_job_seconds") < 3_100
    assert value(figures_page, "signalbox_disk_free_bytes") > 0
    assert value(figures_page, "signalbox_database_bytes") > 0
    stranger.force_login(bob)
    assert stranger.get("/settings/status/").status_code == 403


def test_a_list_of_plugins_that_cannot_be_read_is_not_kept(
    stranger: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SIGNALBOX_WORKER = "none"
    monkeypatch.setattr(drivers, "drivers", cache(drivers.drivers.__wrapped__))
    monkeypatch.setattr(readiness, "drivers", drivers.drivers)
    with monkeypatch.context() as without_handles:

        def listdir(_: str) -> list[str]:
            raise OSError(24, "Too many open files")

        sys.path_importer_cache.pop(str(Path(drivers.__path__[0])), None)
        without_handles.setattr(os, "listdir", listdir)
        answer = stranger.get("/readyz")
        assert answer.status_code == 503
        assert "workflows.runner.drivers has no modules" in answer.json()["checks"]["plugins"]
        with pytest.raises(RuntimeError):  # The start of a server.
            readiness.load_plugins()
    assert stranger.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    ("heard", "status", "said"),
    [(None, 503, "not started"), (1.0, 200, "ok"), (95.0, 503, "no heartbeat for 95 seconds")],
    ids=["never", "lately", "long ago"],
)
def test_readiness_requires_a_heartbeat_of_the_embedded_worker(
    stranger: Client,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    heard: float | None,
    status: int,
    said: str,
) -> None:
    settings.SIGNALBOX_WORKER = "embedded"
    monkeypatch.setattr(readiness, "last_heartbeat", lambda: heard)
    answer = stranger.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["worker"]) == (status, said)


def test_missing_migrations_and_a_lost_database_are_reported(
    stranger: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SIGNALBOX_WORKER = "none"
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [1, 2])
    assert stranger.get("/readyz").json()["checks"]["migrations"] == "2 to be applied"

    def gone(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(MigrationExecutor, "migration_plan", gone)
    answer = stranger.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["database"] == "cannot be reached"


@pytest.mark.parametrize(
    ("writer", "status", "refusal"),
    [
        (later(1), 200, "ok"),
        (later(2), 503, f"Signalbox {later(2)}; this version ({version()}) does not know"),
        (version(), 503, "does not know workflows.9999_future"),
        ("", 503, "another version of Signalbox"),
    ],
    ids=["next minor", "two minors later", "another build", "not recorded"],
)
def test_a_database_of_a_later_version_is_ready_only_for_the_next_minor(
    stranger: Client, settings: Any, writer: str, status: int, refusal: str
) -> None:
    settings.SIGNALBOX_WORKER = "none"
    MigrationRecorder(connection).record_applied("workflows", "9999_future")
    Milestone.objects.all().delete()
    if writer:
        Milestone.objects.create(kind=Milestone.Kind.MIGRATION, version=writer, at=timezone.now())
    answer = stranger.get("/readyz")
    assert answer.status_code == status
    assert refusal in answer.json()["checks"]["migrations"]


def test_metrics_are_for_staff_and_for_requests_with_the_token(
    site: Client, stranger: Client, bob: User, settings: Any
) -> None:
    page = site.get("/metrics")
    assert page.status_code == 200
    assert f'signalbox_info{{version="{version()}"}} 1.0' in page.content.decode()
    assert stranger.get("/metrics").status_code == 401
    stranger.force_login(bob)
    assert stranger.get("/metrics").status_code == 401
    settings.SIGNALBOX_METRICS_TOKEN = "a-token"
    program = Client(HTTP_HOST="127.0.0.1")
    right, wrong = ({"Authorization": f"Bearer {one}"} for one in ("a-token", "other"))
    assert program.get("/metrics", headers=right).status_code == 200
    assert program.get("/metrics", headers=wrong).status_code == 401
    settings.SIGNALBOX_METRICS_TOKEN = "off"
    assert site.get("/metrics").status_code == 404


def test_runs_and_requests_are_counted(
    site: Client, django_capture_on_commit_callbacks: Any
) -> None:
    def page() -> str:
        return site.get("/metrics").content.decode()

    before = page()
    with django_capture_on_commit_callbacks(execute=True):
        run = runs.start(tiny_pack(TABLE), driver="manual", options={}, source="api")
    after = page()

    def more(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    assert more("signalbox_runs_started_total", driver="manual", source="api") == 1
    assert more("signalbox_steps_total") == 1
    assert more("signalbox_events_total") == run.last
    assert more("signalbox_runs", status="running") == 1
    assert more("signalbox_jobs_waiting") == 1
    assert more("signalbox_http_request_seconds_count", route="/metrics", status="200") >= 1
    assert value(after, "signalbox_oldest_job_seconds") >= 0


def test_calls_and_faults_are_counted_by_provider(site: Client) -> None:
    before = site.get("/metrics").content.decode()
    usage = {"input_tokens": 5, "output_tokens": 2, "cost": 0.25}
    asked = {"provider": "openai", "model": "gpt-7", "usage": usage}
    told = [
        ("model.replied", asked),
        ("model.replied", {**asked, "error": "No.", "usage": {}}),
        ("model.replied", {"usage": usage}),
        ("tool.returned", {"error": "No."}),
        ("command.finished", {"exit": 1}),
        ("run.paused", {"unanswered": "0:1"}),
        ("run.paused", {"reason": "asked to"}),
        ("run.finished", {"status": "failed"}),
    ]
    events = [Event(n=n, at=0.0, type=type, fields=fields) for n, (type, fields) in enumerate(told)]
    count(events, driver="rehearsal", source="person")
    after = site.get("/metrics").content.decode()

    def more(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    openai = {"provider": "openai", "model": "gpt-7"}
    assert more("signalbox_model_calls_total", **openai, outcome="ok") == 1
    assert more("signalbox_model_calls_total", **openai, outcome="failed") == 1
    assert more("signalbox_model_calls_total", provider="rehearsal", outcome="ok") == 1
    assert more("signalbox_model_tokens_total", **openai, direction="input") == 5
    assert more("signalbox_model_tokens_total", **openai, direction="output") == 2
    assert more("signalbox_model_cost_dollars_total", **openai) == 0.25
    assert more("signalbox_tool_calls_total", outcome="failed") == 1
    assert more("signalbox_commands_total", outcome="failed") == 1
    assert more("signalbox_faults_total") == 1
    assert more("signalbox_runs_finished_total", status="failed") == 1


def test_a_worker_serves_its_own_figures_and_health(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SIGNALBOX_METRICS_TOKEN = "a-token"

    def status(path: str, **headers: str) -> int:
        try:
            with urlopen(Request(f"http://127.0.0.1:{port}{path}", headers=headers)) as answer:
                expected = b"ok" if path == "/healthz" else b"signalbox_steps_total"
                assert expected in answer.read()
                return int(answer.status)
        except HTTPError as refused:
            refused.close()
            return refused.code

    with figures("0") as port:
        assert status("/metrics", Authorization="Bearer a-token") == 200
        assert status("/metrics") == 401
        assert status("/") == 404
        monkeypatch.setattr(periodic_tasks, "_heartbeat", None)
        assert status("/healthz") == 503
        monkeypatch.setattr(periodic_tasks, "_heartbeat", time.monotonic())
        assert status("/healthz") == 200
        settings.SIGNALBOX_METRICS_TOKEN = ""
        assert status("/metrics") == 200
        with pytest.raises(Trouble, match="cannot be listened on"), figures(f"127.0.0.1:{port}"):
            pass
    with pytest.raises(Trouble, match="neither a port"), figures("here"):
        pass


def test_the_settings_page_shows_the_retention(site: Client, settings: Any) -> None:
    assert "forever" in site.get("/settings/").content.decode()
    settings.SIGNALBOX_KEEP_DAYS, settings.SIGNALBOX_KEEP_FAILED_DAYS = 1, 90
    page = site.get("/settings/").content.decode()
    assert "1 day after their end, failed ones 90 days" in page
    assert "no run is old enough" in page


def test_a_worker_without_a_heartbeat_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periodic_tasks, "_heartbeat", None)
    assert periodic_tasks.last_heartbeat() is None
