"""The syntax tree of a script: tree-sitter's, with byte spans, tolerant of errors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tree_sitter import Node as Node
    from tree_sitter import Tree as Tree
else:
    Node = Tree = Any

MOST_BYTES = 512 * 1024
MOST_NODES = 500_000
MOST_LEVELS = 400
"""Levels of nesting. Scripts have fewer than a hundred."""
BOM = b"\xef\xbb\xbf"

FUNCTIONS = frozenset(
    {
        "arrow_function",
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "method_definition",
    }
)
WRAPPERS = frozenset({"parenthesized_expression", "await_expression"})


@cache
def _parser() -> Any:
    """The parser, imported late: the import takes tens of milliseconds."""
    import tree_sitter
    import tree_sitter_javascript

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


@lru_cache(maxsize=4)
def parse(data: bytes) -> Tree:
    """The tree of these bytes. A text with errors has nodes `ERROR` and missing ones. A few are
    kept, because a file is recognised and then read."""
    tree: Tree = _parser().parse(data)
    return tree


def text(node: Node) -> str:
    """The source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def line(node: Node) -> int:
    """The line on which a node begins, from 1."""
    return int(node.start_point[0]) + 1


def short(node: Node, most: int = 60) -> str:
    """The source text on one line, cut at 60 characters."""
    flat = " ".join(text(node).split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def walk(node: Node) -> Iterator[Node]:
    """The node and everything below it, in source order, without recursion. At most MOST_NODES."""
    waiting, count = [node], 0
    while waiting and count < MOST_NODES:
        one = waiting.pop()
        count += 1
        yield one
        waiting.extend(reversed(one.children))


def depth_of(root: Node) -> int:
    """The deepest nesting. Operators do not count: a long text in parts is a deep tree."""
    cursor = root.walk()
    depth = deepest = 0
    while True:
        counts = cursor.node is not None and cursor.node.type != "binary_expression"
        deepest = max(deepest, depth)
        if cursor.goto_first_child():
            depth += counts
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return deepest
            depth -= cursor.node is not None and cursor.node.type != "binary_expression"


def own(node: Node) -> Iterator[Node]:
    """As `walk`, without the bodies of functions inside."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if one.type not in FUNCTIONS or one == node:
            waiting.extend(reversed(one.children))


def parts(node: Node) -> list[Node]:
    """The named children without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def arguments(call: Node) -> list[Node]:
    """The arguments of a call."""
    given = call.child_by_field_name("arguments")
    return parts(given) if given is not None and given.type == "arguments" else []


def bare(node: Node) -> Node:
    """The expression without parentheses around it."""
    while node.type == "parenthesized_expression" and parts(node):
        node = parts(node)[0]
    return node


def inner(node: Node) -> Node:
    """The expression without parentheses and `await`."""
    while node.type in WRAPPERS and parts(node):
        node = parts(node)[0]
    return node


def method_of(call: Node) -> tuple[Node, str] | None:
    """The receiver and name of a method call `x.name(…)`."""
    callee = call.child_by_field_name("function")
    if callee is None or callee.type != "member_expression":
        return None
    receiver, name = callee.child_by_field_name("object"), callee.child_by_field_name("property")
    return (receiver, text(name)) if receiver is not None and name is not None else None


def function_name(node: Node) -> str:
    """The name of a function: of its declaration, or of the constant that holds it."""
    name = node.child_by_field_name("name")
    if name is not None:
        return text(name)
    parent = node.parent
    if parent is not None and parent.type == "variable_declarator":
        name = parent.child_by_field_name("name")
        return text(name) if name is not None and name.type == "identifier" else ""
    return ""


def enclosing(node: Node) -> Iterator[Node]:
    """The nodes around a node, the innermost first."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def is_string(node: Node) -> bool:
    """True for a string, or a template without substitutions."""
    return node.type == "string" or (
        node.type == "template_string"
        and all(child.type != "template_substitution" for child in node.named_children)
    )


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


def string_value(node: Node) -> str:
    """The value of a string or of a template's piece without substitutions."""
    return "".join(_pieces(node))


def _pieces(node: Node) -> Iterator[str]:
    for child in node.named_children:
        if child.type == "escape_sequence":
            yield escape_value(text(child))
        elif child.type == "string_fragment":
            yield text(child).replace("\r\n", "\n")


def escape_value(escape: str) -> str:
    """The character of an escape sequence."""
    body = escape[1:]
    if body[:1] in "\r\n\u2028\u2029":
        return ""
    try:
        if body.startswith("u{"):
            return chr(int(body[2:-1], 16))
        if body[:1] in "xu" and len(body) > 1:
            return chr(int(body[1:], 16))
    except ValueError:
        return body
    return ESCAPES.get(body, body)


def number_value(node: Node) -> int | float | None:
    """The value of a number literal. None for a big integer or an unreadable one."""
    digits = text(node).replace("_", "")
    try:
        if digits[:2].lower() in ("0x", "0o", "0b"):
            return int(digits, 0)
        value = float(digits)
    except ValueError:
        return None
    return int(value) if value.is_integer() and abs(value) < 1e15 else value
