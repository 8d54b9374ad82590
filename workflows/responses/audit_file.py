"""The audit log as a file to save, for the page and the API."""

from __future__ import annotations

from django.http import StreamingHttpResponse

from workflows.errors import BadRequest
from workflows.selectors import audit as read


def exported(query: dict[str, str]) -> StreamingHttpResponse:
    """The filtered log as a file to save. Raises BadRequest."""
    kind = query.get("as", "jsonl")
    if kind not in ("csv", "jsonl"):
        raise BadRequest("`as` is csv or jsonl.", where="as")
    rows = read.entries(**read.filters(query))
    lines = read.as_csv(rows) if kind == "csv" else read.as_json_lines(rows)
    answer = StreamingHttpResponse(lines, content_type="application/octet-stream")
    answer["Content-Disposition"] = f'attachment; filename="audit-log.{kind}"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
