"""JSON responses with any content that files can have."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import JSONRenderer


class AnyJSON(JSONRenderer):
    """JSON with lone surrogates (as escapes) and numbers too large for a double (as text)."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            return super().render(data, accepted_media_type, renderer_context)
        except ValueError:
            return json.dumps(sayable(data), cls=self.encoder_class, separators=(",", ":")).encode()


def sayable(value: Any) -> Any:
    """The same value with infinite numbers as text."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {key: sayable(item) for key, item in value.items()}
        case list() | tuple():
            return [sayable(item) for item in value]
        case _:
            return value
