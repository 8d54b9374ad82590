"""Reachability of steps, with the same edges as Climpt's `--validate` (section 3.2e)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.rules.strong_components import cyclic_components


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Reachability:
    """The edges of a registry, including fallbacks and repeats. `after` and `before` are by step
    id, `reached` are the steps reachable from an entry, `closing` the steps from which a closure
    step is reachable."""

    after: dict[str, tuple[str, ...]]
    ends: dict[str, tuple[str, ...]]
    starts: tuple[str, ...]
    before: dict[str, list[str]]
    reached: set[str]
    closing: set[str]


def reachability_of(source: RegistrySource) -> Reachability:
    """The reachability of this source. Reused if no transition, end or entry changed."""
    after = cached_by_step(source, "after", _targets)
    ends = cached_by_step(source, "ends", _ends)
    starts = tuple(id for _, id in source.entries if id in source.steps)
    held: Reachability | None = source.memo.get("reach")
    if held is not None and held.after is after and held.ends is ends and held.starts == starts:
        return held
    before: dict[str, list[str]] = {}
    for id, targets in after.items():
        for target in targets:
            before.setdefault(target, []).append(id)
    found = Reachability(
        after=after,
        ends=ends,
        starts=starts,
        before=before,
        reached=_spread(starts, after),
        closing=_spread(ends, before),
    )
    source.memo["reach"] = found
    return found


def _targets(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """The id of each step with the existing targets of its transitions."""
    known = source.steps
    for step in steps:
        for arrow in step.arrows:
            if arrow.target in known:
                yield step.id, arrow.target


def _ends(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """The ids of steps that may end a run, twice each: by `c2`, since 1.14 by kind."""
    for step in steps:
        if (step.kind if source.generation == "B" else step.c2) == "closure":
            yield step.id, step.id


def _spread(starts: Iterable[str], after: Mapping[str, Iterable[str]]) -> set[str]:
    seen = set(starts)
    stack = list(seen)
    while stack:
        for target in after.get(stack.pop(), ()):
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def steps_of_kinds(
    source: RegistrySource, kinds: tuple[str, ...] | None, *, but: str = ""
) -> list[str]:
    """The steps of these kinds (None: all), without `but`. Cached on the source."""
    known: dict[tuple[str, ...] | None, list[str]] = source.kept.setdefault("kinds", {})
    if kinds not in known:
        known[kinds] = [
            id for id, step in source.steps.items() if kinds is None or step.kind in kinds
        ]
    return [id for id in known[kinds] if id != but]


def cycles(source: RegistrySource, among: set[str]) -> list[list[str]]:
    """Cycles of steps. A single step counts if it leads to itself by another intent than repeat."""
    after = reachability_of(source).after
    onward = {
        id: [
            target
            for target in after.get(id, ())
            if target in among and (target != id or _loops(source.steps[id]))
        ]
        for id in sorted(among)
    }
    return [sorted(group) for group in reversed(cyclic_components(onward))]


def _loops(step: Step) -> bool:
    return any(arrow.target == step.id and arrow.intent != "repeat" for arrow in step.arrows)
