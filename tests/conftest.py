"""What every test may use: the corpus folder, and the promise that nothing is skipped unseen."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db.models import QuerySet

from workflows.core.rules import check

CORPUS = os.environ.get("SIGNALBOX_CORPUS")
SLOW = {"fuzz", "chaos", "runner"}
_skipped: list[str] = []
check.RAISE_BROKEN_RULES = True
gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of third-party packs. Without SIGNALBOX_CORPUS the test is skipped."""
    if not CORPUS:
        pytest.skip("SIGNALBOX_CORPUS names no folder of third-party packs")
    return Path(CORPUS)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A test database on file: an in-memory one cannot be shared by threads that write."""
    default = settings.DATABASES["default"]
    if default["ENGINE"].endswith("sqlite3"):
        folder = tmp_path_factory.mktemp("database")
        default.setdefault("TEST", {})["NAME"] = folder / "signalbox.sqlite3"


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the models that `select_for_update` is called on, in order. SQLite has no row locks,
    so tests check that the lock is requested, not how two transactions interact."""
    names: list[str] = []
    real = QuerySet.select_for_update

    def select_for_update(rows: QuerySet[Any], *args: Any, **options: Any) -> QuerySet[Any]:
        names.append(rows.model.__name__)
        return real(rows, *args, **options)

    monkeypatch.setattr(QuerySet, "select_for_update", select_for_update)
    return names


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slowest folders first: no worker is left alone with them at the end."""
    items.sort(key=lambda item: item.path.parent.name not in SLOW)


def pytest_collection_finish() -> None:
    """Ten thousand tests stay until the end: looking through them all the time finds nothing."""
    gc.collect()
    gc.freeze()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if CORPUS and report.skipped and not hasattr(report, "wasxfail"):
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where the corpus stands, a skipped test is a failed one: nothing may drop out unseen."""
    if _skipped and not hasattr(session.config, "workerinput"):
        print("\nSkipped although SIGNALBOX_CORPUS is set:", *_skipped, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
