"""Packs: the gallery, one pack, its graph and the editor's queries."""

from __future__ import annotations

from dataclasses import asdict

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.api import serializers as shapes
from workflows.api.compression import compressed
from workflows.api.operation import operation
from workflows.api.paging import PAGE, Pages
from workflows.api.request_params import STARTED_BY, checked, needed, number_in, started_by
from workflows.core.pack.call_bound import assumptions
from workflows.errors import BadRequest
from workflows.selectors import packs as read
from workflows.selectors.changes import change
from workflows.selectors.known_tools import findings_json
from workflows.selectors.run_estimates import call_bound, estimate
from workflows.selectors.samples import samples

REVISION = OpenApiParameter("revision", int, description="Revision number; default: the newest.")


class Packs(APIView):
    """The gallery."""

    @operation(
        "packs_list",
        shapes.CardPage,
        parameters=[
            OpenApiParameter("q", str, description="Part of a name or path."),
            OpenApiParameter("dialect", str),
            *PAGE,
        ],
    )
    def get(self, request: Request) -> Response:
        """List the packs that the caller can see, as in the gallery."""
        query = request.query_params
        pages = Pages()
        rows = read.packs(request_user(request), query.get("q", ""), query.get("dialect", ""))
        page = pages.paginate_queryset(rows, request, view=self) or []
        return pages.get_paginated_response(read.cards(page))

    @operation("packs_create", shapes.Card, 404, status=201, request=shapes.NewPack)
    def post(self, request: Request) -> Response:
        """Create a pack from a sample, or a new one of a dialect."""
        params = checked(shapes.NewPack, request)
        name = params.get("name", "")
        if params.get("sample"):
            pack = actions.create_from_sample(
                params["sample"], owner=request_user(request), name=name
            )
        else:
            pack = actions.create(
                params["dialect"], name=name or "New pack", owner=request_user(request)
            )
        return Response(read.cards([pack])[0], status=201)


class Pack(APIView):
    """One pack."""

    @operation("packs_read", shapes.PackDetail)
    def get(self, request: Request, id: int) -> Response:
        """Read a pack as its card in the gallery has it."""
        return Response(read.card(read.pack_named(id)))

    @operation("packs_change", shapes.PackDetail, request=shapes.PackChange)
    def patch(self, request: Request, id: int) -> Response:
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
        return Response(read.card(read.pack_named(id)))

    @operation("packs_delete", None, status=204)
    def delete(self, request: Request, id: int) -> Response:
        """Delete a pack with its revisions and runs."""
        actions.delete(id, request_user(request))
        return Response(status=204)


class Duplicate(APIView):
    """A copy of the newest revision as a pack of the user's own. Runs, history, triggers and tool
    bindings are not copied."""

    @operation("packs_duplicate", shapes.Card, 404, status=201, request=shapes.DuplicateName)
    def post(self, request: Request, id: int) -> Response:
        name = checked(shapes.DuplicateName, request).get("name", "")
        pack = actions.duplicate(id, owner=request_user(request), name=name)
        return Response(read.cards([pack])[0], status=201)


@compressed
class Graph(APIView):
    """The graph of a revision."""

    @operation("packs_graph", shapes.Graph, parameters=[REVISION])
    def get(self, request: Request, id: int) -> Response:
        pack = read.pack_named(id)
        return Response(
            read.graph_json(pack, request_user(request), number_in(request, "revision"))
        )


class Inputs(APIView):
    """Names of the inputs that a run of the newest revision requires, followed by those that the
    roles at its states name: the fields of a ticket, the message of a chat, the branches."""

    @operation(
        "packs_inputs",
        serializers.ListSerializer(child=serializers.CharField()),
        parameters=[STARTED_BY],
    )
    def get(self, request: Request, id: int) -> Response:
        return Response(read.inputs(read.pack_named(id), started_by(request)))


class Options(APIView):
    """Inputs that select how a run of the newest revision works, such as the prompt to run."""

    @operation("packs_options", shapes.RunOption(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(read.options(read.pack_named(id)))


class RunStart(APIView):
    """The inputs of a run of the newest revision as the pack describes them, an estimate of what
    the run will use, and the calls that a person approves."""

    @operation(
        "packs_start",
        shapes.RunStart,
        parameters=[
            STARTED_BY,
            OpenApiParameter("connection", str, description="That of the run; for the estimate."),
            OpenApiParameter("model", str, description="That of the run; for the estimate."),
        ],
    )
    def get(self, request: Request, id: int) -> Response:
        pack = read.pack_named(id)
        choice = {name: request.query_params.get(name, "") for name in ("connection", "model")}
        return Response(
            {
                "inputs": read.start_inputs(pack, started_by(request)),
                "estimate": estimate(pack, request_user(request), **choice),
                "approvals": read.call_approvals(pack),
            }
        )


class WorstCase(APIView):
    """The most agents or model calls of one run of the newest revision."""

    @operation(
        "packs_worst_case",
        shapes.CallBound,
        parameters=[
            OpenApiParameter(
                "assume", str, many=True, description="An unknown and its number: `claims=20`."
            )
        ],
    )
    def get(self, request: Request, id: int) -> Response:
        try:
            assumed = assumptions(request.query_params.getlist("assume"))
        except ValueError as wrong:
            message = f"An assumption is NAME=NUMBER, such as claims=20; not {str(wrong)!r:.80}."
            raise BadRequest(message, where="assume") from None
        return Response(asdict(call_bound(read.pack_named(id), assumed)))


class Offers(APIView):
    """Transitions that may be drawn from a state."""

    @operation(
        "packs_offers",
        shapes.Offer(many=True),
        parameters=[OpenApiParameter("state", str, required=True)],
    )
    def get(self, request: Request, id: int) -> Response:
        return Response(read.offers(read.pack_named(id), needed(request, "state")))


@compressed
class Fields(APIView):
    """The inspector's form of one element."""

    @operation(
        "packs_fields",
        shapes.Form,
        422,
        parameters=[OpenApiParameter("element", str, required=True)],
    )
    def get(self, request: Request, id: int) -> Response:
        return Response(read.fields(read.pack_named(id), needed(request, "element")))


@compressed
class Findings(APIView):
    """Every finding of the newest revision."""

    @operation(
        "packs_findings",
        shapes.Finding(many=True),
        parameters=[
            OpenApiParameter("per_rule", int, description="Findings of each rule; default: all.")
        ],
    )
    def get(self, request: Request, id: int) -> Response:
        most = number_in(request, "per_rule")
        return Response(findings_json(read.pack_named(id), most=most))


@compressed
class Changes(APIView):
    """Changes from a revision to the newest one."""

    @operation(
        "packs_changes", shapes.Change, parameters=[OpenApiParameter("after", int, required=True)]
    )
    def get(self, request: Request, id: int) -> Response:
        needed(request, "after")
        after = number_in(request, "after", 0) or 0
        return Response(change(read.pack_named(id), after, request_user(request)).to_json())


class Copy(APIView):
    """A fragment of some states, for a `paste` edit."""

    @operation("packs_copy", shapes.Fragment, 422, request=shapes.States)
    def post(self, request: Request, id: int) -> Response:
        states = tuple(checked(shapes.States, request)["states"])
        return Response({"fragment": read.copied(read.pack_named(id), states)})


class Samples(APIView):
    """Packs that ship with Signalbox."""

    @operation("samples_list", shapes.Sample(many=True))
    def get(self, request: Request) -> Response:
        return Response(samples())


class Dialects(APIView):
    """Formats, their profiles and their rules."""

    @operation("dialects_list", shapes.DialectDescription(many=True))
    def get(self, request: Request) -> Response:
        return Response(read.dialect_list())
