"""What can be reached from where. Edges as `--validate` draws them (section 3.2e)."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Step


def is_end(source: RegistrySource, step: Step) -> bool:
    """Where a run may close. Reachability goes by c2 (the 1.14 generation by kind)."""
    return step.kind == "closure" if source.generation == "B" else step.c2 == "closure"


def successors(source: RegistrySource, id: str) -> list[str]:
    """Every step that a rule of this one names, fallbacks and repeats included."""
    return [arrow.target for arrow in source.steps[id].arrows if arrow.target in source.steps]


def steps_of_kinds(
    source: RegistrySource, kinds: tuple[str, ...] | None, *, but: str = ""
) -> list[str]:
    """The steps of these kinds (None: of any), without one; remembered with the source."""
    known: dict[tuple[str, ...] | None, list[str]] = source.kept.setdefault("kinds", {})
    if kinds not in known:
        known[kinds] = [
            id for id, step in source.steps.items() if kinds is None or step.kind in kinds
        ]
    return [id for id in known[kinds] if id != but]


def reachable(source: RegistrySource, starts: Iterable[str]) -> set[str]:
    seen = {id for id in starts if id in source.steps}
    stack = list(seen)
    while stack:
        for target in successors(source, stack.pop()):
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def can_close(source: RegistrySource) -> set[str]:
    """The steps from which a closure step can be reached."""
    before: dict[str, list[str]] = {}
    for id in source.steps:
        for target in successors(source, id):
            before.setdefault(target, []).append(id)
    seen = {step.id for step in source.steps.values() if is_end(source, step)}
    stack = list(seen)
    while stack:
        for id in before.get(stack.pop(), ()):
            if id not in seen:
                seen.add(id)
                stack.append(id)
    return seen


def cycles(source: RegistrySource, among: set[str]) -> list[list[str]]:
    """Groups of steps that lead to each other (or one to itself by another intent than repeat)."""
    order: list[str] = []
    seen: set[str] = set()
    for start in sorted(among):
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(successors(source, start)))]
        while stack:
            id, rest = stack[-1]
            following = next((t for t in rest if t in among and t not in seen), None)
            if following is None:
                order.append(id)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(successors(source, following))))
    return _components(source, order, among)


def _components(source: RegistrySource, order: list[str], among: set[str]) -> list[list[str]]:
    before: dict[str, list[str]] = {}
    for id in among:
        for target in successors(source, id):
            before.setdefault(target, []).append(id)
    placed: set[str] = set()
    found = []
    for start in reversed(order):
        if start in placed:
            continue
        group, stack = [start], [start]
        placed.add(start)
        while stack:
            for id in before.get(stack.pop(), ()):
                if id in among and id not in placed:
                    placed.add(id)
                    group.append(id)
                    stack.append(id)
        if len(group) > 1 or _loops(source.steps[start]):
            found.append(sorted(group))
    return found


def _loops(step: Step) -> bool:
    return any(arrow.target == step.id and arrow.intent != "repeat" for arrow in step.arrows)
