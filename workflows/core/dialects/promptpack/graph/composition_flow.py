"""The step graph of a composition: the order of its steps, and the field that defines each link.

Steps run in list order (promptpack.md section 5.4). A link is explicit (`depends_on`, `then`,
`else`) or implicit: a step without `depends_on` follows all earlier steps that nothing follows yet.
A parallel step leads to all of its branches at once, and the next step joins them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from workflows.core.text.tolerant import as_list, as_object, as_str

DEPENDS = "depends_on"
BRANCH_FIELDS = ("then", "else")
REFERENCE_FIELDS = ("input", "args", "predicate", "branches")
_REFERENCE = re.compile(r"\$\{([^}.]+)")
Pointer: TypeAlias = tuple[str | int, ...]
LinkKind: TypeAlias = Literal["event", "conditional", "fallback", "fork", "join"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step with an id. `parent` is the parallel step of a branch, "" for none."""

    name: str
    pointer: Pointer
    spec: dict[str, Any]
    parent: str = ""

    @property
    def kind(self) -> str:
        return as_str(self.spec.get("kind"))

    @property
    def depends_on(self) -> list[str]:
        return [name for _, name in self.dependencies]

    @property
    def dependencies(self) -> list[tuple[int, str]]:
        """The strings in `depends_on`, each with its index."""
        value = self.spec.get(DEPENDS)
        listed = enumerate(value) if isinstance(value, list) else ()
        return [(index, item) for index, item in listed if isinstance(item, str)]

    @property
    def reads(self) -> set[str]:
        """The steps whose output this step or its branches read by `${…}`."""
        return {
            root for field in REFERENCE_FIELDS for root in _referenced_names(self.spec.get(field))
        }

    def branch_target(self, field: str) -> str:
        """The target of a branch step by `then` or `else`, "" for none."""
        value = self.spec.get(field) if self.kind == "branch" else None
        return as_str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link between two steps. `label` is the field that defines it, "" for list order.

    `dependency` is the name in `depends_on`: the parallel step if `source` is one of its branches.
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
    """The steps of one composition by id. Of two steps with the same id, only the first is
    drawn."""

    def __init__(self, name: str, spec: dict[str, Any]) -> None:
        self.name = name
        self.spec = spec
        self.base: Pointer = ("compositions", name, "steps")
        self.steps: dict[str, Step] = {}
        self.order: list[str] = []
        """Steps of the composition itself, without branches, in run order."""
        self.branches: dict[str, list[str]] = {}
        self._by_pointer: dict[Pointer, Step] = {}
        self._ends: dict[str, list[str]] = {}
        self._links_once: tuple[Link, ...] | None = None
        for step in self._add_steps(self.base, spec.get("steps"), ""):
            self.order.append(step)

    def _add_steps(self, base: Pointer, value: Any, parent: str) -> list[str]:
        names = []
        for index, spec in enumerate(as_list(value)):
            name = as_object(spec).get("id")
            if not isinstance(name, str) or not name or name in self.steps:
                continue
            pointer = (*base, index)
            step = Step(name=name, pointer=pointer, spec=spec, parent=parent)
            self.steps[name] = self._by_pointer[pointer] = step
            names.append(name)
            inner = self._add_steps((*pointer, "branches"), spec.get("branches"), name)
            if inner:
                self.branches[name] = inner
        return names

    def step_around(self, pointer: Pointer) -> Step | None:
        """The innermost step that contains this pointer."""
        for size in range(len(pointer), len(self.base), -1):
            if step := self._by_pointer.get(pointer[:size]):
                return step
        return None

    def ends(self, name: str) -> list[str]:
        """The steps in which a step ends: itself, or the last step of each of its branches."""
        ends = self._ends.get(name)
        if ends is None:
            inner = self.branches.get(name)
            ends = [end for branch in inner for end in self.ends(branch)] if inner else [name]
            self._ends[name] = ends
        return ends

    def top(self, name: str) -> str:
        """The step of the composition itself that contains this step, or is this step."""
        parent = self.steps[name].parent
        return self.top(parent) if parent else name

    def needs(self) -> dict[str, set[str]]:
        """Step of the composition → the steps that must run before it: the sources of its explicit
        links, and the steps whose output it reads."""
        needs = {
            name: {self.top(other) for other in self.steps[name].reads if other in self.steps}
            for name in self.order
        }
        for name, step in self.steps.items():
            for other in step.depends_on:
                if self._is_dependency(step, other):
                    needs[self.top(name)].add(self.top(other))
            for target in map(step.branch_target, BRANCH_FIELDS):
                if target in self.steps:
                    needs[self.top(target)].add(self.top(name))
        return needs

    def links(self) -> tuple[Link, ...]:
        """Every link once, ordered by target step. Computed once."""
        if self._links_once is None:
            self._links_once = tuple(self.first_links(None)[0])
        return self._links_once

    def first_links(self, limit: int | None) -> tuple[list[Link], int]:
        """The first links, and about the number of the others. Steps that depend on a step with
        many branches have far more links than the file has names."""
        links: dict[tuple[str, str, str], Link] = {}
        for link in self._links():
            if len(links) == limit:
                listed = sum(link.label == DEPENDS for link in links.values())
                return list(links.values()), max(self._dependency_count() - listed, 1)
            links.setdefault((link.source, link.label, link.target), link)
        return list(links.values()), 0

    def _dependency_count(self) -> int:
        return sum(
            len(self.ends(other))
            for step in self.steps.values()
            for other in set(step.depends_on)
            if self._is_dependency(step, other)
        )

    def _is_dependency(self, step: Step, other: str) -> bool:
        return other in self.steps and other not in (step.name, step.parent)

    def _links(self) -> Iterator[Link]:
        branch_sources = self._branch_sources()
        remaining = {name: set(targets) for name, targets in self._branch_targets().items()}
        open_ends: dict[str, None] = {}
        for name in self.order:
            step = self.steps[name]
            needs = [other for other in step.depends_on if other in self.steps and other != name]
            if needs:
                for other in needs:
                    open_ends.pop(self.top(other), None)
            elif name not in branch_sources:
                for other in open_ends:
                    yield from self._implicit_links(other, step)
                open_ends.clear()
            yield from self._explicit_links(step, branch_sources)
            for branch in branch_sources.get(name, ()):
                remaining[branch].discard(name)
                if not remaining[branch] and self.steps[branch].branch_target("else"):
                    open_ends.pop(branch, None)
            open_ends[name] = None

    def _branch_targets(self) -> dict[str, list[str]]:
        """Branch step → its target steps."""
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
        sources: dict[str, list[str]] = {}
        for name, targets in self._branch_targets().items():
            for target in targets:
                sources.setdefault(target, []).append(name)
        return sources

    def _explicit_links(
        self, step: Step, branch_sources: Mapping[str, list[str]]
    ) -> Iterator[Link]:
        """The links that a step itself defines: dependencies, branch targets and parallel
        branches."""
        first = {other: index for index, other in reversed(step.dependencies)}
        sources = frozenset(branch_sources.get(step.name, ()))
        for index, other in step.dependencies:
            if first[other] == index and other not in sources and self._is_dependency(step, other):
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
            yield from self._explicit_links(branch, branch_sources)

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
