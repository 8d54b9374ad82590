"""Mutations of one file: of its bytes, of its lines, of its JSON values and of their spelling."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.support.malformed_values import malformed

TOKENS = tuple(
    token.encode("utf-8", "surrogatepass")
    for token in (
        *"{}[]\",:\\/#-|>&*!%@`\t\n\r\0 ", "\r\n", "\ufeff", "null", "true", "1e999", "-0", "NaN",
        "9" * 30, '"\\ud800"', '"\\u0061"', "{{", "}}", "{{a.b}}", "{%", "%}", "{uv-x}", "---\n",
        "<<: *a\n", "&a ", "? ", "!!binary ", "\u202e", "ａ", "İ", "\ud800", '""', "[]", "{}",
        "/*", "//", "..", "../", "$ref", "#/$defs/a", "(?:a{30}){30}", "[" * 40, '{"a":' * 40,
    )
)  # fmt: skip


UNITS = (
    " ", "\n", "\t", "a", "0", "é", "a ", "a.", "a-", "a/", "- ", "# ", ": ", "{{", "{{a",
    "{{#if a}}", "${", "${a", "[", "*[!]", "(", "<!--", "```\n", '\\"', "\\", "{uv-", "*", "|",
    "@", ", ", "../", "{%", "a=", "&a ",
)  # fmt: skip
"""Texts that are repeated: readers that start again at each of them take quadratic time."""
LENGTHS = (500, 5_000, 30_000)
COPIES = (10, 100, 400)


def mutated(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    """The file after one to three mutations."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        data = chance.choice(MUTATIONS)(data, chance, others)
    return data[:200_000]


def with_other_values(data: bytes, chance: Random) -> bytes:
    """The file after one to three changes of its JSON values, or of other text."""
    for _ in range(chance.choice((1, 2, 3))):
        data = _value(data, chance, ())
    return data


def _place(data: bytes, chance: Random) -> tuple[int, int]:
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + chance.choice((0, 1, 1, 2, 5, 20, 100)))


def _flipped(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    changed = bytearray(data or b"\0")
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _cut(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    start, end = _place(data, chance)
    return data[:start] if chance.random() < 0.05 else data[:start] + data[end:]


def _with_token(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    start, end = _place(data, chance)
    return data[:start] + chance.choice(TOKENS) + data[chance.choice((start, end)) :]


def _repeated(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    start, end = _place(data, chance)
    return data[:end] + data[start:end] * chance.choice((1, 1, 2, 30)) + data[end:]


def _spliced(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    other = chance.choice(others) if others else data
    start, end = _place(other, chance)
    here = chance.randrange(len(data) + 1)
    return data[:here] + other[start : end + chance.choice((0, 300))] + data[here:]


def _lines(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(4):
        case 0:
            del lines[one]
        case 1:
            lines[one], lines[other] = lines[other], lines[one]
        case 2:
            lines.insert(other, lines[one])
        case _:
            lines[one] = b" " * chance.randrange(5) + lines[one].lstrip()
    return b"\n".join(lines)


def _value(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    """Another JSON value at one place, or the value of another place."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _with_token(data, chance, others)
    match chance.randrange(3):
        case 0:
            value = malformed(value, chance)
        case _:
            _exchanged(value, chance)
    return _written(value, chance)


def _exchanged(value: Any, chance: Random) -> None:
    places = _places(value)
    if len(places) < 2:
        return
    (holder, key), (other, name) = chance.sample(places, 2)
    match chance.randrange(4):
        case 0:
            del holder[key]
        case 1:
            holder[key] = json.loads(json.dumps(other[name]))
        case 2 if isinstance(holder, dict):
            holder[chance.choice(("", "a/b", "x y", "é", "~0", str(name)))] = holder.pop(key)
        case _:
            holder[key] = chance.choice((None, True, 7, -1, 1.5, "", "a|b", [], {}, [1], {"a": 1}))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place below a JSON value: its container, and its key there."""
    places: list[tuple[Any, Any]] = []
    waiting = [value] if isinstance(value, dict | list) else []
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        places += [(holder, key) for key in keys]
        waiting += [holder[key] for key in keys if isinstance(holder[key], dict | list)]
    return places


def _written(value: Any, chance: Random) -> bytes:
    indent = chance.choice((None, 1, 2, 4, "\t"))
    separators = chance.choice((None, (",", ":"), (" , ", " : ")))
    text = json.dumps(
        value, indent=indent, separators=separators, ensure_ascii=chance.random() < 0.5
    )
    if chance.random() < 0.2:
        text = text.replace("\n", "\r\n")
    return text.encode("utf-8", "surrogatepass") + chance.choice((b"", b"\n", b"\n\n"))


def _pumped(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    """A long text of repeated characters, in place of a JSON string or at any place."""
    unit, length = chance.choice(UNITS), chance.choice(LENGTHS)
    text = chance.choice(("", "a", unit)) + unit * (length // len(unit)) + chance.choice(("", "!"))
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        start, end = _place(data, chance)
        return data[:start] + text.encode() + data[end:]
    strings = [(one, key) for one, key in _places(value) if isinstance(one[key], str)]
    if not strings:
        return data
    holder, key = chance.choice(strings)
    if isinstance(holder, dict) and chance.random() < 0.2:
        holder[text] = holder.pop(key)
    else:
        holder[key] = text
    return _written(value, chance)


def _widened(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    """Many copies of one member of a JSON object or array."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _lines(data, chance, others)
    places = _places(value)
    if not places:
        return data
    holder, key = chance.choice(places)
    copies = min(chance.choice(COPIES), 60_000 // (len(json.dumps(holder[key])) + 1))
    if isinstance(holder, dict):
        holder.update({f"{key}{number}": holder[key] for number in range(copies)})
    else:
        holder.extend([holder[key]] * copies)
    return _written(value, chance)


def _escaped(data: bytes, chance: Random, others: tuple[bytes, ...]) -> bytes:
    """A letter in another spelling, which means the same in JSON."""
    start = chance.randrange(len(data) + 1)
    for at in range(start, min(len(data), start + 60)):
        if chr(data[at]).isalpha() and data[at] < 128:
            return data[:at] + b"\\u%04x" % data[at] + data[at + 1 :]
    return data


MUTATIONS: tuple[Callable[[bytes, Random, tuple[bytes, ...]], bytes], ...] = (
    _flipped, _cut, _with_token, _repeated, _spliced, _lines, _value, _value, _value, _escaped,
    _pumped, _widened,
)  # fmt: skip
