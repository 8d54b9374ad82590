"""The text of a pack and its elements: their ranges, a check while typing, find."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from workflows.api import serializers as shapes
from workflows.api.operation import operation
from workflows.api.packs import REVISION
from workflows.api.request_params import checked, needed, number_in
from workflows.opened_packs.bodies import text_ranges
from workflows.selectors import text as read
from workflows.selectors.packs import pack_named
from workflows.selectors.sources import view


@operation(
    shapes.TextRange(many=True), parameters=[OpenApiParameter("path", str, required=True), REVISION]
)
def packs_text_ranges(request: Request, id: int) -> Any:
    """The text of each element in one file."""
    path = needed(request, "path")
    return text_ranges(view(pack_named(id), number_in(request, "revision")), path)


@operation(shapes.CheckedText, 422, request=shapes.TextToCheck)
def packs_check_text(request: Request, id: int) -> Any:
    """Check a text of one file that is not saved. Changes nothing."""
    body = checked(shapes.TextToCheck, request)
    return read.check_text(pack_named(id), body["path"], body["text"])


@operation(shapes.FindResult, 422, request=shapes.FindRequest)
def packs_find(request: Request, id: int) -> Any:
    """Find a text in states, events, prompts, tools and files, and preview its replacement.
    Changes nothing."""
    return read.find(pack_named(id), checked(shapes.FindRequest, request))
