"""Readiness of this server, and problems of the whole installation.

`/readyz`, `/metrics`, the status page and the log all have it from here, so they agree.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError

from workflows.core.dialects import dialects
from workflows.db.migrations import migration_state
from workflows.db.storage import storage_check
from workflows.repos.forges import forges
from workflows.runner.drivers import drivers
from workflows.runner.periodic_tasks import last_heartbeat
from workflows.runner.tools import tools
from workflows.selectors.status import status
from workflows.telemetry.outages import ongoing
from workflows.views.bounded_check import BoundedCheck

SILENT = 30.0
"""Seconds without a heartbeat of the embedded worker after which the server is not ready."""
DATABASE_SECONDS = 1.5
"""Time that the database and the disk have to answer."""
CHECK_INTERVAL = 5.0
"""Seconds between the checks of a server at work."""
UNKNOWN = "not known"
"""The result of a check that depends on another one, which fails."""
log = logging.getLogger(__name__)
_lock = threading.Lock()
_reported: dict[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """`checks`: name → `ok` or the reason why this server is not ready. `warnings`: kind → a
    message about the whole installation."""

    checks: dict[str, str]
    warnings: dict[str, str]

    @property
    def problems(self) -> dict[str, str]:
        """The checks that fail: name → a sentence."""
        fine = ("ok", UNKNOWN)
        return {name: f"{name}: {text}" for name, text in self.checks.items() if text not in fine}


def readiness() -> Readiness:
    """The state now, within two seconds. The log has one line for the begin of each problem and
    one for its end."""
    checks: dict[str, str] = {}
    answer = _database_check.result(DATABASE_SECONDS)
    if answer is None:
        silent = f"does not answer within {DATABASE_SECONDS:g} seconds"
        checks |= {"database": silent, "migrations": UNKNOWN}
        warnings = ongoing()
    else:
        stored, warnings = answer
        checks |= stored
    checks["plugins"] = _plugins()
    if settings.SIGNALBOX_WORKER == "embedded":
        checks["worker"] = worker_check()
    state = Readiness(checks=checks, warnings=warnings)
    _report(state)
    return state


async def watch_readiness() -> None:
    """Check every few seconds until cancelled, so that the log has problems without requests."""
    while True:
        await asyncio.sleep(CHECK_INTERVAL)
        try:
            await asyncio.to_thread(readiness)
        except Exception:
            log.exception("A check of readiness failed")


def _report(state: Readiness) -> None:
    problems = state.problems | state.warnings
    for kind in ongoing():  # An outage is in the log already.
        problems.pop(kind, None)
    with _lock:
        if "database" in problems:  # It is unknown which others have ended.
            problems = _reported | problems
        begun = [text for kind, text in problems.items() if kind not in _reported]
        ended = [text for kind, text in _reported.items() if kind not in problems]
        _reported.clear()
        _reported.update(problems)
    for text in begun:
        log.error("%s", text)
    for text in ended:
        log.warning("No longer so: %s", text)


def _check_database() -> tuple[dict[str, str], dict[str, str]]:
    """The checks that use the database or the disk, and the warnings of the status page."""
    checks = {"database": "ok", "migrations": "ok"}
    warnings = ongoing()
    try:
        state = migration_state()
        if state.refusal:
            checks["migrations"] = state.refusal
        elif state.missing:
            checks["migrations"] = f"{state.missing} to be applied"
        else:
            warnings = status().warnings
    except DatabaseError:
        checks |= {"database": "cannot be reached", "migrations": UNKNOWN}
        return checks, warnings
    storage = storage_check()
    if storage != "ok":
        checks["storage"] = storage
    return checks, warnings


_database_check = BoundedCheck(lambda: _check_database())


def load_plugins() -> None:
    """Import dialects, drivers, tools and forges. Raises OSError, ImportError and RuntimeError."""
    for registry in (dialects, drivers, tools, forges):
        registry()


def _plugins() -> str:
    try:
        load_plugins()
    except (OSError, ImportError, RuntimeError) as error:
        return str(error)
    return "ok"


def worker_check() -> str:
    """`ok`, or the reason why the worker of this process is not at work."""
    silent = last_heartbeat()
    if silent is None:
        return "not started"
    return "ok" if silent < SILENT else f"no heartbeat for {silent:.0f} seconds"
