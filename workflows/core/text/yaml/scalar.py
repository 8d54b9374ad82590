"""One scalar between text and value: YAML 1.2 core, as ruamel.yaml reads it.

`yes`, `on`, `12:30:45` are strings; `0x1F`, `0o17`, `0b1`, `1_000`, `.inf` are numbers. Unlike
ruamel.yaml, a date stays the string its author wrote: the core schema has no timestamps.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

_INT = re.compile(r"[-+]?(?:0b[01_]+|0o?[0-7_]+|[0-9][0-9_]*|0x[0-9a-fA-F_]+)")
_FLOAT = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+"
    r"|\.[0-9_]+(?:[eE][-+][0-9]+)?)"
)
_CONSTANTS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".nan": math.nan, ".NaN": math.nan, ".NAN": math.nan,
    **{sign + name: factor * math.inf
       for sign, factor in (("", 1), ("+", 1), ("-", -1)) for name in (".inf", ".Inf", ".INF")},
}  # fmt: skip
_DOUBTFUL = re.compile(  # values that some YAML readers do not treat as text
    r"(?i:~|null|true|false|yes|no|on|off|[-+]?\.inf|\.nan|<<|=)"
    r"|[-+.]?[0-9][0-9_,.:eExXobTtZ+ a-fA-F-]*|[-+]\.[0-9].*|---.*|\.\.\..*"
)
_SHOWN = "\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
_PRINTABLE = re.compile(f"[\t{_SHOWN}]*")
_LINE_BREAKS = re.compile("[\x85\u2028\u2029\ufeff]")
_ESCAPED = re.compile(f'["\\\\\u2028\u2029]|[^{_SHOWN}]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def meaning(text: str) -> Any:
    """The value of a plain scalar. ValueError for a number that is too long."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INT.fullmatch(text) and re.search("[0-9]", text):
        return _integer(text.replace("_", ""))
    if _FLOAT.fullmatch(text) and re.search("[0-9]", text):
        return float(text.replace("_", ""))
    return text


def _integer(text: str) -> Any:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2], 10)
    if base != 10 and not digits[2:]:
        return text
    return sign * int(digits[2:] if base != 10 else digits, base)


def plain_fits(text: str, *, flow: bool) -> bool:
    """True if every reader reads the string without quotes as this string."""
    if not text or text != text.strip(" \t") or not one_line(text) or _DOUBTFUL.fullmatch(text):
        return False
    if text[0] in "#&*!|>'\"%@`,[]{}=" or (text[0] in "-?:" and (text[1:2] in ("", " ") or flow)):
        return False
    if ": " in text or "\t" in text or text.endswith(":") or " #" in text:
        return False
    return not (flow and re.search(r"[,\[\]{}]|:(?![0-9A-Za-z/])", text))


def one_line(text: str) -> bool:
    """True if a string has nothing that double quotes must escape."""
    return bool(_PRINTABLE.fullmatch(text)) and not _LINE_BREAKS.search(text)


def block_fits(text: str) -> bool:
    """True if a string can be written as lines under a `|`."""
    lines = text.split("\n")
    words = [line for line in lines if line.strip(" \t")]
    return (
        bool(words) and words[0][0] not in " \t" and all(map(one_line, lines))
        and not any(line and not line.strip(" \t") for line in lines)
    )  # fmt: skip


def quoted(text: str, quote: str) -> str:
    """A string in quotes of this kind, or in double ones if it needs escapes."""
    if quote == "'" and one_line(text) and "\t" not in text:
        return "'" + text.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(lambda match: _escape(match[0]), text) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def number(value: bool | int | float) -> str:
    """A number or truth value as every YAML reader takes it."""
    if isinstance(value, float):
        if math.isnan(value):
            return ".nan"
        if math.isinf(value):
            return ".inf" if value > 0 else "-.inf"
        mantissa, letter, exponent = repr(value).partition("e")
        return mantissa + (".0" if letter and "." not in mantissa else "") + letter + exponent
    return json.dumps(value)
