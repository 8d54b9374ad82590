"""Pagination of lists: `{"results", "next", "count"}`."""

from __future__ import annotations

from typing import Any

from rest_framework.pagination import LimitOffsetPagination
from rest_framework.response import Response


class Pages(LimitOffsetPagination):
    """`?limit=` and `?offset=`."""

    default_limit = 100
    max_limit = 1000

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link(), "count": self.count})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The shape of `serializers.common.Page`."""
        link = {"type": ["string", "null"], "format": "uri"}
        shape = {"results": schema, "next": link, "count": {"type": "integer"}}
        return {"type": "object", "required": [*shape], "properties": shape}
