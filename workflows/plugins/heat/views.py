"""The sums of a revision over HTTP."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers as s
from rest_framework.request import Request

from roles.api.operation import addresses
from roles.request_user import request_user
from workflows.api.operation import operation
from workflows.api.request_params import number_in
from workflows.plugins.heat import PLUGIN
from workflows.plugins.heat.runs import revision_heat
from workflows.rights.operations import api_addresses
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


@operation(
    RevisionHeat,
    400,
    parameters=[OpenApiParameter("revision", int, description="Default: the newest one.")],
)
def packs_heat(request: Request, id: int) -> Any:
    """Visits, seconds, tokens, cost and failures of each state, summed over the runs of a
    revision."""
    pack = pack_named(id)
    revision = number_in(request, "revision", pack.head) or pack.head
    return revision_heat(pack, revision, request_user(request))


urlpatterns = addresses(api_addresses(PLUGIN.operations))
