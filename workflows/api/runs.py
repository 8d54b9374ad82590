"""Runs: start and watch. And rehearsals of a pack, which store nothing."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response

from roles.request_user import request_user
from workflows.actions import runs as actions
from workflows.actions.idempotent_start import start_once
from workflows.actions.run_marks import change_marks, clean_tags, set_tags
from workflows.api import serializers as shapes
from workflows.api.compression import COMPRESSED
from workflows.api.operation import operation
from workflows.api.request_params import PAGE, checked, number_in, paged
from workflows.api.serializers.runs import CostSum, RunChange, StartedRun
from workflows.api.serializers.runs import RunResult as RunResultShape
from workflows.core.engine.replay.script_file import read_script
from workflows.core.engine.run import RunState
from workflows.errors import BadRequest
from workflows.models import Pack, Run
from workflows.opened_packs.rehearsals import rehearsed_json
from workflows.repos.local_repositories import chosen_workspace
from workflows.runner.drivers import drivers
from workflows.runner.run_end import wait_until_settled
from workflows.runner.tools import check_overrides
from workflows.selectors import packs as packs_read
from workflows.selectors import runs as read
from workflows.selectors.event_texts import event_texts
from workflows.selectors.known_tools import known_tools
from workflows.selectors.model_choices import connection_for
from workflows.selectors.run_artifacts import LOGGED, artifacts, logged
from workflows.selectors.run_lists import COLUMNS, GROUPS, LIMITS, costs
from workflows.selectors.run_results import result_json
from workflows.selectors.run_waits import wait_of
from workflows.selectors.sources import dialect_named, view

OPTIONS = (
    "inputs",
    "seed",
    "script",
    "connection",
    "model",
    "mode",
    "budget",
    "delay_ms",
    "paused",
    "commands",
    "allowed_tools",
    "deny",
    "breakpoints",
    "tools",
    "workspace",
    "started_by",
    "approval_limit",
)
MOST_EVENTS = 5000
MOST_WAIT_MS = 1000
FIRST_EVENTS = 1000
"""Events that the answer to a start has at most."""
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="A repeated request of the same user with the same key and body is answered with"
    " the run that the first one started. At most 200 characters.",
)
WAIT = OpenApiParameter(
    "wait_ms",
    int,
    description="Milliseconds that the answer may wait for the run to end or to need an answer,"
    " at most 1,000. Default: 0. The answer has the events so far.",
)

LISTED = (
    OpenApiParameter(
        "sort",
        str,
        enum=[f"{down}{name}" for name in COLUMNS for down in ("", "-")],
        description="Column of the list, with - for the largest first. Default: -started.",
    ),
    OpenApiParameter("cost_from", float, description="Runs that cost at least this, in USD."),
    OpenApiParameter("tokens_from", float, description="Runs that used at least as many tokens."),
    OpenApiParameter("seconds_from", float, description="Ended runs that took at least as long."),
    OpenApiParameter("tag", str, description="Runs with this tag."),
    OpenApiParameter("end", str, description="Runs that ended in this state."),
    OpenApiParameter("reason", str, description="Runs with this text in the reason of their end."),
    OpenApiParameter("score_from", float, description="Runs with a mean score of at least this."),
)


@operation(
    s.ListSerializer(child=CostSum()),
    400,
    parameters=[
        OpenApiParameter("by", str, enum=[*GROUPS], required=True),
        OpenApiParameter("pack", int),
    ],
)
def runs_costs(request: Request) -> Any:
    """Tokens and cost of the runs that a user may see and of their trials, summed by pack, person
    or day of their start."""
    query = request.query_params
    rows = read.runs(request_user(request), pack=query.get("pack", ""))
    return costs(rows, query.get("by", ""))


@operation(
    shapes.RunPage,
    parameters=[
        OpenApiParameter("pack", int),
        OpenApiParameter("status", str),
        OpenApiParameter("driver", str),
        OpenApiParameter("source", str),
        OpenApiParameter("q", str),
        *LISTED,
        *PAGE,
    ],
)
def runs_list(request: Request) -> Any:
    """List the runs that the caller can see, newest first."""
    query = request.query_params
    rows = read.runs(
        request_user(request),
        pack=query.get("pack", ""),
        status=query.get("status", ""),
        driver=query.get("driver", ""),
        source=query.get("source", ""),
        q=query.get("q", ""),
        tag=query.get("tag", ""),
        end=query.get("end", ""),
        reason=query.get("reason", ""),
        score_from=query.get("score_from", ""),
        sort=query.get("sort", ""),
        **{name: query.get(name, "") for name in LIMITS},
    )
    return paged(request, rows, read.runs_json)


@operation(
    StartedRun,
    404,
    422,
    status=201,
    also={200: OpenApiResponse(StartedRun, "The run that this key had begun.")},
    request=shapes.NewRun,
    parameters=[KEY, WAIT],
)
def runs_start(request: Request) -> Any:
    """Start a run of a pack. A repeated `Idempotency-Key` returns the first run."""
    params = checked(shapes.NewRun, request)
    wait = number_in(request, "wait_ms", 0) or 0
    key = request.headers.get("Idempotency-Key", "").strip()
    run, fresh = start_requested(request, params, key=key)
    if wait:
        wait_until_settled(run.pk, min(wait, MOST_WAIT_MS) / 1000)
    answer = read.started_json(read.run_named(run.pk), FIRST_EVENTS)
    return Response(answer, status=201 if fresh else 200)


def start_requested(request: Request, params: dict[str, Any], *, key: str) -> tuple[Run, bool]:
    """The run that `params`, a valid NewRun, starts under this key, and whether it is new. Raises
    as `start_once` and `check_who_answers` do."""
    owner = request_user(request)
    pack = packs_read.pack_named(params["pack"])
    check_who_answers(params, pack, owner)
    if "workspace" in params:
        params["workspace"] = chosen_workspace(**params["workspace"])
    tags = clean_tags(params.get("tags", ()))
    run, fresh = start_once(
        pack,
        key=key,
        revision=params.get("revision"),
        driver=params["driver"],
        options={name: params[name] for name in OPTIONS if name in params},
        owner=owner,
        profile=params.get("profile", ""),
        source="api" if request.auth else "person",
    )
    if tags and fresh:
        set_tags(run, tags)
    return run, fresh


@operation(shapes.RunDescription)
def runs_read(request: Request, id: str) -> Any:
    """One run."""
    return read.run_json(read.run_named(id))


@operation(shapes.RunDescription, 400, request=RunChange)
def runs_keep(request: Request, id: str) -> Any:
    """Change what people put on the run: keep it from pruning, tags, note, score."""
    params = checked(RunChange, request)
    if not params:
        raise BadRequest("Name a change: `kept`, `tags`, `note` or `score`.")
    change_marks(read.run_named(id), request_user(request), params)
    return read.run_json(read.run_named(id))


@operation(
    shapes.Events,
    parameters=[
        OpenApiParameter("after", int, description="Events with a larger number only."),
        OpenApiParameter(
            "limit", int, description=f"Maximum number of events, up to {MOST_EVENTS}."
        ),
        OpenApiParameter(
            "search",
            str,
            description="Text in the type or anywhere in the fields, which are searched as "
            "compact JSON. Upper and lower case are the same.",
        ),
        OpenApiParameter("type", str, description="Events of this type only."),
        OpenApiParameter(
            "state",
            str,
            description="Events about this state only: whose `state`, `source` or `target` it is.",
        ),
    ],
    view=COMPRESSED,
)
def runs_events(request: Request, id: str) -> Any:
    """Events of the log after a number, or those that match a search. The next page of a search
    begins after the last event of this one."""
    run = read.run_named(id)
    after = number_in(request, "after", 0) or 0
    limit = min(number_in(request, "limit", 1000) or 1000, MOST_EVENTS)
    filters = {name: request.query_params.get(name, "") for name in ("search", "type", "state")}
    end = {"last": run.last, "status": run.status}
    if any(filters.values()):
        events = read.search_events(run, **filters, after=after, limit=limit)
        return {"events": events, **end}
    texts = ",".join(text for _, text in event_texts(run.pk, after, limit))
    body = f'{{"events":[{texts}],{json.dumps(end)[1:]}'
    return HttpResponse(body, content_type="application/json")


@operation(
    shapes.ArtifactValue(many=True),
    parameters=[
        OpenApiParameter(
            "type",
            enum=[*LOGGED],
            description="List the prompts, the blocks of prompts, or the diffs of calls.",
        ),
        OpenApiParameter("after", int, description="Number of the last event already read."),
        OpenApiParameter(
            "limit",
            int,
            description=f"Artifacts after which the list ends, up to {MOST_EVENTS}.",
        ),
    ],
)
def runs_artifacts(request: Request, id: str) -> Any:
    """The newest value of every artifact, or the artifacts of one type in the run's log."""
    run, type = read.run_named(id), request.query_params.get("type", "")
    if not type:
        return artifacts(run)
    if type not in LOGGED:
        raise BadRequest(f"`type` is one of {', '.join(LOGGED)}.", where="type")
    after = number_in(request, "after", 0) or 0
    limit = min(number_in(request, "limit", 100) or 100, MOST_EVENTS)
    return logged(run, type, after=after, limit=limit)


@operation(RunResultShape, view=COMPRESSED)
def runs_result(request: Request, id: str) -> Any:
    """The run's answer, artifacts and files, the end that it reached, and its totals. A run
    that has not ended has the result so far."""
    run = read.run_named(id)
    return result_json(run, actions.work_of(run.pk).run)


@operation(s.ListSerializer(child=shapes.Pending()))
def runs_pending(request: Request, id: str) -> Any:
    """Pending effects that a person can answer now."""
    run = read.run_named(id)
    return pending_json(actions.work_of(run.pk).run)


@operation(shapes.RunWait)
def runs_wait(request: Request, id: str) -> Any:
    """The reason why a run does not move: it waits for a worker, a person, or an answer."""
    run = read.run_named(id)
    return wait_of(run, actions.work_of(run.pk).run)


def pending_json(run: RunState) -> list[dict[str, Any]]:
    """Pending effects. `blocked_reason`: why nothing performs one here; `can_allow`:
    approving performs it."""
    return [
        {
            **effect,
            "blocked_reason": run.left_reasons.get(key, ""),
            "can_allow": key in run.can_allow,
        }
        for key, effect in run.pending.items()
    ]


def check_who_answers(params: dict[str, Any], pack: Pack, person: User) -> None:
    """Raise BadRequest for an unknown driver or profile, BadScript for an invalid script, and
    NotThere for an unknown connection."""
    if params["driver"] not in drivers():
        names = ", ".join(sorted(drivers()))
        raise BadRequest(f"Unknown driver {params['driver']!r}. Drivers: {names}.", where="driver")
    profiles = dialect_named(pack.dialect).profiles
    if params.get("profile") and params["profile"] not in profiles:
        names = ", ".join(profiles)
        raise BadRequest(
            f"Unknown profile {params['profile']!r}. Profiles: {names}.", where="profile"
        )
    check_overrides(params.get("tools"))
    if params["driver"] == "script":
        read_script(params.get("script"))
    if params["driver"] == "model":
        connection_for(pack, params.get("connection", ""), person)


@operation(shapes.Rehearsal, 422, request=shapes.Rehearse)
def packs_rehearse(request: Request, id: int) -> Any:
    """Walk the pack many times without a model: coverage and paths."""
    params = checked(shapes.Rehearse, request)
    pack = packs_read.pack_named(id)
    return rehearsed_json(view(pack), partial(known_tools, pack), **params)
