"""Validated request parameters, lists and preconditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any, cast

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.pagination import BasePagination
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.settings import api_settings

from roles.core.json_limits import plain
from roles.errors import BadRequest
from roles.models import Role

MERGE_PATCH = "application/merge-patch+json"
LONGEST = 1_000
"""Maximum length of a text in a query, in characters."""
LARGEST = 15
"""Maximum number of digits of a number in a query."""
PAGE = [OpenApiParameter("limit", int), OpenApiParameter("offset", int)]
IF_MATCH = OpenApiParameter(
    "If-Match",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The ETag that was read; 412 where it is no longer the present one.",
)
ETAG = OpenApiParameter(
    "ETag",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    response=[200, 201],
    description="For If-Match.",
)


JSON = cast("type[BaseParser]", cast("object", api_settings.DEFAULT_PARSER_CLASSES[0]))
"""The server's own JSON parser, with its limits."""
_PAGES = cast("type[BasePagination]", cast("object", api_settings.DEFAULT_PAGINATION_CLASS))


class MergePatch(BaseParser):
    """A JSON merge patch (RFC 7396), read by the server's own JSON parser."""

    media_type = MERGE_PATCH

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        return JSON().parse(stream, media_type, parser_context)


def is_merge_patch(request: Request) -> bool:
    """Return True if the request's body is a merge patch."""
    return (request.content_type or "").partition(";")[0].strip().lower() == MERGE_PATCH


def checked(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The request's body in this shape. Raises BadRequest and DRF's ValidationError."""
    if not hasattr(request.data, "items"):
        raise BadRequest("The request's body is an object.")
    serializer = shape(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def matching(request: Request, etag: Callable[[Role], str]) -> Callable[[Role], bool]:
    """Return True if a row matches `If-Match`: one of its strong ETags, `*`, or no header at
    all."""
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return lambda row: True
    named = {one.strip() for one in header.split(",")}
    return lambda row: etag(row) in named


def text_in(request: Request, name: str) -> str:
    """A text from the query, "" for none. Raises BadRequest."""
    text = str(request.query_params.get(name, ""))
    if not plain(text) or len(text) > LONGEST:
        raise BadRequest(f"`{name}` is plain text of at most {LONGEST:,} characters.", where=name)
    return text


def choice_in(request: Request, name: str, choices: Iterable[str]) -> str:
    """A query value that must be one of these texts, "" for none. Raises BadRequest."""
    choice = text_in(request, name)
    allowed = tuple(choices)
    if choice and choice not in allowed:
        raise BadRequest(f"`{name}` is one of {', '.join(allowed)}.", where=name)
    return choice


def number_in(request: Request, name: str, default: int | None = None) -> int | None:
    """A whole number from the query. Raises BadRequest for anything else."""
    text = request.query_params.get(name, "")
    if text == "":
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= LARGEST):
        raise BadRequest(f"`{name}` is a whole number.", where=name)
    return int(text)


def paged(
    request: Request, rows: QuerySet[Any], shown: Callable[[list[Any]], Iterable[Any]]
) -> Response:
    """A list in the shape of every list of this server: `{"results", "next", "count"}`. `shown`:
    the bodies of the rows of a page."""
    pages = _PAGES()
    return pages.get_paginated_response(list(shown(pages.paginate_queryset(rows, request) or [])))
