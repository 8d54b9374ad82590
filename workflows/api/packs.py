"""Packs: the gallery, one pack, its graph and the editor's queries."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.api import serializers as shapes
from workflows.api.compression import COMPRESSED
from workflows.api.operation import operation
from workflows.api.request_params import (
    PAGE,
    STARTED_BY,
    checked,
    needed,
    number_in,
    paged,
    started_by,
)
from workflows.opened_packs import bodies
from workflows.selectors import packs as read
from workflows.selectors.changes import change
from workflows.selectors.known_tools import findings
from workflows.selectors.run_estimates import estimate
from workflows.selectors.samples import samples
from workflows.selectors.sources import opened, view

REVISION = OpenApiParameter("revision", int, description="Revision number; default: the newest.")


@operation(
    shapes.CardPage,
    parameters=[
        OpenApiParameter("q", str, description="Part of a name or path."),
        OpenApiParameter("dialect", str),
        *PAGE,
    ],
)
def packs_list(request: Request) -> Any:
    """List the packs that the caller can see, as in the gallery."""
    query = request.query_params
    rows = read.packs(request_user(request), query.get("q", ""), query.get("dialect", ""))
    return paged(request, rows, read.cards)


@operation(shapes.Card, 404, status=201, request=shapes.NewPack)
def packs_create(request: Request) -> Any:
    """Create a pack from a sample, or a new one of a dialect."""
    params = checked(shapes.NewPack, request)
    name = params.get("name", "")
    if params.get("sample"):
        pack = actions.create_from_sample(params["sample"], owner=request_user(request), name=name)
    else:
        pack = actions.create(
            params["dialect"], name=name or "New pack", owner=request_user(request)
        )
    return read.cards([pack])[0]


@operation(shapes.PackDetail)
def packs_read(request: Request, id: int) -> Any:
    """Read a pack as its card in the gallery has it."""
    return read.card(read.pack_named(id))


@operation(shapes.PackDetail, request=shapes.PackChange)
def packs_change(request: Request, id: int) -> Any:
    """Change a pack's name, profile, folder or time limit of approvals."""
    params = checked(shapes.PackChange, request)
    actions.change(
        id,
        name=params.get("name"),
        profile=params.get("profile"),
        folder=params.get("folder"),
        in_files=params.get("in_files", False),
        author=request_user(request),
    )
    if "approval_limit" in params:
        actions.limit_approvals(id, params["approval_limit"])
    return read.card(read.pack_named(id))


@operation(None, status=204)
def packs_delete(request: Request, id: int) -> None:
    """Delete a pack with its revisions and runs."""
    actions.delete(id, request_user(request))


@operation(shapes.Card, 404, status=201, request=shapes.DuplicateName)
def packs_duplicate(request: Request, id: int) -> Any:
    """A copy of the newest revision as a pack of the user's own. Runs, history, triggers and tool
    bindings are not copied."""
    name = checked(shapes.DuplicateName, request).get("name", "")
    pack = actions.duplicate(id, owner=request_user(request), name=name)
    return read.cards([pack])[0]


@operation(shapes.Graph, parameters=[REVISION], view=COMPRESSED)
def packs_graph(request: Request, id: int) -> Any:
    """The graph of a revision."""
    pack = read.pack_named(id)
    return read.graph_json(pack, request_user(request), number_in(request, "revision"))


@operation(serializers.ListSerializer(child=serializers.CharField()), parameters=[STARTED_BY])
def packs_inputs(request: Request, id: int) -> Any:
    """Names of the inputs that a run of the newest revision requires, followed by those that the
    roles at its states name: the fields of a ticket, the message of a chat, the branches."""
    return read.inputs(read.pack_named(id), started_by(request))


@operation(shapes.RunOption(many=True))
def packs_options(request: Request, id: int) -> Any:
    """Inputs that select how a run of the newest revision works, such as the prompt to run."""
    return bodies.options(view(read.pack_named(id)))


@operation(
    shapes.RunStart,
    parameters=[
        STARTED_BY,
        OpenApiParameter("connection", str, description="That of the run; for the estimate."),
        OpenApiParameter("model", str, description="That of the run; for the estimate."),
    ],
)
def packs_start(request: Request, id: int) -> Any:
    """The inputs of a run of the newest revision as the pack describes them, an estimate of what
    the run will use, and the calls that a person approves."""
    pack = read.pack_named(id)
    choice = {name: request.query_params.get(name, "") for name in ("connection", "model")}
    return {
        "inputs": read.start_inputs(pack, started_by(request)),
        "estimate": estimate(pack, request_user(request), **choice),
        "approvals": bodies.call_approvals(opened(pack)),
    }


@operation(
    shapes.CallBound,
    parameters=[
        OpenApiParameter(
            "assume",
            str,
            many=True,
            description="An unknown and its number: `claims=20`. `tokens`, or `input-tokens` and "
            "`output-tokens`, are those of one call, for the cost.",
        ),
        OpenApiParameter(
            "session_model", str, description="The model of calls that name none, for the cost."
        ),
    ],
)
def packs_worst_case(request: Request, id: int) -> Any:
    """The most agents or model calls of one run of the newest revision."""
    query = request.query_params
    texts, session_model = query.getlist("assume"), query.get("session_model")
    return bodies.worst_case_json(view(read.pack_named(id)), texts, session_model)


@operation(shapes.Offer(many=True), parameters=[OpenApiParameter("state", str, required=True)])
def packs_offers(request: Request, id: int) -> Any:
    """Transitions that may be drawn from a state."""
    return bodies.offers(view(read.pack_named(id)), needed(request, "state"))


@operation(
    shapes.Form, 422, parameters=[OpenApiParameter("element", str, required=True)], view=COMPRESSED
)
def packs_fields(request: Request, id: int) -> Any:
    """The inspector's form of one element."""
    return read.fields(read.pack_named(id), needed(request, "element"))


@operation(
    shapes.Finding(many=True),
    parameters=[
        OpenApiParameter("per_rule", int, description="Findings of each rule; default: all.")
    ],
    view=COMPRESSED,
)
def packs_findings(request: Request, id: int) -> Any:
    """Every finding of the newest revision."""
    most = number_in(request, "per_rule")
    return findings(read.pack_named(id), most=most)


@operation(
    shapes.Change, parameters=[OpenApiParameter("after", int, required=True)], view=COMPRESSED
)
def packs_changes(request: Request, id: int) -> Any:
    """Changes from a revision to the newest one."""
    needed(request, "after")
    after = number_in(request, "after", 0) or 0
    return change(read.pack_named(id), after, request_user(request)).to_json()


@operation(shapes.Fragment, 422, request=shapes.States)
def packs_copy(request: Request, id: int) -> Any:
    """A fragment of some states, for a `paste` edit."""
    states = tuple(checked(shapes.States, request)["states"])
    return {"fragment": read.copied(read.pack_named(id), states)}


@operation(shapes.Sample(many=True))
def samples_list(request: Request) -> Any:
    """Packs that ship with Signalbox."""
    return samples()


@operation(shapes.DialectDescription(many=True))
def dialects_list(request: Request) -> Any:
    """Formats, their profiles and their rules."""
    return bodies.dialect_list()
