"""A composition as a graph: which step comes after which, and where that is written.

Steps run in the order in which they stand (promptpack.md section 5.4). So an arrow is either
written (`depends_on`, `then`, `else`) or implied: a step that says nothing follows whatever was
not followed before it. A parallel step leads to all of its branches at once, and what comes after
it is where they meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

DEPENDS = "depends_on"
BRANCH_FIELDS = ("then", "else")
REFERENCE_FIELDS = ("input", "args", "predicate", "branches")
_REFERENCE = re.compile(r"\$\{([^}.]+)")
Pointer: TypeAlias = tuple[str | int, ...]
LinkKind: TypeAlias = Literal["event", "conditional", "fallback", "fork", "join"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step with an id. `parent` is the parallel step that it is a branch of, "" for none."""

    name: str
    pointer: Pointer
    spec: Mapping[str, Any]
    parent: str = ""

    @property
    def kind(self) -> str:
        kind = self.spec.get("kind")
        return kind if isinstance(kind, str) else ""

    @property
    def depends_on(self) -> list[str]:
        return [name for _, name in self.dependencies]

    @property
    def dependencies(self) -> list[tuple[int, str]]:
        """What stands in `depends_on`, with its place in it; nothing that is no text."""
        value = self.spec.get(DEPENDS)
        listed = enumerate(value) if isinstance(value, list) else ()
        return [(index, item) for index, item in listed if isinstance(item, str)]

    @property
    def reads(self) -> set[str]:
        """The steps whose output this one reads by `${…}`, its branches included."""
        return {
            root for field in REFERENCE_FIELDS for root in _referenced_names(self.spec.get(field))
        }

    def branch_target(self, field: str) -> str:
        """Where a branch step leads by `then` or `else`; "" where it does not."""
        value = self.spec.get(field) if self.kind == "branch" else None
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An arrow between two steps. `label` is the field that says so, "" where the order does.

    `named` is the step that a `depends_on` names: the parallel one where `source` is its branch.
    """

    source: str
    target: str
    label: str
    kind: LinkKind
    pointer: Pointer
    dependency: str


def _referenced_names(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield from _REFERENCE.findall(value)
        case dict():
            for item in value.values():
                yield from _referenced_names(item)
        case list():
            for item in value:
                yield from _referenced_names(item)


class Flow:
    """The steps of one composition by id. Of two with one id only the first is drawn."""

    def __init__(self, name: str, spec: Mapping[str, Any]) -> None:
        self.name = name
        self.spec = spec
        self.base: Pointer = ("compositions", name, "steps")
        self.steps: dict[str, Step] = {}
        self.order: list[str] = []
        """Steps that stand in the composition itself, in the order in which they run."""
        self.branches: dict[str, list[str]] = {}
        for step in self._add_steps(self.base, spec.get("steps"), ""):
            self.order.append(step)

    def _add_steps(self, base: Pointer, value: Any, parent: str) -> list[str]:
        found = []
        for index, spec in enumerate(value if isinstance(value, list) else []):
            name = spec.get("id") if isinstance(spec, dict) else None
            if not isinstance(name, str) or not name or name in self.steps:
                continue
            pointer = (*base, index)
            self.steps[name] = Step(name=name, pointer=pointer, spec=spec, parent=parent)
            found.append(name)
            inner = self._add_steps((*pointer, "branches"), spec.get("branches"), name)
            if inner:
                self.branches[name] = inner
        return found

    def ends(self, name: str) -> list[str]:
        """Where the work of a step is done: at itself, or at the last of each of its branches."""
        inner = self.branches.get(name)
        return [end for branch in inner for end in self.ends(branch)] if inner else [name]

    def top(self, name: str) -> str:
        """The step of the composition itself that this one is or stands in."""
        parent = self.steps[name].parent
        return self.top(parent) if parent else name

    def needs(self) -> dict[str, set[str]]:
        """Step of the composition → those that have to stand before it: written arrows lead from
        them to it, or it reads what comes out of them."""
        found = {
            name: {self.top(other) for other in self.steps[name].reads if other in self.steps}
            for name in self.order
        }
        for link in self.links():
            if link.label and link.target in self.steps:
                found[self.top(link.target)].add(self.top(link.source))
        return found

    def links(self) -> list[Link]:
        """Every arrow once, in the order of the steps that they lead to."""
        found: dict[tuple[str, str, str], Link] = {}
        for link in self._links():
            found.setdefault((link.source, link.label, link.target), link)
        return list(found.values())

    def _links(self) -> Iterator[Link]:
        aimed = self._branch_sources()
        left = {name: set(targets) for name, targets in self._branch_targets().items()}
        open_ends: dict[str, None] = {}
        for name in self.order:
            step = self.steps[name]
            needs = [other for other in step.depends_on if other in self.steps and other != name]
            if needs:
                for other in needs:
                    open_ends.pop(self.top(other), None)
            elif name not in aimed:
                for other in open_ends:
                    yield from self._implicit_links(other, step)
                open_ends.clear()
            yield from self._explicit_links(step, aimed)
            for branch in aimed.get(name, ()):
                left[branch].discard(name)
                if not left[branch] and self.steps[branch].branch_target("else"):
                    open_ends.pop(branch, None)
            open_ends[name] = None

    def _branch_targets(self) -> dict[str, list[str]]:
        """Branch step → the steps that it leads to."""
        return {
            name: [
                step.branch_target(field)
                for field in BRANCH_FIELDS
                if step.branch_target(field) in self.steps
            ]
            for name, step in self.steps.items()
            if step.kind == "branch"
        }

    def _branch_sources(self) -> dict[str, list[str]]:
        """Step → the branch steps that lead to it."""
        found: dict[str, list[str]] = {}
        for name, targets in self._branch_targets().items():
            for target in targets:
                found.setdefault(target, []).append(name)
        return found

    def _explicit_links(self, step: Step, aimed: Mapping[str, list[str]]) -> Iterator[Link]:
        """What the step itself says: on what it depends, where it leads, what it runs at once."""
        for index, other in step.dependencies:
            known = other in self.steps and other not in (step.name, step.parent)
            if known and other not in aimed.get(step.name, ()):
                yield from self._dependency_links(other, step, index)
        for field in BRANCH_FIELDS:
            if step.branch_target(field):
                yield Link(
                    source=step.name,
                    target=step.branch_target(field),
                    label=field,
                    kind="conditional",
                    pointer=(*step.pointer, field),
                    dependency=step.name,
                )
        for inner in self.branches.get(step.name, ()):
            branch = self.steps[inner]
            yield Link(
                source=step.name,
                target=inner,
                label="",
                kind="fork",
                pointer=branch.pointer,
                dependency=step.name,
            )
            yield from self._explicit_links(branch, aimed)

    def _dependency_links(self, other: str, step: Step, index: int) -> Iterator[Link]:
        for end in self.ends(other):
            yield Link(
                source=end,
                target=step.name,
                label=DEPENDS,
                kind="event" if end == other else "join",
                pointer=(*step.pointer, DEPENDS, index),
                dependency=other,
            )

    def _implicit_links(self, other: str, step: Step) -> Iterator[Link]:
        plain: LinkKind = "fallback" if self.steps[other].kind == "branch" else "event"
        for end in self.ends(other):
            yield Link(
                source=end,
                target=step.name,
                label="",
                kind=plain if end == other else "join",
                pointer=step.pointer,
                dependency=other,
            )
