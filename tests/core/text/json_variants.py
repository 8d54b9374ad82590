"""JSON files as people and their tools write them, made from a seed.

`variant(seed)` varies one thing at a time or everything at once: indentation, one-line and expanded
containers, spaces around colons and commas, blank lines, escapes, number spellings, newlines, byte
order mark, repeated keys. Half of the files have one consistent style.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

KEYS = [
    "id", "name", "state", "on_event", "a/b", "til~de", "", "größe", "ключ", "🚦", "x y", "0", "1",
    "tools", "next", 'quo"te', "back\\slash", "nul\0", "prompt", "max_visits",
]  # fmt: skip
WORDS = [
    "", "plain", "https://example.org/a/b", "naïve café", "日本語", "🚂🚃", "tab\tand\nbreak",
    "\x7f\x1f", "<b>&'", "\ud83d alone", "back\\u0041slash", "{{name}}", "[{,:]}", "\u2028",
]  # fmt: skip
NUMBERS = [
    "0", "-0", "1", "-7", "1.0", "1e3", "1E+2", "0.10", "-0.0", "2.5e-3",
    "12345678901234567890123", "1e400",
]  # fmt: skip
PLAIN_NUMBERS = ["0", "1", "-7", "1.0", "2.5", "12345678901234567890123"]


def variant(seed: int) -> bytes:
    random = Random(seed)
    return _Writer(random, own=random.random() < 0.5).file()


class _Writer:
    def __init__(self, random: Random, own: bool) -> None:
        self.random = random
        self.own = own
        self.newline = random.choice(["\n", "\n", "\r\n", "\r"])
        self.unit = random.choice([*(" " * size for size in range(1, 9)), "\t", "\t"])
        self.colon = random.choice([": ", ": ", ":", " : ", " :"])
        self.comma = random.choice([", ", ", ", ",", " , "])
        self.pad = random.choice(["", "", " "])
        self.shape = random.choice(["expanded", "one line", "flat arrays", "by depth"])
        self.escape = random.choice(["raw", "raw", "lower", "upper"])
        self.slash = random.choice([False, False, True])
        self.repeats = not own and random.random() < 0.2
        self.turn = 2 + random.randrange(3)

    def file(self) -> bytes:
        root: Any = "{" if self.own or self.random.random() < 0.9 else self.random.choice("{[0")
        body = self.value(0, "", root)
        before = "" if self.own else self.random.choice(["", "", " ", self.newline])
        after = self.random.choice(["", self.newline])
        text = before + body + after
        mark = b"\xef\xbb\xbf" if self.random.random() < 0.15 else b""
        return mark + text.encode("utf-8")

    def value(self, depth: int, indent: str, kind: str | None = None) -> str:
        kind = kind or self.random.choice('{{[["""0n' if depth < 4 else '"""0n')
        match kind:
            case "{" | "[":
                return self.container(depth, indent, kind)
            case '"':
                return self.string(self.random.choice(WORDS))
            case "0":
                return self.random.choice(PLAIN_NUMBERS if self.own else NUMBERS)
        return self.random.choice(["true", "false", "null"])

    def container(self, depth: int, indent: str, kind: str) -> str:
        close = {"{": "}", "[": "]"}[kind]
        size = self.random.choice([0, 1, 2, 2, 3, 4]) if depth else self.random.randrange(2, 6)
        if size == 0:
            return kind + ("" if self.own else self.random.choice(["", "", " ", "\n"])) + close
        flat = kind == "[" and self.shape == "flat arrays"
        expanded = self.is_expanded(depth, kind)
        inner = indent + self.unit if expanded else indent
        member_depth = 9 if flat else depth + 1
        keys = self.keys(size)
        members = []
        for key in keys:
            value = self.value(member_depth, inner)
            members.append(self.string(key) + self.colon_here() + value if kind == "{" else value)
        if expanded:
            return self.expanded(members, kind, close, indent, inner)
        pad = self.pad_here()
        return kind + pad + self.comma_here().join(members) + pad + close

    def is_expanded(self, depth: int, kind: str) -> bool:
        if not self.own and self.random.random() < 0.2:
            return self.random.random() < 0.5
        match self.shape:
            case "expanded":
                return True
            case "one line":
                return False
            case "flat arrays":
                return kind == "{"
        return depth < self.turn

    def expanded(self, members: list[str], kind: str, close: str, indent: str, inner: str) -> str:
        text = kind + self.newline + inner + members[0]
        for member in members[1:]:
            blank = ""
            if not self.own and self.random.random() < 0.15:
                blank = self.random.choice([self.newline, "  " + self.newline, "\n"])
            early = " " if not self.own and self.random.random() < 0.05 else ""
            text += early + "," + blank + self.newline + inner + member
        return text + self.newline + indent + close

    def keys(self, size: int) -> list[str]:
        keys = self.random.sample(KEYS, size)
        if self.repeats and size > 1 and self.random.random() < 0.4:
            keys[self.random.randrange(1, size)] = keys[0]
        return keys

    def colon_here(self) -> str:
        if self.own or self.random.random() < 0.9:
            return self.colon
        return self.random.choice([":", ":  ", " :\t", ":" + self.newline])

    def comma_here(self) -> str:
        return self.comma if self.own or self.random.random() < 0.8 else ",  "

    def pad_here(self) -> str:
        return self.pad if self.own or self.random.random() < 0.8 else "  "

    def string(self, text: str) -> str:
        literal = json.dumps(text, ensure_ascii=self.escape != "raw")
        literal = literal.replace("\ud83d", "\\ud83d")
        if self.escape == "upper":
            literal = "".join(self.upper(part) for part in _escapes(literal))
        if self.slash:
            literal = literal.replace("/", "\\/")
        if not self.own and self.random.random() < 0.1:
            literal = self.oddly(text)
        return literal

    def upper(self, part: str) -> str:
        return "\\u" + part[2:].upper() if part.startswith("\\u") else part

    def oddly(self, text: str) -> str:
        """Every character escaped, in any case of hex digits."""
        units = text.encode("utf-16-be", "surrogatepass").hex()
        digits = [units[at : at + 4] for at in range(0, len(units), 4)]
        return '"' + "".join(f"\\u{self.random.choice([d, d.upper()])}" for d in digits) + '"'


def _escapes(literal: str) -> list[str]:
    """The literal split into escapes and the text between them."""
    parts: list[str] = []
    at = 0
    while at < len(literal):
        size = 1
        if literal[at] == "\\":
            size = 6 if literal[at + 1] == "u" else 2
        parts.append(literal[at : at + size])
        at += size
    return parts
