"""Fixtures and options of every test: the corpus folder, and a count of the tests that are left
out."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.contenttypes.management import create_contenttypes
from django.core.cache import cache
from django.db.backends.base.introspection import BaseDatabaseIntrospection
from django.db.models import QuerySet
from django.db.models.signals import post_migrate
from whitenoise.middleware import WhiteNoiseMiddleware

from tests.support.corpus import CORPUS, FULL
from tests.support.first_database import copy_migrated_database
from workflows.core.dialects import dialects
from workflows.core.rules import check
from workflows.models import RepositoryTask
from workflows.runner import repository_tasks
from workflows.selectors import sources

SLOWEST = (
    "chaos/", "browser/test_repositories", "browser/test_typed_text", "browser/test_other_engines",
    "browser/test_agent_graph_run", "cli/test_backup", "real_work/", "attacks/test_costs", "fuzz/",
    "runner/",
)  # fmt: skip
"""Where the slowest tests are, slowest first: folders and modules."""
REASONS = {
    "slow": "slow (make test-all)",
    "quick": "parts of a slow test",
    "third_party": "need the third-party corpus (SIGNALBOX_CORPUS)",
    "postgresql": "need PostgreSQL",
    "sqlite": "need SQLite",
}
"""Marker → why tests with it are left out."""
LEFT_OUT = pytest.StashKey[Counter[str]]()
_skipped: list[str] = []
check.RAISE_BROKEN_RULES = True
# Commands of tests start programs of the checkout, which may be in a home.
os.environ.setdefault("SIGNALBOX_COMMAND_PATHS", str(Path(__file__).resolve().parents[1]))
settings.SIGNALBOX_COMMAND_PATHS = [Path(os.environ["SIGNALBOX_COMMAND_PATHS"])]
gc.set_threshold(50_000, 20, 50)
# The same examples each time and no time limit: a change is the only cause of a failure.
# `make fuzz` looks for new ones.
hypothesis.settings.register_profile("random", deadline=None, print_blob=True)
hypothesis.settings.load_profile("ci")
# Django would write the permissions of every model again after each test that empties the
# database. Nothing here reads them, and it takes most of the time of emptying it.
post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
post_migrate.disconnect(create_contenttypes)


KEPT_TABLES = {"django_content_type", "auth_permission"}
"""Tables that are not emptied between tests, because Django keeps the ids of content types."""
_table_names = BaseDatabaseIntrospection.django_table_names


def _emptied_tables(self: BaseDatabaseIntrospection, *args: Any, **options: Any) -> list[str]:
    return [name for name in _table_names(self, *args, **options) if name not in KEPT_TABLES]


BaseDatabaseIntrospection.django_table_names = _emptied_tables  # type: ignore[method-assign]

_static_files: dict[str, Any] = {}
_find_static_files = WhiteNoiseMiddleware.add_files_from_finders


def _shared_static_files(self: WhiteNoiseMiddleware) -> None:
    """The static files, found once for each process: every client of a test is a server of its
    own, which looks for them."""
    if not _static_files:
        _find_static_files(self)
        _static_files.update(self.files)
    self.files = _static_files


WhiteNoiseMiddleware.add_files_from_finders = _shared_static_files  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of packs: `SIGNALBOX_CORPUS`, or else `tests/corpus`."""
    return CORPUS


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A test database on file: an in-memory one takes the same time, and cannot be shared by
    threads that write."""
    default = settings.DATABASES["default"]
    if default["ENGINE"].endswith("sqlite3"):
        file = tmp_path_factory.mktemp("database") / "signalbox.sqlite3"
        copy_migrated_database(file)
        default.setdefault("TEST", {})["NAME"] = file


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Start with the tables that the file has."""
    return settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """The test database, with all content types."""
    from django.contrib.contenttypes.models import ContentType

    with django_db_blocker.unblock():
        ContentType.objects.get_for_models(*apps.get_models())


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Remove what a test leaves in the process: dialects of its own, and caches, because the
    database gives its ids to other rows again."""
    registered = dialects()
    before = dict(registered)
    yield
    if registered.keys() != before.keys():
        registered.clear()
        registered.update(before)
    sources.SHELF.clear()
    cache.clear()


@pytest.fixture(autouse=True)
def _tasks_in_request(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work on tasks of repositories in the thread of the test, which may be in a transaction that
    other threads do not see. Tests with the mark `threads` keep the threads."""
    if request.node.get_closest_marker("threads"):
        return

    def now(task: RepositoryTask) -> Future[None]:
        future: Future[None] = Future()
        try:
            repository_tasks.work(task)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(None)
        return future

    monkeypatch.setattr(repository_tasks, "in_background", now)


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


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEFT_OUT] = Counter()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot run here, and begin with the slowest modules.

    Beginning with them keeps one xdist worker from being alone with them at the end.
    """
    on_postgresql = "postgresql" in settings.DATABASES["default"]["ENGINE"]
    impossible = {"sqlite" if on_postgresql else "postgresql"}
    if not FULL:
        impossible.add("third_party")
    reasons = {item: next(filter(item.get_closest_marker, impossible), "") for item in items}
    left_out = [item for item, reason in reasons.items() if reason]
    if left_out:
        config.stash[LEFT_OUT] += Counter(reasons[item] for item in left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item, reason in reasons.items() if not reason]
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    name = item.nodeid.removeprefix("tests/")
    return next((n for n, slow in enumerate(SLOWEST) if name.startswith(slow)), len(SLOWEST))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what `-m "not slow"` or `-m "not quick"` leaves out."""
    for item in items:
        name = item.config.option.markexpr.removeprefix("not ")
        if name in ("quick", "slow") and item.get_closest_marker(name):
            item.config.stash[LEFT_OUT][name] += 1


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay until the end, so the collector need not scan them."""
    gc.collect()
    gc.freeze()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    excused = hasattr(report, "wasxfail") or "machine" in report.keywords
    if FULL and report.skipped and not excused:
        _skipped.append(report.nodeid)


def pytest_testnodedown(node: Any, error: object) -> None:
    """Every xdist worker collects all tests, so the count of one is the count of all."""
    counted = getattr(node, "workeroutput", {}).get("left_out", {})
    node.config.stash[LEFT_OUT] |= Counter(counted)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With the full corpus a skipped test is a failed one, so that none drops out unseen."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT_OUT])
    elif _skipped:
        print("\nSkipped although SIGNALBOX_CORPUS is set:", *_skipped, sep="\n  ")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    counted = config.stash[LEFT_OUT]
    if counted:
        told = ", ".join(f"{counted[name]} {REASONS[name]}" for name in REASONS if counted[name])
        terminalreporter.write_line(f"Left out: {told}")
