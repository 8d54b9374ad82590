"""Health checks and metrics for operators."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest

from workflows.core.dialects import dialects
from workflows.db.storage import storage_check
from workflows.repos.forges import forges
from workflows.runner.drivers import drivers
from workflows.runner.periodic_tasks import last_heartbeat
from workflows.runner.tools import tools
from workflows.selectors.metrics import Installation

SILENT = 30.0
"""Seconds without a heartbeat of the embedded worker after which the server is not ready."""
_everybodys = CollectorRegistry()
_everybodys.register(Installation())


@login_not_required
@require_GET
def healthz(request: HttpRequest) -> JsonResponse:
    """Liveness: the server answers and its database is reachable."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return JsonResponse({"status": "ok"})


@never_cache
@login_not_required
@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """Readiness: 200, or 503 with what is missing."""
    checks = _checks()
    ready = all(status == "ok" for status in checks.values())
    body = {"status": "ready" if ready else "not ready", "checks": checks}
    return JsonResponse(body, status=200 if ready else 503)


def _checks() -> dict[str, str]:
    checks = {"database": "ok", "migrations": "ok"}
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if missing:
            checks["migrations"] = f"{len(missing)} to be applied"
    except DatabaseError:
        checks |= {"database": "cannot be reached", "migrations": "not known"}
    checks["plugins"] = _plugins()
    if settings.SIGNALBOX_WORKER == "embedded":
        checks["worker"] = _worker()
    storage = storage_check()
    if storage != "ok":
        checks["storage"] = storage
    return checks


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
