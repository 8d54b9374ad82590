"""Approvals of all runs: list and answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from roles.request_user import request_user
from roles.rows import found
from workflows.actions.approval_answers import GIVEN, answer
from workflows.actions.approval_notices import pass_on
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.request_params import PAGE, checked, paged
from workflows.api.run_signals import tool_calls_of
from workflows.errors import BadRequest, NotThere
from workflows.models import Approval as Row
from workflows.selectors import approvals as read


@operation(
    shapes.ApprovalPage,
    parameters=[
        OpenApiParameter("status", enum=Row.Status.values),
        OpenApiParameter("pack", int),
        OpenApiParameter("run", str),
        OpenApiParameter("q", str),
        *PAGE,
    ],
)
def approvals_list(request: Request) -> Any:
    """Questions of runs to people, open ones oldest first."""
    query = {name: request.query_params.get(name, "") for name in ("status", "pack", "run", "q")}
    if query["status"] and query["status"] not in Row.Status.values:
        statuses = ", ".join(Row.Status.values)
        raise BadRequest(f"`status` is one of {statuses}.", where="status")
    rows = read.approvals(request_user(request), **query)
    return paged(request, rows, lambda page: map(read.approval_json, page))


@operation(shapes.Approval)
def approvals_read(request: Request, id: str) -> Any:
    """One question of a run."""
    return _described(request, id)


@operation(shapes.Approval, 409, request=shapes.NewAnswer)
def approvals_answer(request: Request, id: str) -> Any:
    """Approve, deny with a reason, approve with changes, or report a result. 409 if another
    person was first."""
    params = checked(shapes.NewAnswer, request)
    answer(
        id,
        approve=params["approve"],
        reason=params["reason"],
        event=params["event"],
        edited={GIVEN: params["edited"]} if "edited" in params else None,
        tool_calls=tool_calls_of(params),
        rest=params["rest"],
        by=request_user(request).get_username(),
    )
    return _described(request, id)


@operation(shapes.Approval, 400, request=shapes.NewAssignee)
def approvals_pass(request: Request, id: str) -> Any:
    """Ask another person to answer, who then gets the messages about it. Everyone with the right
    may still answer."""
    params = checked(shapes.NewAssignee, request)
    row = found(
        Row.objects.filter(pk=id),
        NotThere("No approval has this id.", hint="Its run may have been deleted."),
    )
    pass_on(row, params["person"].strip())
    return _described(request, id)


def _described(request: Request, id: str) -> dict[str, object]:
    row = found(
        read.approvals(request_user(request)).filter(pk=id),
        NotThere("No approval has this id.", hint="Its run may have been deleted."),
    )
    return read.approval_json(row)
