"""The inputs of a run from the body of a webhook request, by JSON Pointer (RFC 6901)."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from workflows.core.text.json.loads import reject_constant
from workflows.core.text.json.pointer import number_of, pointer_of, pointer_text

FORM = "application/x-www-form-urlencoded"


class BadBody(ValueError):
    """The body lacks a value that the trigger needs. The message names it."""


def decoded(body: bytes, headers: Mapping[str, str], limit: int) -> bytes:
    """The body without compression, and a form as JSON: field → value, or values of a field that
    comes again. `headers` have lower-case names. Raises BadBody for other encodings, and for more
    than `limit` bytes."""
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding == "gzip":
        body = _unpacked(body, limit)
    elif encoding not in ("", "identity"):
        raise BadBody(f"The body is encoded as {encoding[:40]}. Send it as it is, or with gzip.")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.startswith("multipart/"):
        raise BadBody(f"A webhook reads JSON, text and {FORM}, and no {kind[:40]}.")
    if kind != FORM:
        return body
    try:
        fields = parse_qs(_text(body), keep_blank_values=True, errors="strict", max_num_fields=1000)
    except ValueError as error:
        raise BadBody(f"The form cannot be read: {error}.") from None
    values = {name: each[0] if len(each) == 1 else each for name, each in fields.items()}
    return json.dumps(values, ensure_ascii=False).encode()


def _unpacked(body: bytes, limit: int) -> bytes:
    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        plain = reader.decompress(body, limit + 1)
    except zlib.error:
        raise BadBody("The body is no gzip, which its header promises.") from None
    if len(plain) > limit:
        raise BadBody(f"Unpacked, the body has more than {limit:,} bytes.")
    if not reader.eof:
        raise BadBody("The gzip of the body has no end.")
    return plain


def check_mapping(takes: Mapping[str, Any]) -> None:
    """Raises ValueError if this is not a mapping of inputs to pointers."""
    for name, pointer in takes.items():
        if not name or not isinstance(pointer, str):
            raise ValueError("An input takes a JSON Pointer such as /issue/title.")
        pointer_of(pointer)


def inputs_from(
    takes: Mapping[str, str], body: bytes, presets: Mapping[str, str]
) -> dict[str, str]:
    """Input → value: the `presets`, overridden by values from the body. If the body has no
    value at a pointer, the given one is used; without one, raises BadBody. Text is used as it is,
    other values as JSON. If only the whole body is used, it may be any text."""
    inputs = dict(presets)
    if not takes:
        return inputs
    text = _text(body)
    if all(pointer == "" for pointer in takes.values()):
        return {**inputs, **dict.fromkeys(takes, text)}
    value = _json(text)
    for name, pointer in takes.items():
        try:
            there = _at(value, pointer)
        except LookupError:
            if name in presets:
                continue
            raise BadBody(
                f"The body has nothing at {pointer}, which the input {name!r} takes."
            ) from None
        inputs[name] = text if pointer == "" else _written(there)
    return inputs


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise BadBody(f"The body is not UTF-8 text: byte {error.start} is not.") from None


def _json(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=reject_constant)
        if "\\u" in text:
            json.dumps(
                value, ensure_ascii=False
            ).encode()  # Raises ValueError for a lone surrogate.
        return value
    except RecursionError:
        raise BadBody("The body is nested too deeply.") from None
    except ValueError as error:
        raise BadBody(f"The body is not JSON: {error}.") from None


def _at(value: Any, pointer: str) -> Any:
    """Raises LookupError."""
    for segment in pointer_of(pointer):
        if isinstance(value, dict):
            value = value[str(segment)]
        elif isinstance(value, list) and (index := number_of(segment)) is not None:
            value = value[index]
        else:
            raise LookupError(pointer_text((segment,)))
    return value


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
