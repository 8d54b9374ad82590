"""Errors of JSON texts, in plain words and with their place."""

from __future__ import annotations

import json
import re

# A string that is never closed is matched too: if it were not, each of its quotes would be tried as
# the start of a string. For the same reason a number does not start inside another.
_TOKENS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)
_CONSTANT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|(-?Infinity|NaN)', re.DOTALL)
_NUMBER = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|(?<![0-9])(-?[0-9]{4000,})', re.DOTALL)
_BREAK = re.compile(r"\r\n|\n|\r")
_OF_PYTHON = re.compile(r"(?:True|False|None)\b")
_CLOSING = {"{": "}", "[": "]"}


class JsonTextError(Exception):
    """Not JSON that can be read. `line` and `column` count from 1, `offset` is in bytes."""

    def __init__(self, message: str, *, line: int, column: int, offset: int) -> None:
        super().__init__(f"{message} (line {line}, column {column})")
        self.message = message
        self.line = line
        self.column = column
        self.offset = offset


def at_text(message: str, skipped: int, text: str, position: int) -> JsonTextError:
    """An error at a character of `text`, which begins `skipped` bytes into the file."""
    before = text[:position]
    line_starts = [0, *(match.end() for match in _BREAK.finditer(before))]
    return JsonTextError(
        message,
        line=len(line_starts),
        column=position - line_starts[-1] + 1,
        offset=skipped + len(before.encode("utf-8")),
    )


def unreadable(data: bytes, offset: int) -> JsonTextError:
    """Bytes that are not UTF-8 text."""
    sentence = _other_encoding(data)
    if sentence is None:
        sentence = (
            f"The file is not UTF-8: byte 0x{data[offset]:02X} at offset {offset} does not belong."
            " Save it as UTF-8."
        )
    return at_byte(sentence, data, offset)


def at_byte(message: str, data: bytes, offset: int) -> JsonTextError:
    """An error at a byte of the file."""
    before = data[:offset].decode("utf-8", "replace").removeprefix("\ufeff")
    lines = _BREAK.split(before)
    return JsonTextError(message, line=len(lines), column=len(lines[-1]) + 1, offset=offset)


def _other_encoding(data: bytes) -> str | None:
    if (
        data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff")
        or data[:3] == b"\0\0\0"
        or (data[1:4] == b"\0\0\0")
    ):
        return "The file is UTF-32. Save it as UTF-8."
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:2]:
        return "The file is UTF-16. Save it as UTF-8."
    return None


def depth_error(data: bytes, skipped: int, text: str, limit: int) -> JsonTextError | None:
    """An error at the first bracket nested deeper than `limit`, or None if there is none."""
    level = 0
    for match in _TOKENS.finditer(text):
        match match[0]:
            case "{" | "[":
                level += 1
                if level > limit:
                    message = f"Nested deeper than {limit} levels."
                    return at_text(message, skipped, text, match.start())
            case "}" | "]":
                level -= 1
    return None


def explained(data: bytes, skipped: int, text: str, error: ValueError) -> JsonTextError:
    """The error of the reader, reworded with its fix."""
    if isinstance(error, json.JSONDecodeError):
        message, position = _plain(error.msg, text, error.pos)
        return at_text(message, skipped, text, position)
    pattern = _CONSTANT if str(error) in ("NaN", "Infinity", "-Infinity") else _NUMBER
    for match in pattern.finditer(text):
        if match[1]:
            name = match[1] if pattern is _CONSTANT else "A number of this length"
            return at_text(f"{name} is not a JSON number.", skipped, text, match.start())
    return at_text("This is not JSON.", skipped, text, 0)


def _plain(problem: str, text: str, position: int) -> tuple[str, int]:
    here = text[position : position + 1]
    before = text[:position].rstrip(" \t\r\n")
    actual = f"found {here!r}" if here else "the text ends"
    if not text.strip(" \t\r\n"):
        return "The file is empty.", 0
    if here == "/" and text[position + 1 : position + 2] in ("/", "*"):
        return "JSON has no comments: remove this one.", position
    if here and here in "}]" and before.endswith(","):
        return f"Remove the comma before this {here!r}.", len(before) - 1
    if here and here in "'‘’“”„":
        return f"Keys and strings need straight double quotes: {actual}.", position
    if word := _OF_PYTHON.match(text, position):
        right = {"True": "true", "False": "false", "None": "null"}[word[0]]
        return f"JSON writes {right} instead of {word[0]}.", position
    if here == "{" and problem.startswith("Expecting property name") and before.endswith("],"):
        return "']' closes the list too early: another item follows.", len(before) - 2
    match problem:
        case "Expecting value":
            return f"A value is missing: {actual}.", position
        case "Expecting property name enclosed in double quotes":
            return f"A key in double quotes is missing: {actual}.", position
        case "Expecting ':' delimiter":
            return f"A ':' is missing after the key: {actual}.", position
        case "Expecting ',' delimiter":
            return _bracket(text, position, actual)
        case "Unterminated string starting at":
            return "This string is never closed.", position
        case "Invalid control character at":
            return _control(here), position
        case "Extra data":
            return f"The text should end after its one value: {actual}.", position
    if problem.startswith("Invalid \\u"):
        return "A \\u escape needs four hexadecimal digits.", position
    if problem.startswith("Invalid \\escape"):
        return f"A backslash is not allowed before {text[position + 1 : position + 2]!r}.", position
    return f"{problem}.", position


def _bracket(text: str, position: int, actual: str) -> tuple[str, int]:
    """The words for a comma or a closing bracket that is missing at `position`, and the place."""
    usual = f"A comma or a closing bracket is missing: {actual}."
    here = text[position : position + 1]
    opened: list[int] = []
    for token in _TOKENS.finditer(text, 0, position):
        if token[0] in _CLOSING:
            opened.append(token.start())
        elif token[0] in ("}", "]"):
            start = opened.pop()
            line = _line_before(text, token.start())
            if not here and not line.strip() and line != _indentation(text, start):
                close = _CLOSING[text[start]]
                return f"A {close!r} is missing for the {text[start]!r} in this line.", start
    if not opened:
        return usual, position
    bracket = text[opened[-1]]
    if here == ":" and bracket == "[":
        return f"A list has no keys: {actual}. An object begins with '{{' instead of '['.", position
    if here in ("}", "]"):
        return f"{_CLOSING[bracket]!r} is missing before this {here!r}.", position
    return usual, position


def _indentation(text: str, position: int) -> str:
    line = _line_before(text, position)
    return line[: len(line) - len(line.lstrip())]


def _line_before(text: str, position: int) -> str:
    """The part of a line before this position."""
    return text[max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1 : position]


def _control(here: str) -> str:
    names = {"\n": "A line break", "\r": "A line break", "\t": "A tab"}
    escapes = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    name = names.get(here, f"The control character U+{ord(here or chr(0)):04X}")
    escape = escapes.get(here, f"\\u{ord(here or chr(0)):04x}")
    return f"{name} is not allowed in a string: write {escape}."
