"""The inputs of a run from the body of a webhook request, by JSON Pointer (RFC 6901)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workflows.core.text.json.loads import reject_constant
from workflows.core.text.json.pointer import number_of, pointer_of, pointer_text


class BadBody(ValueError):
    """The body lacks a value that the trigger needs. The message names it."""


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
