"""Encoders of JSON text that are made once.

`json.JSONEncoder.encode` makes a new compiled encoder for each value, which takes longer than
encoding a small one. `bench.steps` measures it. Cycles are not checked for, because values of an
event have none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json import encoder as library
from typing import Any, TypeAlias

Encoder: TypeAlias = Callable[[Any], str]


def make_encoder(
    *, ensure_ascii: bool = True, default: Callable[[Any], Any] | None = None
) -> Encoder:
    """The text that `json.dumps` writes. Without a `default`, unknown values raise TypeError."""
    plain = json.JSONEncoder(check_circular=False, ensure_ascii=ensure_ascii, default=default)
    make = getattr(library, "c_make_encoder", None)  # None outside CPython.
    if make is None:
        return plain.encode
    name = "encode_basestring_ascii" if ensure_ascii else "encode_basestring"
    string = getattr(library, name)
    parts = make(None, plain.default, string, None, ": ", ", ", False, False, True)
    return lambda value: "".join(parts(value, 0))
