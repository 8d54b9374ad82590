"""The text of a pack and its elements: their ranges, a check while typing, find."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.packs import REVISION
from workflows.api.request_params import checked, needed, number_in
from workflows.selectors import text as read
from workflows.selectors.packs import pack_named


class TextRanges(APIView):
    """The text of each element in one file."""

    @operation(
        "packs_text_ranges",
        shapes.TextRange(many=True),
        parameters=[OpenApiParameter("path", str, required=True), REVISION],
    )
    def get(self, request: Request, id: int) -> Response:
        path = needed(request, "path")
        return Response(read.ranges(pack_named(id), path, number_in(request, "revision")))


class CheckText(APIView):
    """Check a text of one file that is not saved. Changes nothing."""

    @operation("packs_check_text", shapes.CheckedText, 422, request=shapes.TextToCheck)
    def post(self, request: Request, id: int) -> Response:
        body = checked(shapes.TextToCheck, request)
        return Response(read.check_text(pack_named(id), body["path"], body["text"]))


class Find(APIView):
    """Find a text in states, events, prompts, tools and files, and preview its replacement.
    Changes nothing."""

    @operation("packs_find", shapes.FindResult, 422, request=shapes.FindRequest)
    def post(self, request: Request, id: int) -> Response:
        return Response(read.find(pack_named(id), checked(shapes.FindRequest, request)))
