"""Cases of a pack, and recorded runs, against its newest revision."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from roles.request_user import request_user
from workflows.actions import cases as actions
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers import cases as shapes
from workflows.core.engine.run import FINISHED
from workflows.providers.recorded_costs import spent_by_state
from workflows.selectors import runs as read
from workflows.selectors.packs import pack_named
from workflows.selectors.verified_runs import recorded, verified

CASE = OpenApiParameter("case", str, OpenApiParameter.PATH, description="The path of its file.")


@operation(shapes.VerifiedRun(many=True), 422)
def packs_verified_runs(request: Request, id: int) -> Any:
    """The newest ended runs, replayed against the pack as it is now without a model. A run holds if
    the recorded answers lead along the same path; else its first divergence is named and drawn."""
    pack = pack_named(id)
    ended = read.runs(request_user(request), pack=str(id)).filter(status__in=FINISHED)
    return [one.to_json() for one in verified(pack, ended)[1]]


@operation(shapes.RecordedRun, 400, 422, request=shapes.RecordedFiles)
def packs_recorded_run(request: Request, id: int) -> Any:
    """A run that another runtime of the format has recorded, as events on the graph of the pack,
    with the tokens and the money of each state. Nothing is stored."""
    log, verdict = recorded(pack_named(id), checked(shapes.RecordedFiles, request)["files"])
    found = verdict.divergence
    return {
        "runtime": log[0].fields.get("driver", ""),
        "events": [event.to_json() for event in log],
        "holds": verdict.holds,
        "message": found.message if found else "",
        "states": [
            {"state": state, "calls": one.calls, "tokens": one.tokens, "money": one.money}
            for state, one in spent_by_state(log).items()
        ],
    }


@operation(shapes.Case(many=True), 422)
def packs_cases(request: Request, id: int) -> Any:
    """The cases of the pack, each replayed against the newest revision without a model."""
    return [one.to_json() for one in verified(pack_named(id))[0]]


@operation(shapes.Case, 400, 404, 422, status=201, request=shapes.NewCase)
def packs_case_keep(request: Request, id: int) -> Any:
    """Keep an ended run as a case: a file with its inputs, answers and expectations, in a new
    revision of the pack."""
    params = checked(shapes.NewCase, request)
    run = read.run_named(params["run"])
    return _case(id, actions.keep(id, run, params["name"], request_user(request)))


@operation(shapes.Case, 404, 422, parameters=[CASE], request=shapes.CaseName)
def packs_case_rename(request: Request, id: int, case: str) -> Any:
    """Rename a case and its file."""
    name = checked(shapes.CaseName, request)["name"]
    return _case(id, actions.rename(id, case, name, request_user(request)))


@operation(None, 404, status=204, parameters=[CASE])
def packs_case_delete(request: Request, id: int, case: str) -> Any:
    """Delete a case. Undo restores it."""
    actions.delete(id, case, request_user(request))
    return Response(status=204)


def _case(id: int, path: str) -> Any:
    cases, _ = verified(pack_named(id))
    return next(one.to_json() for one in cases if one.path == path)
