"""One action on several runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rest_framework import serializers as s
from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions.bulk_runs import act_on_runs
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers.runs import BulkOutcome, BulkRuns


@operation(s.ListSerializer(child=BulkOutcome()), request=BulkRuns)
def runs_bulk(request: Request) -> Any:
    """Cancel or retry up to 200 runs. Each has an outcome of its own: a refusal of one does not
    stop the others."""
    params = checked(BulkRuns, request)
    source = "api" if request.auth else "person"
    done = act_on_runs(params["action"], params["runs"], request_user(request), source)
    return [asdict(one) for one in done]
