"""Triggers: webhooks and schedules of a pack."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import triggers as actions
from workflows.api.operation import operation
from workflows.api.request_params import checked, needed
from workflows.api.serializers import triggers as shapes
from workflows.core.triggers.schedule import BadSchedule
from workflows.core.triggers.schedule import checked as checked_schedule
from workflows.models import Trigger as Row
from workflows.runner.webhooks import check_run_options, start_test_run
from workflows.selectors import triggers as read
from workflows.selectors.packs import pack_named


@operation(shapes.TriggerDescription(many=True))
def triggers_list(request: Request, id: int) -> Any:
    """List the triggers of a pack with their newest firings."""
    rows = read.triggers(pack_named(id), request_user(request))
    return [read.trigger_json(row) for row in rows]


@operation(shapes.FreshTrigger, 400, status=201, request=shapes.NewTrigger)
def triggers_create(request: Request, id: int) -> Any:
    """Create a webhook or a schedule. The answer has the webhook's secret, once."""
    params = checked(shapes.NewTrigger, request)
    pack = pack_named(id)
    check_run_options(
        pack,
        params["driver"],
        params.get("options") or {},
        request_user(request),
        params.get("takes") or {},
    )
    row, secret = actions.create(pack, by=request_user(request), **params)
    return _fresh(row, secret)


@operation(shapes.TriggerDescription)
def triggers_read(request: Request, id: int) -> Any:
    """Read a trigger with its newest firings. Its secret is never returned."""
    return read.trigger_json(read.trigger_numbered(id))


@operation(shapes.TriggerDescription, 400, request=shapes.TriggerChange)
def triggers_change(request: Request, id: int) -> Any:
    """Change a trigger. Fields that are left out stay."""
    params = checked(shapes.TriggerChange, request)
    now = read.trigger_numbered(id)
    if params.keys() & {"driver", "options", "takes"}:
        options, takes = params.get("options", now.options), params.get("takes", now.takes)
        driver = params.get("driver", now.driver)
        check_run_options(now.pack, driver, options, now.owner, takes)
    actions.change(id, by=request_user(request), **params)
    return read.trigger_json(read.trigger_numbered(id))


@operation(None, status=204)
def triggers_delete(request: Request, id: int) -> None:
    """Delete a trigger. Its runs stay."""
    actions.delete(id)


@operation(shapes.FreshTrigger, 400, request=None)
def triggers_secret(request: Request, id: int) -> Any:
    """Replace the secret of a webhook; the old one is invalid at once."""
    row, secret = actions.new_secret(id)
    return _fresh(row, secret)


@operation(shapes.Delivered, 409, 422, status=201, request=shapes.Trial)
def triggers_try(request: Request, id: int) -> Any:
    """Start a run as if this body had arrived, or the schedule were due."""
    params = checked(shapes.Trial, request)
    fired = start_test_run(read.trigger_numbered(id), params.get("body", "").encode())
    return {"run": fired.run, "repeated": fired.repeated}


@operation(
    shapes.DueTimes,
    parameters=[
        OpenApiParameter("cron", str, required=True),
        OpenApiParameter("timezone", str),
    ],
)
def schedule_preview(request: Request) -> Any:
    """Next times of a schedule, or its error. An error is no failure, because the schedule is still
    being typed."""
    zone = request.query_params.get("timezone", "")
    try:
        cron = checked_schedule(needed(request, "cron"), zone)
    except BadSchedule as error:
        return {"next": [], "problem": str(error)}
    return {"next": read.preview(cron, zone), "problem": ""}


def _fresh(row: Row, secret: str) -> dict[str, Any]:
    return {**read.trigger_json(row), "secret": secret}
