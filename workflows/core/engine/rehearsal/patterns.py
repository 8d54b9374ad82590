"""A text that a simple regular expression matches, made without running the expression.

Expressions in packs are untrusted, so the time of every function here is bounded. Literals,
classes, groups, alternatives and counts are supported; for any other expression there is no text.
"""

from __future__ import annotations

import string

from workflows.core.engine.rehearsal.rng import Rng

MAX_LENGTH = 200
"""Maximum number of characters of the text."""

MAX_ATOMS = 2_000
"""Maximum number of atoms that are read, repeated groups included."""

_PLAIN = string.ascii_lowercase + string.digits
_CLASSES = {"d": string.digits, "w": string.ascii_lowercase, "s": " "}
_OUTSIDE = {"D": string.ascii_lowercase, "W": "-", "S": string.ascii_lowercase}
_COUNTS = {"*": (0, 3), "+": (1, 3), "?": (0, 1)}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}


class _Unknown(Exception):
    """This part of the expression is not supported."""


def text_for(pattern: str, rng: Rng) -> str | None:
    """A text that `pattern` matches from start to end, or None if the expression is not
    supported."""
    reader = _Reader(pattern, rng)
    try:
        text = reader.alternatives()
    except (_Unknown, IndexError, ValueError, RecursionError):
        return None
    return text if reader.at == len(pattern) and len(text) <= MAX_LENGTH else None


class _Reader:
    def __init__(self, pattern: str, rng: Rng) -> None:
        self.pattern = pattern
        self.rng = rng
        self.at = 0
        self.fuel = MAX_ATOMS

    def peek(self) -> str:
        return self.pattern[self.at] if self.at < len(self.pattern) else ""

    def take(self) -> str:
        self.at += 1
        return self.pattern[self.at - 1]

    def alternatives(self) -> str:
        options = [self.sequence()]
        while self.peek() == "|":
            self.take()
            options.append(self.sequence())
        return self.rng.pick(options)

    def sequence(self) -> str:
        text = ""
        while self.peek() and self.peek() not in "|)":
            start = self.at
            piece = self.atom()
            low, high = self.count()
            end = self.at
            for number in range(self.rng.between(low, high)):
                text += piece if number == 0 else self.once_more(start, end)
                if len(text) > MAX_LENGTH:
                    raise _Unknown
        return text

    def once_more(self, start: int, end: int) -> str:
        """The same atom again, with other characters."""
        self.at = start
        piece = self.atom()
        self.at = end
        return piece

    def atom(self) -> str:
        self.fuel -= 1
        if self.fuel < 0:
            raise _Unknown
        char = self.take()
        match char:
            case "^" | "$":
                return ""
            case ".":
                return self.rng.pick(_PLAIN)
            case "[":
                return self.rng.pick(self.members())
            case "\\":
                return self.escaped()
            case "(":
                return self.group()
            case "*" | "+" | "?" | "{":
                raise _Unknown
            case _:
                return char

    def group(self) -> str:
        if self.peek() == "?":
            self.take()
            if self.take() != ":":
                raise _Unknown
        text = self.alternatives()
        if self.take() != ")":
            raise _Unknown
        return text

    def escaped(self) -> str:
        char = self.take()
        if char in "bB" or char.isdigit():
            if char == "b":
                return ""
            raise _Unknown
        characters = _CLASSES.get(char) or _OUTSIDE.get(char)
        if characters:
            return self.rng.pick(characters)
        if char.isalpha() and char not in _CONTROLS:
            raise _Unknown
        return _CONTROLS.get(char, char)

    def members(self) -> str:
        """The characters of a class, after its opening bracket."""
        refused = self.peek() == "^"
        if refused:
            self.take()
        members = ""
        first = True
        while first or self.peek() != "]":
            first = False
            low = self.member()
            if self.peek() == "-" and self.pattern[self.at + 1] != "]" and len(low) == 1:
                self.take()
                high = self.member()
                if len(high) != 1:
                    raise _Unknown
                members += "".join(
                    chr(code) for code in range(ord(low), min(ord(high), ord(low) + 128) + 1)
                )
            else:
                members += low
        self.take()
        if not refused:
            return members
        return "".join(char for char in _PLAIN if char not in members) or "~"

    def member(self) -> str:
        char = self.take()
        if char != "\\":
            return char
        char = self.take()
        if char in _CLASSES:
            return _CLASSES[char]
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char.isalnum():
            raise _Unknown
        return char

    def count(self) -> tuple[int, int]:
        sign = self.peek()
        if sign == "{":
            low, high = self.braces()
        elif sign in _COUNTS:
            self.take()
            low, high = _COUNTS[sign]
        else:
            return 1, 1
        if self.peek() in ("?", "+"):
            self.take()
        return low, high

    def braces(self) -> tuple[int, int]:
        end = self.pattern.index("}", self.at)
        low, comma, high = self.pattern[self.at + 1 : end].partition(",")
        self.at = end + 1
        least = int(low or 0)
        if least > MAX_LENGTH:
            raise _Unknown
        most = least if not comma else int(high) if high else least + 2
        return least, min(most, MAX_LENGTH)
