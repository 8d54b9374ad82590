"""Health checks and metrics for operators."""

from __future__ import annotations

import hmac
import logging

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest

from workflows.core.dialects import dialects
from workflows.db.migrations import migration_state
from workflows.db.storage import storage_check
from workflows.repos.forges import forges
from workflows.runner.drivers import drivers
from workflows.runner.periodic_tasks import last_heartbeat
from workflows.runner.tools import tools
from workflows.selectors.metrics import Installation
from workflows.selectors.status import status
from workflows.telemetry.outages import Outage
from workflows.views.bounded_check import BoundedCheck

SILENT = 30.0
"""Seconds without a heartbeat of the embedded worker after which the server is not ready."""
DATABASE_SECONDS = 1.5
"""Time that the database and the disk have to answer."""
log = logging.getLogger(__name__)
_outage = Outage("Checks of /readyz", log)
_everybodys = CollectorRegistry()
_everybodys.register(Installation())


@login_not_required
@require_GET
def healthz(request: HttpRequest) -> JsonResponse:
    """Liveness: the server answers. The database is not queried, because a restart of the server
    does not restore it."""
    return JsonResponse({"status": "ok"})


@never_cache
@login_not_required
@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """Readiness: 200, or 503 with the reason. Warnings concern the whole installation, so another
    server would have them too."""
    checks: dict[str, str] = {}
    warnings: list[str] = []
    answer = _database_check.result(DATABASE_SECONDS)
    if answer is None:
        silent = f"does not answer within {DATABASE_SECONDS:g} seconds"
        checks |= {"database": silent, "migrations": "not known"}
    else:
        stored, warnings = answer
        checks |= stored
    checks["plugins"] = _plugins()
    if settings.SIGNALBOX_WORKER == "embedded":
        checks["worker"] = _worker()
    problems = [f"{name}: {check}" for name, check in checks.items() if check != "ok"]
    if problems:
        _outage.failed("; ".join(problems))
    else:
        _outage.ended()
    body = {
        "status": "not ready" if problems else "ready",
        "checks": checks,
        "warnings": warnings,
    }
    response = JsonResponse(body, status=503 if problems else 200)
    # Django would log every refused probe.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _check_database() -> tuple[dict[str, str], list[str]]:
    """The checks that use the database or the disk, and the warnings of the status page."""
    checks = {"database": "ok", "migrations": "ok"}
    warnings: list[str] = []
    try:
        state = migration_state()
        if state.refusal:
            checks["migrations"] = state.refusal
        elif state.missing:
            checks["migrations"] = f"{state.missing} to be applied"
        else:
            warnings = status().warnings
    except DatabaseError:
        checks |= {"database": "cannot be reached", "migrations": "not known"}
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


def _worker() -> str:
    silent = last_heartbeat()
    if silent is None:
        return "not started"
    return "ok" if silent < SILENT else f"no heartbeat for {silent:.0f} seconds"


@never_cache
@login_not_required
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus metrics of this process and of the installation, for staff and for requests with
    SIGNALBOX_METRICS_TOKEN as a bearer token."""
    if settings.SIGNALBOX_METRICS_TOKEN == "off":
        raise Http404
    if not _may_see(request):
        refused = HttpResponse("Sign in as staff, or send the token.\n", "text/plain", 401)
        refused["WWW-Authenticate"] = "Bearer"
        return refused
    shown = generate_latest(REGISTRY) + generate_latest(_everybodys)
    return HttpResponse(shown, CONTENT_TYPE_LATEST)


def _may_see(request: HttpRequest) -> bool:
    token = settings.SIGNALBOX_METRICS_TOKEN
    scheme, _, sent_token = request.headers.get("Authorization", "").partition(" ")
    if token and scheme.lower() == "bearer":
        return hmac.compare_digest(sent_token.strip().encode(), token.encode())
    return bool(request.user.is_active and request.user.is_staff)
