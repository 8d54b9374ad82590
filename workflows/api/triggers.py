"""Triggers: webhooks and schedules of a pack."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import triggers as actions
from workflows.api import serializers as common
from workflows.api.request_params import checked, needed
from workflows.api.serializers import triggers as shapes
from workflows.core.triggers.schedule import BadSchedule
from workflows.core.triggers.schedule import checked as checked_schedule
from workflows.models import Trigger as Row
from workflows.runner.webhooks import check_run_options, start_test_run
from workflows.selectors import triggers as read
from workflows.selectors.packs import pack_named


class Triggers(APIView):
    """The triggers of one pack."""

    @extend_schema(operation_id="triggers_list", responses=shapes.TriggerDescription(many=True))
    def get(self, request: Request, id: int) -> Response:
        """List the triggers of a pack with their newest firings."""
        rows = read.triggers(pack_named(id), request_user(request))
        return Response([read.trigger_json(row) for row in rows])

    @extend_schema(
        operation_id="triggers_create",
        request=shapes.NewTrigger,
        responses={201: shapes.FreshTrigger, 400: common.Error},
    )
    def post(self, request: Request, id: int) -> Response:
        """Create a webhook or a schedule. The answer has the webhook's secret, once."""
        params = checked(shapes.NewTrigger, request)
        pack = pack_named(id)
        check_run_options(
            pack, params["driver"], params.get("options") or {}, request_user(request)
        )
        row, secret = actions.create(pack, by=request_user(request), **params)
        return Response(_fresh(row, secret), status=201)


class Trigger(APIView):
    """One trigger. Its secret is never returned."""

    @extend_schema(operation_id="triggers_read", responses=shapes.TriggerDescription)
    def get(self, request: Request, id: int) -> Response:
        """Read a trigger with its newest firings. Its secret is never returned."""
        return Response(read.trigger_json(read.trigger_numbered(id)))

    @extend_schema(
        operation_id="triggers_change",
        request=shapes.TriggerChange,
        responses={200: shapes.TriggerDescription, 400: common.Error},
    )
    def patch(self, request: Request, id: int) -> Response:
        """Change a trigger. Fields that are left out stay."""
        params = checked(shapes.TriggerChange, request)
        now = read.trigger_numbered(id)
        if "driver" in params or "options" in params:
            options = params.get("options", now.options)
            check_run_options(now.pack, params.get("driver", now.driver), options, now.owner)
        actions.change(id, by=request_user(request), **params)
        return Response(read.trigger_json(read.trigger_numbered(id)))

    @extend_schema(operation_id="triggers_delete", responses={204: None})
    def delete(self, request: Request, id: int) -> Response:
        """Delete a trigger. Its runs stay."""
        actions.delete(id)
        return Response(status=204)


class TriggerSecret(APIView):
    """Replace the secret of a webhook; the old one is invalid at once."""

    @extend_schema(
        operation_id="triggers_secret",
        request=None,
        responses={200: shapes.FreshTrigger, 400: common.Error},
    )
    def post(self, request: Request, id: int) -> Response:
        row, secret = actions.new_secret(id)
        return Response(_fresh(row, secret))


class TriggerTrial(APIView):
    """Start a run as if this body had arrived, or the schedule were due."""

    @extend_schema(
        operation_id="triggers_try",
        request=shapes.Trial,
        responses={201: shapes.Delivered, 409: common.Error, 422: common.Error},
    )
    def post(self, request: Request, id: int) -> Response:
        params = checked(shapes.Trial, request)
        fired = start_test_run(read.trigger_numbered(id), params.get("body", "").encode())
        return Response({"run": fired.run, "repeated": fired.repeated}, status=201)


class DueTimes(APIView):
    """Next times of a schedule, or its error. An error is no failure, because the schedule is still
    being typed."""

    @extend_schema(
        operation_id="schedule_preview",
        parameters=[
            OpenApiParameter("cron", str, required=True),
            OpenApiParameter("timezone", str),
        ],
        responses=shapes.DueTimes,
    )
    def get(self, request: Request) -> Response:
        zone = request.query_params.get("timezone", "")
        try:
            cron = checked_schedule(needed(request, "cron"), zone)
        except BadSchedule as error:
            return Response({"next": [], "problem": str(error)})
        return Response({"next": read.preview(cron, zone), "problem": ""})


def _fresh(row: Row, secret: str) -> dict[str, Any]:
    return {**read.trigger_json(row), "secret": secret}
