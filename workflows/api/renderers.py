"""JSON responses with any content that files can have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import JSONRenderer

from workflows.core.engine.json_values import finite


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
            return json.dumps(finite(data), cls=self.encoder_class, separators=(",", ":")).encode()
