"""Graphs of runs, which can grow during the run."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions.dynamic_graph import save_graph
from workflows.api import serializers as shapes
from workflows.api.compression import COMPRESSED
from workflows.api.operation import operation
from workflows.api.request_params import checked, number_in
from workflows.api.serializers.runs import SavedGraph
from workflows.selectors import packs as packs_read
from workflows.selectors.dynamic_graph import with_grown
from workflows.selectors.runs import run_named


@operation(
    shapes.Graph,
    parameters=[
        OpenApiParameter(
            "at", int, description="As it was after this event; 0 is the pack's own graph."
        )
    ],
    view=COMPRESSED,
)
def runs_graph(request: Request, id: str) -> Any:
    """The graph of the run's revision, under the run's profile, with what the run added to it."""
    run, at = run_named(id), number_in(request, "at")
    body = packs_read.graph_json(run.pack, request_user(request), run.revision, run.profile)
    return with_grown(body, run, at)


@operation(shapes.Card, 422, status=201, request=SavedGraph)
def runs_save_graph(request: Request, id: str) -> Any:
    """Create a pack from the run's revision, with the states and transitions that the run added."""
    params = checked(SavedGraph, request)
    run = run_named(id)
    name, at = params.get("name", ""), params.get("at")
    pack = save_graph(run, owner=request_user(request), name=name, at=at)
    return packs_read.cards([pack])[0]
