"""Health checks and metrics for operators."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from contextlib import suppress

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from workflows.selectors.metrics import Installation
from workflows.views.readiness import readiness


class _Problems(Collector):
    """The problems that `/readyz` reports, also while there is no database."""

    def collect(self) -> Iterable[Metric]:
        state = readiness()
        metric = GaugeMetricFamily(
            "signalbox_problems", "Problems that /readyz reports, by kind.", labels=["kind"]
        )
        for kind in state.problems | state.warnings:
            metric.add_metric([kind], 1)
        yield metric


_everybodys, _problems = CollectorRegistry(), CollectorRegistry()
_everybodys.register(Installation())
_problems.register(_Problems())


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
    state = readiness()
    body = {
        "status": "not ready" if state.problems else "ready",
        "checks": state.checks,
        "warnings": list(state.warnings.values()),
    }
    response = JsonResponse(body, status=503 if state.problems else 200)
    # Django would log every refused probe.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


@never_cache
@login_not_required
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus metrics of this process and of the installation, for staff and for requests with
    SIGNALBOX_METRICS_TOKEN as a bearer token. Without a database, those of this process."""
    if settings.SIGNALBOX_METRICS_TOKEN == "off":
        raise Http404
    if not _may_see(request):
        refused = HttpResponse("Sign in as staff, or send the token.\n", "text/plain", 401)
        refused["WWW-Authenticate"] = "Bearer"
        return refused
    shown = generate_latest(REGISTRY) + generate_latest(_problems)
    with suppress(DatabaseError):  # signalbox_problems has it.
        shown += generate_latest(_everybodys)
    return HttpResponse(shown, CONTENT_TYPE_LATEST)


def _may_see(request: HttpRequest) -> bool:
    token = settings.SIGNALBOX_METRICS_TOKEN
    scheme, _, sent_token = request.headers.get("Authorization", "").partition(" ")
    if token and scheme.lower() == "bearer":
        return hmac.compare_digest(sent_token.strip().encode(), token.encode())
    return bool(request.user.is_active and request.user.is_staff)
