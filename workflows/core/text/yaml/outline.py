"""The meaning of a text without its spelling, to compare it before and after an edit.

A container is a tuple of (key, meaning) rows, None for the key of an element, repeated keys and
all; an alias is its name and not what it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from workflows.core.text.yaml.node import Node

Outline: TypeAlias = tuple[Any, ...]


class Scalar(str):
    """A scalar's type and value as text: 1, 1.0 and true are three."""

    __slots__ = ()


def outline(node: Node) -> Any:
    """The meaning of a node; at most TEXT_DEPTH deep."""
    if node.kind == "alias":
        return Scalar("*" + (node.anchor or ""))
    if node.kind == "scalar":
        return _scalar(node.value)
    kind = "{}" if node.kind == "mapping" else "[]"
    rows = tuple((each.key, outline(each.node)) for each in node.members)
    return rows or Scalar(kind)


def outline_of(value: Any) -> Any:
    """The meaning of a plain value."""
    if isinstance(value, dict):
        return tuple((key, outline_of(each)) for key, each in value.items()) or Scalar("{}")
    if isinstance(value, list):
        return tuple((None, outline_of(each)) for each in value) or Scalar("[]")
    return _scalar(value)


def changed_outline(node: Any, path: Sequence[int], change: Callable[[Outline], Any]) -> Any:
    """The meaning with the change made to the container or value at the end of `path`."""
    if not path:
        changed = change(node)
        if changed == () and isinstance(node, tuple) and node:
            return Scalar("[]" if node[0][0] is None else "{}")
        return changed
    first, *rest = path
    key, inside = node[first]
    return (*node[:first], (key, changed_outline(inside, rest, change)), *node[first + 1 :])


def _scalar(value: Any) -> Scalar:
    return Scalar(f"{type(value).__name__} {value!r}")
