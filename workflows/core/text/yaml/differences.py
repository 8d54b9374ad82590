"""The members that differ between a mapping or list and its new value."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from workflows.core.text.json.merge import same
from workflows.core.text.yaml.node import Member, Node
from workflows.core.text.yaml.scalar import plain_fits, quoted
from workflows.core.text.yaml.style import QUOTES


@dataclass(frozen=True, slots=True)
class Replacement:
    """A scalar over a scalar, in the spelling of the old one. `indexes` lead to its member."""

    indexes: tuple[int, ...]
    container: Node
    member: Member
    value: str | bool | int | float


@dataclass(slots=True)
class Differences:
    """Scalars that can be replaced together, because the text of none depends on the others, and
    the number of other changes."""

    together: list[Replacement] = field(default_factory=list)
    others: int = 0

    def add(self, node: Node, value: Any, indexes: tuple[int, ...]) -> None:
        """Add the differences between the value of a container and a new value."""
        if node.anchor or node.tag or not value or not node.members:
            self.others += 1
        elif node.kind == "mapping" and isinstance(value, dict):
            self._mapping(node, value, indexes)
        elif node.kind == "sequence" and isinstance(value, list):
            self._sequence(node, value, indexes)
        else:
            self.others += 1

    def _mapping(self, node: Node, value: dict[str, Any], indexes: tuple[int, ...]) -> None:
        own = {each.key: place for place, each in enumerate(node.members)}
        if any(each.merges for each in node.members) or not own.keys() & value.keys():
            self.others += 1
            return
        self.others += len(own.keys() - value.keys()) + len(value.keys() - own.keys())
        for key, new in value.items():
            if key in own:
                self._member(node, own[key], new, indexes)

    def _sequence(self, node: Node, value: list[Any], indexes: tuple[int, ...]) -> None:
        head, both = aligned(node.value, value)
        self.others += abs(len(node.value) - len(value))
        for place in range(head, head + both):
            self._member(node, place, value[place], indexes)

    def _member(self, container: Node, place: int, value: Any, indexes: tuple[int, ...]) -> None:
        member = container.members[place]
        node, here = member.node, (*indexes, place)
        if same(node.value, value):
            return
        if node.kind in ("mapping", "sequence"):
            self.add(node, value, here)
        elif keeps_spelling(node, value, flow=container.flow):
            self.together.append(Replacement(here, container, member, value))
        else:
            self.others += 1


def aligned(old: list[Any], new: list[Any]) -> tuple[int, int]:
    """The number of elements at the beginning that are the same, and of those after them that are
    replaced. The rest is removed or added after those."""
    pairs = zip(old, new, strict=False)
    head = len(list(takewhile(lambda pair: same(*pair), pairs)))
    ends = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
    tail = len(list(takewhile(lambda pair: same(*pair), ends)))
    return head, min(len(old), len(new)) - head - tail


def keeps_spelling(node: Node, value: Any, *, flow: bool) -> bool:
    """True for a scalar whose text depends on the one that it replaces only: a number, or a string
    over a string that has the same quotes or as few."""
    if node.kind != "scalar" or node.anchor or node.tag or node.inside == node.end:
        return False
    if node.style not in ("", *QUOTES):
        return False
    if isinstance(value, bool | int | float):
        return True
    if not isinstance(value, str) or not isinstance(node.value, str):
        return False
    if node.style:
        return quoted(value, node.style)[0] == node.style
    return plain_fits(value, flow=flow)
