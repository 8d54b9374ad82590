"""Packs: the gallery, one pack, its graph and the editor's queries."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions import packs as actions
from workflows.api import serializers as shapes
from workflows.api.paging import PAGE, Pages
from workflows.api.request_params import checked, needed, number_in
from workflows.selectors import packs as read
from workflows.selectors.changes import change
from workflows.selectors.sources import view

REVISION = OpenApiParameter("revision", int, description="Revision number; default: the newest.")


class Packs(APIView):
    """The gallery."""

    @extend_schema(
        operation_id="packs_list",
        parameters=[
            OpenApiParameter("q", str, description="Part of a name or path."),
            OpenApiParameter("dialect", str),
            *PAGE,
        ],
        responses=shapes.CardPage,
    )
    def get(self, request: Request) -> Response:
        query = request.query_params
        pages = Pages()
        found = read.packs(query.get("q", ""), query.get("dialect", ""))
        page = pages.paginate_queryset(found, request, view=self) or []
        return pages.get_paginated_response(read.cards(page))

    @extend_schema(
        operation_id="packs_create",
        request=shapes.NewPack,
        responses={201: shapes.Card, 404: shapes.Error},
    )
    def post(self, request: Request) -> Response:
        asked = checked(shapes.NewPack, request)
        name = asked.get("name", "")
        if asked.get("sample"):
            pack = actions.create_from_sample(
                asked["sample"], owner=request_user(request), name=name
            )
        else:
            pack = actions.create(
                asked["dialect"], name=name or "New pack", owner=request_user(request)
            )
        return Response(read.cards([pack])[0], status=201)


class Pack(APIView):
    """One pack."""

    @extend_schema(operation_id="packs_read", responses=shapes.PackDetail)
    def get(self, request: Request, id: int) -> Response:
        return Response(read.card(read.pack_named(id)))

    @extend_schema(
        operation_id="packs_change", request=shapes.PackChange, responses=shapes.PackDetail
    )
    def patch(self, request: Request, id: int) -> Response:
        asked = checked(shapes.PackChange, request)
        actions.change(id, name=asked.get("name"), profile=asked.get("profile"))
        return Response(read.card(read.pack_named(id)))

    @extend_schema(operation_id="packs_delete", responses={204: None})
    def delete(self, request: Request, id: int) -> Response:
        actions.delete(id)
        return Response(status=204)


class Graph(APIView):
    """The graph of a revision."""

    @extend_schema(operation_id="packs_graph", parameters=[REVISION], responses=shapes.Graph)
    def get(self, request: Request, id: int) -> Response:
        pack = read.pack_named(id)
        return Response(
            read.graph_json(pack, request_user(request), number_in(request, "revision"))
        )


class Inputs(APIView):
    """Names of the inputs that a run of the newest revision requires."""

    @extend_schema(
        operation_id="packs_inputs",
        responses=serializers.ListSerializer(child=serializers.CharField()),
    )
    def get(self, request: Request, id: int) -> Response:
        return Response(read.inputs(read.pack_named(id)))


class Offers(APIView):
    """Transitions that may be drawn from a state."""

    @extend_schema(
        operation_id="packs_offers",
        parameters=[OpenApiParameter("state", str, required=True)],
        responses=shapes.Offer(many=True),
    )
    def get(self, request: Request, id: int) -> Response:
        return Response(read.offers(read.pack_named(id), needed(request, "state")))


class Fields(APIView):
    """The inspector's form of one element."""

    @extend_schema(
        operation_id="packs_fields",
        parameters=[OpenApiParameter("element", str, required=True)],
        responses={200: shapes.Form, 422: shapes.Error},
    )
    def get(self, request: Request, id: int) -> Response:
        return Response(read.fields(read.pack_named(id), needed(request, "element")))


class Findings(APIView):
    """Every finding of the newest revision."""

    @extend_schema(operation_id="packs_findings", responses=shapes.Finding(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(view(read.pack_named(id)).findings_json)


class Changes(APIView):
    """Changes from a revision to the newest one."""

    @extend_schema(
        operation_id="packs_changes",
        parameters=[OpenApiParameter("after", int, required=True)],
        responses=shapes.Change,
    )
    def get(self, request: Request, id: int) -> Response:
        needed(request, "after")
        after = number_in(request, "after", 0) or 0
        return Response(change(read.pack_named(id), after, request_user(request)).to_json())


class Copy(APIView):
    """A fragment of some states, for a `paste` edit."""

    @extend_schema(
        operation_id="packs_copy",
        request=shapes.States,
        responses={200: shapes.Fragment, 422: shapes.Error},
    )
    def post(self, request: Request, id: int) -> Response:
        states = tuple(checked(shapes.States, request)["states"])
        return Response({"fragment": read.copied(read.pack_named(id), states)})


class Samples(APIView):
    """Packs that ship with Signalbox."""

    @extend_schema(operation_id="samples_list", responses=shapes.Sample(many=True))
    def get(self, request: Request) -> Response:
        return Response(read.samples())


class Dialects(APIView):
    """Formats, their profiles and their rules."""

    @extend_schema(operation_id="dialects_list", responses=shapes.DialectDescription(many=True))
    def get(self, request: Request) -> Response:
        return Response(read.dialect_list())
