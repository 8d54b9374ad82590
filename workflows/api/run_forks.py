"""Scripts, forks and comparisons of runs."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from roles.request_user import request_user
from workflows.actions.forks import fork
from workflows.actions.retention import keep_for_script
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.runs import OPTIONS, check_who_answers
from workflows.api.serializers.run_forks import Forked, NewFork, RunComparison
from workflows.core.engine.replay.recording import script_of
from workflows.selectors import runs as read
from workflows.selectors.comparisons import compared, comparison_json


@operation(OpenApiTypes.OBJECT)
def runs_script(request: Request, id: str) -> Any:
    """The run as a script: `signalbox run PACK --script FILE` repeats it."""
    run = read.run_named(id)
    keep_for_script(run.pk)
    name = f'attachment; filename="run-{str(run.pk)[:8]}.script.json"'
    return Response(script_of(read.log(run)), headers={"Content-Disposition": name})


@operation(Forked, 422, status=201, request=NewFork)
def runs_fork(request: Request, id: str) -> Any:
    """Start a new run with the first events of this one. `at` in the answer is the event it begins
    after: the requested one, or the nearest earlier one with no step in progress."""
    params = checked(NewFork, request)
    old = read.run_named(id)
    options: dict[str, Any] = {name: params[name] for name in OPTIONS if name in params}
    driver = params.get("driver") or old.driver
    all_options = {**old.options, **options, "driver": driver}
    check_who_answers(all_options, old.pack, request_user(request))
    forked = fork(
        old.pk,
        params["at"],
        driver=driver,
        revision=params.get("revision"),
        options=options,
        owner=request_user(request),
        source="api" if request.auth else "person",
    )
    run = read.run_json(read.run_named(forked.row.pk))
    return {"at": forked.at, "run": run}


@operation(RunComparison, 400)
def runs_compare(request: Request, id: str, other: str) -> Any:
    """Compare two runs of one pack: the n-th visit of a state with the n-th visit in the other run,
    and the first event at which they diverge."""
    left, right = read.run_named(id), read.run_named(other)
    return comparison_json(compared(left, right), left, right)
