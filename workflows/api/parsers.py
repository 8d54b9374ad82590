"""Parsers of request bodies, with limits before parsing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from workflows.core.text.json.loads import reject_constant
from workflows.errors import TooLarge


class LimitedJSON(JSONParser):
    """JSON of a bounded size and depth, without NaN and lone surrogates."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        limit: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise TooLarge(f"The request is larger than {limit:,} bytes.")
        try:
            body = json.loads(data.decode("utf-8"), parse_constant=reject_constant)
            if b"\\u" in data:
                json.dumps(body, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError("The request's JSON is nested too deeply.") from None
        except UnicodeError:
            raise ParseError("The request is not UTF-8 text.") from None
        except ValueError as error:
            raise ParseError(f"The request is not JSON: {error}.") from None
        return body
