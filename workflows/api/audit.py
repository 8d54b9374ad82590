"""The audit log, for staff."""

from __future__ import annotations

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from workflows.api import serializers as common
from workflows.api.operation import operation
from workflows.api.request_params import PAGE, paged
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


@operation(shapes.AuditPage, 403, parameters=[*FILTERS, *PAGE])
def audit_list(request: Request) -> Any:
    """Requests that changed something, or were refused, newest first."""
    rows = read.entries(**read.filters(request.query_params.dict()))
    return paged(request, rows, lambda page: map(read.entry_json, page))


@operation(
    OpenApiTypes.BINARY,
    status=(200, "application/octet-stream"),
    also={(403, "application/json"): common.Error},
    parameters=[OpenApiParameter("as", enum=["csv", "jsonl"], default="jsonl"), *FILTERS],
)
def audit_export(request: Request) -> StreamingHttpResponse:
    """The audit log as a file."""
    return exported(request.query_params.dict())
