"""Export formats of packs, and conversions to another dialect."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions.conversions import convert_pack
from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.selectors import packs as read
from workflows.selectors.exports import forms


class Exports(APIView):
    """Formats that this pack can be exported to besides its own, each with its findings."""

    @operation("packs_exports", shapes.ExportForm(many=True))
    def get(self, request: Request, id: int) -> Response:
        return Response(forms(read.pack_named(id)))


class Convert(APIView):
    """Convert the pack to another dialect, as a new pack, with a conversion report."""

    @operation("packs_convert", shapes.Converted, 422, status=201, request=shapes.ConvertTo)
    def post(self, request: Request, id: int) -> Response:
        params = checked(shapes.ConvertTo, request)
        pack, made = convert_pack(read.pack_named(id), params["to"], owner=request_user(request))
        return Response({"pack": read.cards([pack])[0], "report": made.to_json()}, status=201)
