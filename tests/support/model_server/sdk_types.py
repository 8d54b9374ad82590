"""Validation of request bodies with the types that the providers' own libraries ship."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

_building = threading.Lock()
"""Building an adapter takes seconds, and concurrent requests would each build one."""


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def type_problem(kind: Any, body: Mapping[str, Any]) -> str:
    """The first error of a body by this type, "" if it is valid. Unknown fields are errors."""
    hints = get_type_hints(kind)
    unknown = [name for name in body if name not in hints]
    if unknown:
        return f"Unknown field: {unknown[0]}."
    try:
        with _building:
            adapter = _adapter(kind)
        _exhaust(adapter.validate_python(body))
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
    return ""


def _exhaust(value: Any) -> None:
    """Read every part, because iterables are validated while they are read."""
    if isinstance(value, Mapping):
        for one in value.values():
            _exhaust(one)
    elif isinstance(value, Iterator | list | tuple):
        for one in value:
            _exhaust(one)
