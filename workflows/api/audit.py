"""The audit log, for staff."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from workflows.api import serializers as common
from workflows.api.operation import operation
from workflows.api.paging import PAGE, Pages
from workflows.api.serializers import shares as shapes
from workflows.responses.audit_file import exported
from workflows.selectors import audit as read

FILTERS = [
    OpenApiParameter("user", str),
    OpenApiParameter("operation", str),
    OpenApiParameter("kind", str),
    OpenApiParameter("object_id", str),
    OpenApiParameter("outcome", enum=["done", "refused"]),
    OpenApiParameter("since", OpenApiTypes.DATE),
    OpenApiParameter("until", OpenApiTypes.DATE),
    OpenApiParameter("q", str),
]


class Audit(APIView):
    """Requests that changed something, or were refused, newest first."""

    @operation("audit_list", shapes.AuditPage, 403, parameters=[*FILTERS, *PAGE])
    def get(self, request: Request) -> Response:
        pages = Pages()
        rows = read.entries(**read.filters(request.query_params.dict()))
        page = pages.paginate_queryset(rows, request, view=self) or []
        return pages.get_paginated_response([read.entry_json(row) for row in page])


class AuditExport(APIView):
    """The audit log as a file."""

    @operation(
        "audit_export",
        OpenApiTypes.BINARY,
        status=(200, "application/octet-stream"),
        also={(403, "application/json"): common.Error},
        parameters=[OpenApiParameter("as", enum=["csv", "jsonl"], default="jsonl"), *FILTERS],
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        return exported(request.query_params.dict())
