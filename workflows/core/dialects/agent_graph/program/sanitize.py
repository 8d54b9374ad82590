"""Sanitising of model output for the log: limited depth, and no lone surrogates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workflows.core.engine.json_values import exceeds_depth
from workflows.core.limits import VALUE_DEPTH

_NOT_TEXT = re.compile("[\ud800-\udfff\0]")


def sanitize(arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments with lone surrogates and NUL replaced; None if they are nested too deeply."""
    if exceeds_depth(VALUE_DEPTH, arguments):
        return None
    return {sanitize_text(str(key)): _value(value) for key, value in arguments.items()}


def _value(value: Any) -> Any:
    match value:
        case str():
            return sanitize_text(value)
        case Mapping():
            return {sanitize_text(str(key)): _value(item) for key, item in value.items()}
        case list() | tuple():
            return [_value(item) for item in value]
        case _:
            return value


def sanitize_text(text: str) -> str:
    """The text with lone surrogates and NUL replaced."""
    return _NOT_TEXT.sub("\ufffd", text)
