"""Reachability of steps: as in a run, or with the edges of Climpt's `--validate` (section 3.2e)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.graph.implicit_transitions import continuation_by_name
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.rules.strong_components import cyclic_components

NO_JUMPS: dict[str, tuple[str, ...]] = {}


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Reachability:
    """The edges of a registry, including fallbacks and repeats. `after` and `before` are by step
    id, `jumps` are the steps whose answer may name any step, `reached` the steps reachable from an
    entry, `closing` the steps from which a closure step is reachable."""

    after: dict[str, tuple[str, ...]]
    ends: dict[str, tuple[str, ...]]
    starts: tuple[str, ...]
    jumps: dict[str, tuple[str, ...]]
    before: dict[str, list[str]]
    reached: set[str]
    closing: set[str]

    def made_of(self, after: object, ends: object, jumps: object, starts: tuple[str, ...]) -> bool:
        """True if it was computed from these very objects."""
        same = self.after is after and self.ends is ends and self.jumps is jumps
        return same and self.starts == starts


def reachability_of(source: RegistrySource, profile: str) -> Reachability:
    """The reachability of this source under a profile. Reused if no transition, end or entry
    changed.

    Under `climpt`, the edges and ends are those of Climpt's `--validate`. Under `documented`, they
    are those of a run: `initial.X` leads to `continuation.X` by name, a closure step is recognised
    by its kind, and `jump` with a `targetField` may lead to any step.
    """
    climpt = profile == "climpt"
    after = cached_by_step(source, f"after {profile}", _targets if climpt else _documented_targets)
    ends = cached_by_step(source, f"ends {profile}", _ends if climpt else _documented_ends)
    jumps = NO_JUMPS if climpt else cached_by_step(source, "jumps", _jumps)
    starts = tuple(id for _, id in source.entries if id in source.steps)
    held: Reachability | None = source.memo.get(("reach", profile))
    if held is not None and held.made_of(after, ends, jumps, starts):
        return held
    before: dict[str, list[str]] = {}
    for id, targets in after.items():
        for target in targets:
            before.setdefault(target, []).append(id)
    reached = _spread(starts, after)
    if not reached.isdisjoint(jumps):
        reached |= source.steps.keys()
    result = Reachability(
        after=after,
        ends=ends,
        starts=starts,
        jumps=jumps,
        before=before,
        reached=reached,
        closing=_spread((*ends, *(jumps if ends else ())), before),
    )
    source.memo["reach", profile] = result
    return result


def _targets(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """The id of each step with the existing targets of its transitions."""
    all_steps = source.steps
    for step in steps:
        for transition in step.transitions:
            if transition.target in all_steps:
                yield step.id, transition.target


def _documented_targets(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """As `_targets`, and the continuation that follows by name."""
    for step in steps:
        yield from _targets(source, (step,))
        if twin := next_by_name(source, step):
            yield step.id, twin


def next_by_name(source: RegistrySource, step: Step) -> str:
    """The step that follows `initial.X` by its name in the document: `continuation.X`, after `next`
    without a rule, or after every answer of a registry without gates; "" if there is none."""
    twin = continuation_by_name(source, step)
    by_name = not source.flow or ("next" in step.allowed and "next" not in step.rules)
    return twin if by_name else ""


def _ends(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """The ids of steps that may end a run, twice each: by `c2`, since 1.14 by kind."""
    for step in steps:
        if (step.kind if source.generation == "B" else step.c2) == "closure":
            yield step.id, step.id


def _documented_ends(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """The ids of closure steps and of steps without a kind that allow `closing`, twice each."""
    for step in steps:
        if step.kind == "closure" or (step.kind is None and "closing" in step.allowed):
            yield step.id, step.id


def _jumps(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    """The ids of steps whose answer may name any step, twice each."""
    for step in steps:
        if "jump" in step.allowed and (step.gate or {}).get("targetField"):
            yield step.id, step.id


def _spread(starts: Iterable[str], after: Mapping[str, Iterable[str]]) -> set[str]:
    visited = set(starts)
    stack = list(visited)
    while stack:
        for target in after.get(stack.pop(), ()):
            if target not in visited:
                visited.add(target)
                stack.append(target)
    return visited


def steps_of_kinds(
    source: RegistrySource, kinds: tuple[str, ...] | None, *, but: str = ""
) -> list[str]:
    """The steps of these kinds (None: all), without `but`. Cached on the source."""
    by_kinds: dict[tuple[str, ...] | None, list[str]] = source.kept.setdefault("kinds", {})
    if kinds not in by_kinds:
        by_kinds[kinds] = [
            id for id, step in source.steps.items() if kinds is None or step.kind in kinds
        ]
    return [id for id in by_kinds[kinds] if id != but]


def cycles(source: RegistrySource, among: set[str], profile: str) -> list[list[str]]:
    """Cycles of steps. A single step counts if it leads to itself by another intent than repeat."""
    after = reachability_of(source, profile).after
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
    return any(
        transition.target == step.id and transition.intent != "repeat"
        for transition in step.transitions
    )
