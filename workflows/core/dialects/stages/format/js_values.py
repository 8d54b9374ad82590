"""Values as stud-cli writes them into prompts: JavaScript's `String()` and compact JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

from workflows.core.pack.forms import Json

_SURROGATE = re.compile("[\ud800-\udfff]")
_LARGEST_EXACT = 2**53


def to_js_string(value: Json) -> str:
    """A value as text: "" for None, strings unchanged, numbers as in JavaScript (`1.0` is `1`,
    `1e21` is `1e+21`), objects and lists as compact JSON."""
    match value:
        case None:
            return ""
        case str():
            return value
        case bool() | int() | float():
            return _scalar(value)
        case _:
            return compact_json(value)


def compact_json(value: Json) -> str:
    """`JSON.stringify(value)`: no spaces, non-ASCII letters unescaped, null for NaN and
    infinity."""
    match value:
        case None:
            return "null"
        case bool():
            return _scalar(value)
        case int() | float():
            return _scalar(value) if _finite(value) else "null"
        case str():
            return json_string(value)
        case Mapping():
            return (
                "{"
                + ",".join(
                    f"{json_string(str(k))}:{compact_json(item)}" for k, item in value.items()
                )
            ) + "}"
        case _:
            return "[" + ",".join(compact_json(item) for item in value) + "]"


def json_string(text: str) -> str:
    """A JSON string. Lone surrogates are escaped, so the result is always valid Unicode."""
    return _SURROGATE.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False)
    )


def js_number(value: float) -> str:
    """A number as JavaScript's `String()` writes it. Integers beyond 2^53 are rounded to the
    precision of JavaScript."""
    if isinstance(value, int) and abs(value) <= _LARGEST_EXACT:
        return str(value)
    try:
        plain = float(value)
    except OverflowError:
        plain = math.inf if value > 0 else -math.inf
    if math.isnan(plain):
        return "NaN"
    if math.isinf(plain):
        return "Infinity" if plain > 0 else "-Infinity"
    if plain == 0:
        return "0"
    return ("-" if plain < 0 else "") + _positive(abs(plain))


def _positive(plain: float) -> str:
    """The shortest digits that identify the number, formatted as in ECMAScript's Number::toString;
    `point` is the number of digits before the decimal point."""
    mantissa, _, exponent = repr(plain).partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = int(exponent or "0")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + power - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{point - 1:+d}"


def _scalar(value: float) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else js_number(value)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
