"""The data of one YAML value: its position, its spelling and its meaning.

Positions count characters of the decoded text without its byte order mark.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["scalar", "mapping", "sequence", "alias"]


@dataclass(slots=True, eq=False, kw_only=True)
class Node:
    """One value. `start` lies before anchor and tag, `inside` after them; `end` is the first
    character after the value, for block values without the line's break and comment.

    `style` is "" (plain), a quote, "|" or ">" for scalars; "block" or "flow" for containers.
    """

    kind: Kind
    start: int
    inside: int
    end: int
    style: str = ""
    value: Any = None
    anchor: str | None = None
    tag: str | None = None
    target: Node | None = None  # the node of an alias
    members: list[Member] = field(default_factory=list)
    weight: int = 1  # values in here once every alias is unfolded
    height: int = 0  # containers inside each other, likewise
    repeats: bool = False  # some mapping in here has the same key twice

    @property
    def real(self) -> Node:
        """The value itself, or what an alias stands for."""
        return self.target or self

    @property
    def flow(self) -> bool:
        return self.style == "flow"


@dataclass(slots=True, eq=False, kw_only=True)
class Member:
    """A key with its value, or an element; `begin` is its key, "?" or dash, `lead` the place after
    its colon or dash (None where it has none)."""

    begin: int
    node: Node
    key: str | None = None
    label: Node | None = None
    lead: int | None = None

    @property
    def end(self) -> int:
        return max(self.node.end, self.lead or 0, self.label.end if self.label else 0)

    @property
    def merges(self) -> bool:
        """True for a `<<`, which merges the keys of other mappings."""
        return (
            self.key == "<<" and self.label is not None and not self.label.style
            and bool(sources(self.node))
        )  # fmt: skip


def sources(node: Node) -> list[Node]:
    """The mappings a `<<` names; none if its value is something else."""
    target = node.real
    nodes = [target] if target.kind == "mapping" else [each.node.real for each in target.members]
    return nodes if all(each.kind == "mapping" for each in nodes) else []


def member_of(node: Node, key: str) -> Member | None:
    """The last own member with this key."""
    for member in reversed(node.members):
        if member.key == key and not member.merges:
            return member
    return None


def everywhere(root: Node) -> Iterator[tuple[Node, Member | None, Node | None]]:
    """Every value as (node, its member, the container), containers before what they hold."""
    waiting: list[tuple[Node, Member | None, Node | None]] = [(root, None, None)]
    while waiting:
        node, member, parent = waiting.pop()
        yield node, member, parent
        waiting.extend((each.node, each, node) for each in reversed(node.members))
