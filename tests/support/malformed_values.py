"""Malformed values."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

DEEP: Any = "deep"
for _ in range(150):
    DEEP = [DEEP]
TEXTS = [
    "\0",
    "a\0b",
    "../../etc/passwd",
    "%00",
    "{{ 7 * 7 }}",
    "{% for a in b %}",
    "x" * 20_000,
    "",
]
NUMBERS = ["9" * 30, "-1", "1e999", "NaN", "٣", "0x1f", "1.5", "2147483648", "9223372036854775808"]
VALUES = [
    *TEXTS,
    10**30,
    10**400,
    -(10**30),
    2**63,
    2**31,
    1e308,
    -1,
    0,
    None,
    True,
    [],
    {},
    {"\0": "\0"},
    {"": {"": ""}},
    [[]] * 50,
    DEEP,
]
BODIES = {
    "broken-utf-8": ("application/json", b'{"name": "\xff\xfe"}'),
    "half-a-pair": ("application/json", b'{"name": "\\ud800"}'),
    "not-json": ("application/json", b"{]"),
    "not-a-number": ("application/json", b'{"base": NaN, "at": Infinity}'),
    "digits": ("application/json", b'{"base": ' + b"9" * 5_000 + b"}"),
    "deep": ("application/json", b"[" * 100_000),
    "deep-object": ("application/json", b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
    "list": ("application/json", b"[1, 2]"),
    "null": ("application/json", b"null"),
    "nothing": ("application/json", b""),
    "text": ("text/plain", b"{}"),
    "no-type": ("", b"{}"),
    "odd-type": ("application/;;;", b"{}"),
    "form": ("application/x-www-form-urlencoded", b"a=%00&b=%ff"),
    "no-boundary": ("multipart/form-data", b"--x\r\n\r\n--x--"),
    "broken-form": ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data"),
    "binary-form": (
        "multipart/form-data; boundary=x",
        b'--x\r\nContent-Disposition: form-data; name="\xff\0"; filename="\0"\r\n\r\n'
        b"\xff\r\n--x--\r\n",
    ),
    "odd-charset": ("application/json; charset=nonsense", b"{}"),
    "utf-16": ("application/json; charset=utf-16", '{"name": "x"}'.encode("utf-16")),
}
SEGMENTS = [
    "%00",
    "%FF%FE",
    "%ED%A0%80",
    "%0A",
    "-1",
    "9" * 40,
    "..%2F..",
    "%F0%9F%92%A9",
    "a" * 3_000,
]
QUERIES = ["%00", "%FF%FE%ED%A0%80", "9" * 40, "x" * 50_000]


def malformed(value: Any, chance: random.Random) -> Any:
    """The same value with an odd one at one of its places."""
    places = list(_places(value))
    if not places:
        return chance.choice(VALUES)
    holder, key = chance.choice(places)
    holder[key] = chance.choice(VALUES)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    match value:
        case dict():
            items: Any = list(value.items())
        case list():
            items = list(enumerate(value))
        case _:
            return
    for key, item in items:
        yield value, key
        yield from _places(item)
