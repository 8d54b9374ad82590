"""JavaScript literals: written in the style of the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    escape_value,
    parts,
    string_value,
    text,
)
from workflows.core.pack.edits import EditRefused

PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
ESCAPED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\u2028": "\\u2028", "\u2029": "\\u2029"}
CONTROL = re.compile(r"[\\\n\r\u2028\u2029\x00-\x08\x0b\x0c\x0e-\x1f]")
Change = tuple[int, int, bytes]


@dataclass(frozen=True, kw_only=True)
class Style:
    """The habits of a file: its quotes, its line ending, its indentation."""

    quote: str
    newline: str
    indent: str


def style_of(data: bytes) -> Style:
    """By majority; single quotes, LF and two spaces in an empty file."""
    crlf = data.count(b"\r\n")
    tabs = data.count(b"\n\t")
    return Style(
        quote='"' if data.count(b'"') > data.count(b"'") else "'",
        newline="\r\n" if crlf * 2 > data.count(b"\n") else "\n",
        indent="\t" if tabs else "  ",
    )


def quoted(value: str, quote: str) -> str:
    """A text between these quotes."""

    def escape(found: re.Match[str]) -> str:
        return ESCAPED.get(found[0]) or f"\\x{ord(found[0]):02x}"

    body = CONTROL.sub(escape, value).replace(quote, f"\\{quote}")
    return f"{quote}{body}{quote}"


def literal(value: Any, style: Style) -> str:
    """A JSON value as JavaScript on one line."""
    match value:
        case str():
            return quoted(value, style.quote)
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int():
            return str(value)
        case float():
            return repr(value)
        case list():
            return f"[{', '.join(literal(one, style) for one in value)}]"
        case dict():
            pairs = [f"{key_text(key, style)}: {literal(one, style)}" for key, one in value.items()]
            return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    raise EditRefused(f"A {type(value).__name__} is no value of a script.")


def key_text(key: str, style: Style) -> str:
    """The name of a property, in quotes if it needs them."""
    return key if PLAIN_KEY.match(key) and key != "__proto__" else quoted(key, style.quote)


def replaced(node: Node, value: Any, style: Style) -> Change:
    """The change of a literal to another value. A text keeps its quotes."""
    if isinstance(value, str) and node.type == "string":
        written = quoted(value, text(node)[0])
    elif isinstance(value, str) and node.type == "template_string":
        return node.start_byte, node.end_byte, template(node, value, style).encode()
    else:
        written = literal(value, style)
    return node.start_byte, node.end_byte, written.encode()


def shown_template(node: Node) -> str:
    """The text of a string or template. `${…}` keeps its spelling."""
    if node.type == "string":
        return string_value(node)
    return "".join(
        text(one) if one.type == "template_substitution" else _cooked(one)
        for one in node.named_children
    )


def _cooked(node: Node) -> str:
    raw = text(node)
    return escape_value(raw) if node.type == "escape_sequence" else raw.replace("\r\n", "\n")


def template(node: Node, value: str, style: Style) -> str:
    """A template with new literal parts. Its substitutions are code, so they stay in order; parts
    that do not change keep their spelling."""
    codes = [text(one) for one in node.named_children if one.type == "template_substitution"]
    pieces: list[str] = []
    rest = value
    for code in codes:
        before, found, rest = rest.partition(code)
        if not found:
            raise EditRefused(
                f"The text no longer has {code}, which is code.",
                hint="Change substitutions in the text view.",
            )
        pieces.append(before)
    pieces.append(rest)
    old = _raw_pieces(node)
    written = [
        raw if cooked == piece else _escaped(piece, raw, style)
        for piece, (raw, cooked) in zip(pieces, old, strict=True)
    ]
    result = "`" + written[0]
    for code, piece in zip(codes, written[1:], strict=True):
        result += code + piece
    return result + "`"


def _raw_pieces(node: Node) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = [("", "")]
    for one in node.named_children:
        if one.type == "template_substitution":
            pieces.append(("", ""))
        else:
            raw, cooked = pieces[-1]
            pieces[-1] = (raw + text(one), cooked + _cooked(one))
    return pieces


def _escaped(piece: str, raw: str, style: Style) -> str:
    body = piece.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
    body = body.replace("\r", "\\r")
    if "\\n" in raw and "\n" not in raw:
        return body.replace("\n", "\\n")
    return body.replace("\n", style.newline)


def pair_of(node: Node, key: str) -> Node | None:
    """The property of an object literal; the last one counts."""
    found = None
    for one in parts(node):
        name = one.child_by_field_name("key")
        if (one.type == "shorthand_property_identifier" and text(one) == key) or (
            name is not None and _key(name) == key
        ):
            found = one
    return found


def _key(node: Node) -> str:
    return string_value(node) if node.type == "string" else text(node)


def inserted(data: bytes, node: Node, key: str, written: str, style: Style) -> Change:
    """The change that adds a property to an object literal."""
    pair = f"{key_text(key, style)}: {written}"
    return appended(data, node, pair, spread_last=True)


def appended(data: bytes, node: Node, item: str, *, spread_last: bool = False) -> Change:
    """The change that adds an item to an object or list literal, in the style of the others."""
    items = parts(node)
    if not items:
        inside = f" {item} " if node.type == "object" else item
        return node.start_byte + 1, node.end_byte - 1, inside.encode()
    last = items[-1]
    if spread_last and last.type == "spread_element":
        plain = [one for one in items if one.type != "spread_element"]
        last = plain[-1] if plain and not _later_spread(items, plain[-1]) else last
    comma = _comma_after(last)
    line_start = data.rfind(b"\n", 0, last.start_byte) + 1
    before = data[line_start : last.start_byte]
    many = not before.strip() and line_start > node.start_byte
    if not many:
        at = comma.end_byte if comma is not None else last.end_byte
        more = f" {item}," if comma is not None else f", {item}"
        return at, at, more.encode()
    newline = "\r\n" if data[line_start - 2 : line_start - 1] == b"\r" else "\n"
    indent = before.decode()
    if comma is not None:
        return comma.end_byte, comma.end_byte, f"{newline}{indent}{item},".encode()
    return last.end_byte, last.end_byte, f",{newline}{indent}{item}".encode()


def _later_spread(items: list[Node], last: Node) -> bool:
    """True if a spread after a property can overwrite what is inserted there."""
    return any(one.type == "spread_element" and one.start_byte > last.start_byte for one in items)


def _comma_after(node: Node) -> Node | None:
    following = node.next_sibling
    while following is not None and following.type == "comment":
        following = following.next_sibling
    return following if following is not None and following.type == "," else None


def removed(data: bytes, node: Node) -> Change:
    """The change that removes an item of an object or list literal, with its comma and line."""
    comma = _comma_after(node)
    start, end = node.start_byte, comma.end_byte if comma is not None else node.end_byte
    line_start = data.rfind(b"\n", 0, start) + 1
    line_end = data.find(b"\n", end)
    alone = not data[line_start:start].strip() and line_end >= 0 and not data[end:line_end].strip()
    if alone:
        return line_start, line_end + 1, b""
    if comma is not None:
        while data[end : end + 1] in (b" ", b"\t"):
            end += 1
        return start, end, b""
    previous = node.prev_sibling
    if previous is not None and previous.type == ",":
        return previous.start_byte, end, b""
    return start, end, b""
