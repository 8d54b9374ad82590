"""The sums of a revision over HTTP."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers as s
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.api.operation import operation
from workflows.api.request_params import number_in
from workflows.plugins.heat.runs import revision_heat
from workflows.selectors.packs import pack_named


class StateHeat(s.Serializer[Any]):
    state = s.CharField()
    visits = s.IntegerField()
    seconds = s.FloatField()
    model_calls = s.IntegerField()
    tool_calls = s.IntegerField()
    tokens = s.IntegerField()
    cost = s.FloatField(help_text="USD, as far as prices are known.")
    failures = s.IntegerField(
        help_text="Failed calls, commands and checks, pauses for an unanswered request, and ends "
        "of runs."
    )


class RevisionHeat(s.Serializer[Any]):
    revision = s.IntegerField()
    runs = s.IntegerField(help_text="Number of runs that are summed.")
    left_out = s.IntegerField(help_text="Number of older runs that are not summed.")
    states = StateHeat(many=True)


class Heat(APIView):
    """Visits, seconds, tokens, cost and failures of each state, summed over the runs of a
    revision."""

    @operation(
        "packs_heat",
        RevisionHeat,
        400,
        parameters=[OpenApiParameter("revision", int, description="Default: the newest one.")],
    )
    def get(self, request: Request, id: int) -> Response:
        pack = pack_named(id)
        revision = number_in(request, "revision", pack.head) or pack.head
        return Response(revision_heat(pack, revision, request_user(request)))


urlpatterns = [path("packs/<number:id>/heat/", Heat.as_view())]
