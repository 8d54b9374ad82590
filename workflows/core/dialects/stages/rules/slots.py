"""Rules over the state slot: values that are written, and reads that precede them.

The names that are certainly written before a stage starts are computed for all names at once: a bit
per name, intersected over all routes to the stage.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Any

from workflows.core.dialects.stages.format.paths import Path, read_path
from workflows.core.dialects.stages.format.predicates import paths
from workflows.core.dialects.stages.graph.transitions import outgoing_transitions
from workflows.core.dialects.stages.rules.conditions import conditions
from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule, unset_in_stage
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.tolerant import as_object

MAX_BRANCH = 100
"""Maximum number of stages of a branch that are inspected."""
MAX_PATHS = 20
"""Maximum number of findings with a path, because each needs a search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A field of a setup that requires a value of the slot."""

    stage: str
    field: str
    name: str
    path: Path


def _reads(facts: Facts) -> Iterator[_Read]:
    for stage, fields in facts.fields.items():
        for field, item in fields.items():
            path = read_path(item.get("from")) if isinstance(item, dict) else None
            if path is None or path.root != "slot" or not path.steps:
                continue
            if "default" not in item and item.get("optional") is not True:
                yield _Read(stage=stage, field=field, name=str(path.steps[0]), path=path)


def _written(facts: Facts, stage: str) -> Mapping[str, Any]:
    """The slot values of a stage's `exit`: name → path."""
    return as_object(as_object(facts.source.entry(stage).get("exit")).get("slot"))


@stage_rule("ST522", "warning", "Setup reads a slot that is never written", profiles=EVERY)
def never_written(facts: Facts) -> Iterable[Note]:
    """The field reads a name of the state slot that no stage's `exit` writes, so the stage fails in
    Setup. Write the name in the `exit` of a stage, correct it, or give the field a default."""
    for read in _reads(facts):
        if read.name in facts.slots:
            continue
        near = closest_name(read.name, facts.slots)
        meant = f"slot.{near}{read.path.text[len('slot.') + len(read.name) :]}"
        fix = set_in_stage(read.stage, "setup", read.field, "from", value=meant)
        yield Note(
            message=f"'setup.{read.field}' of {read.stage!r} reads {read.path.text!r}, which"
            " no exit writes.",
            place=facts.entry(read.stage, "setup", read.field, "from"),
            fix=make_fix(f"Read {meant}", fix) if near else None,
        )


@stage_rule("ST530", "hint", "Slot value is never read", profiles=EVERY)
def never_read(facts: Facts) -> Iterable[Note]:
    """A stage keeps a value in the state slot, and no setup and no condition of the pipeline reads
    it. Remove it, unless the host of the run reads it."""
    read = slot_names_read(facts)
    if "" in read:
        return  # A path without a name reads the whole slot.
    for stage, _ in facts.declared("exit"):
        for name in _written(facts, stage):
            if name not in read:
                yield Note(
                    message=f"'slot.{name}' of {stage!r} is never read. Remove it.",
                    place=facts.entry(stage, "exit", "slot", name),
                    fix=make_fix("Remove the value", unset_in_stage(stage, "exit", "slot", name)),
                )


def slot_names_read(facts: Facts) -> set[str]:
    """The names of the slot that a setup or a condition reads; "" for the whole slot."""
    paths_read = [
        read_path(item.get("from"))
        for fields in facts.fields.values()
        for item in fields.values()
        if isinstance(item, dict)
    ]
    for condition in conditions(facts):
        paths_read += [use.path for use in paths(condition.value)]
    slots = [path.steps for path in paths_read if path is not None and path.root == "slot"]
    return {str(steps[0]) if steps else "" for steps in slots}


@stage_rule("ST531", "warning", "Slot may still be empty", profiles=EVERY)
def not_yet_written(facts: Facts) -> Iterable[Note]:
    """A stage writes this name into the slot, but a run can reach the reader on a path without a
    writer; the shortest one is shown. The reader then fails in Setup. A branch does not see slot
    values of other branches; the join does. Give the field a default, or write the name in a stage
    that every run passes."""
    reads = [read for read in _reads(facts) if read.name in facts.slots]
    if not reads:
        return
    sure = _CertainSlots(facts)
    early = [read for read in reads if not sure.has(read.stage, read.name)]
    for number, read in enumerate(early):
        fix = set_in_stage(read.stage, "setup", read.field, "default", value="")
        yield Note(
            message=f"'setup.{read.field}' of {read.stage!r} reads {read.path.text!r}, which"
            " may not be written yet.",
            place=facts.entry(read.stage, "setup", read.field, "from"),
            hint="Give it a default for the first visit.",
            fix=make_fix("Use an empty default", fix),
            walk=_path_without_writer(facts, read.stage, read.name) if number < MAX_PATHS else (),
        )


class _CertainSlots:
    """Names that are written on every path to each stage."""

    def __init__(self, facts: Facts) -> None:
        self._bits = {name: 1 << place for place, name in enumerate(sorted(facts.slots))}
        self._writes = {
            stage: reduce(or_, (self._bits[name] for name in _written(facts, stage)), 0)
            for stage in facts.source.stages
        }
        self._facts = facts
        everything = (1 << len(self._bits)) - 1
        self._before = dict.fromkeys(facts.source.stages, everything)
        self._solve()

    def has(self, stage: str, name: str) -> bool:
        return bool(self._before[stage] & self._bits[name])

    def _solve(self) -> None:
        """Intersect the paths until nothing changes. Each change only removes names, so this
        ends."""
        followers: dict[str, list[str]] = {stage: [] for stage in self._before}
        for stage, uses in self._facts.uses.items():
            for use in uses:
                for source in (use.source, *(use.siblings if use.kind == "join" else ())):
                    if source in followers:
                        followers[source].append(stage)
        waiting = deque(self._before)
        queued = set(waiting)
        while waiting:
            stage = waiting.popleft()
            queued.discard(stage)
            met = self._met(stage)
            if met != self._before[stage]:
                self._before[stage] = met
                fresh = [each for each in followers[stage] if each not in queued]
                waiting.extend(fresh)
                queued.update(fresh)

    def _met(self, stage: str) -> int:
        written = []
        for use in self._facts.uses[stage]:
            if use.kind == "entry":
                written.append(0)
            elif use.kind == "join":
                branches = (self._branch(each, stage) for each in use.siblings)
                written.append(reduce(or_, branches, self._after(use.source)))
            else:
                written.append(self._after(use.source))
        return reduce(and_, written) if written else self._before[stage]

    def _after(self, stage: str) -> int:
        return self._before.get(stage, 0) | self._writes.get(stage, 0)

    def _branch(self, sibling: str, join: str) -> int:
        """Names written when a branch has ended: by a sibling and by its successors. Where
        conditions choose between successors, the writes of all of them count."""
        result, waiting, visited = self._after(sibling), [sibling], {sibling, join}
        while waiting and len(visited) < MAX_BRANCH:
            for route in self._facts.routes.get(waiting.pop(), ()):
                for stage in route.plan.stages:
                    if stage not in visited:
                        visited.add(stage)
                        waiting.append(stage)
                        result |= self._writes.get(stage, 0)
        return result


def _path_without_writer(facts: Facts, target: str, name: str) -> tuple[str, ...]:
    """The shortest path from the entry to a stage on which no stage writes a name. () if that path
    would have to show several branches at once."""
    entry = facts.whole.get("entryStage")
    if not isinstance(entry, str) or entry not in facts.source.stages:
        return ()
    came: dict[str, tuple[str, str] | None] = {entry: None}
    waiting = deque(came)
    leaving = outgoing_transitions(facts.source)
    while waiting and target not in came:
        stage = waiting.popleft()
        if name in _written(facts, stage):
            continue
        for transition in leaving.get(stage, ()):
            if transition.target not in came and transition.target in facts.source.stages:
                came[transition.target] = (stage, transition.id)
                waiting.append(transition.target)
    walk: list[str] = []
    step = came.get(target)
    while step is not None:
        walk.append(step[1])
        step = came[step[0]]
    return tuple(reversed(walk))
