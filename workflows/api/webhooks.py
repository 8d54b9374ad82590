"""Webhook endpoint. No sign-in: the trigger's secret authorises the start of its run."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from workflows.api.operation import operation
from workflows.api.parsers import LimitedJSON
from workflows.api.serializers import triggers as shapes
from workflows.errors import TooLarge
from workflows.runner.webhooks import (
    MAX_BODY,
    authenticated_trigger,
    deliver,
    is_repeated,
    seconds_to_wait,
)

KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="A delivery that comes again under its key starts no second run.",
)


@operation(
    shapes.Delivered,
    401,
    409,
    422,
    429,
    status=202,
    parameters=[OpenApiParameter("address", str, OpenApiParameter.PATH), KEY],
    request=OpenApiTypes.OBJECT,
    auth=[],
    # The parser is for the OpenAPI document only: bodies are read as sent.
    view={"authentication_classes": (), "permission_classes": (), "parser_classes": (LimitedJSON,)},
)
def hooks_deliver(request: Request, address: str) -> Any:
    """Start a webhook's run. The body may be anything; the trigger defines which inputs it reads
    from it. The secret is proved by `Authorization: Bearer`, by the HMAC-SHA256 of the body in
    `X-Signalbox-Signature` or `X-Hub-Signature-256`, or by the headers of Standard Webhooks."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    body = _body(request)
    row = authenticated_trigger(address, headers, body)
    if not is_repeated(row, headers) and (wait := seconds_to_wait(row)):
        raise Throttled(wait=wait)
    fired = deliver(row, headers, body)
    return {"run": fired.run, "repeated": fired.repeated}


def _body(request: Request) -> bytes:
    """The raw body. Raises TooLarge."""
    body = request._request.read(MAX_BODY + 1)
    if len(body) > MAX_BODY:
        raise TooLarge(f"A delivery has at most {MAX_BODY:,} bytes.")
    return body
