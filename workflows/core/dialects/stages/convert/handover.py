"""What stages leave for each other: slots, and results of the stage before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workflows.core.convert.neutral import Ref, unlike, word
from workflows.core.dialects.stages.convert.labels import last
from workflows.core.dialects.stages.convert.placeholders import path_of
from workflows.core.dialects.stages.format.parts import ways
from workflows.core.dialects.stages.source import StagesSource

_PARSED = re.compile(r"result\.parsed(?:\.(.+))?")
_UPSTREAM = re.compile(r"upstream\[(\d+)\]\.parsed\.([\w.\[\]]+)")


@dataclass(frozen=True, kw_only=True, eq=False)
class Handing:
    """Which values of which stages the stages of one pipeline show."""

    source: StagesSource

    def upstream(self, stage: str, steps: tuple[str | int, ...]) -> Ref:
        """A value of a stage that is known to come before is a slot; of one that may be any, it is
        what came."""
        if len(steps) < 2 or not isinstance(steps[0], int) or steps[1] != "parsed":
            return Ref("run", path_of(("upstream", *steps)))
        path = path_of(steps[2:])
        feeders = self.feeders.get(stage, ())
        if steps[0] < len(feeders) and (slot := self.handed.get((feeders[steps[0]], path))):
            return Ref("slot", slot)
        return Ref("came", path) if steps[0] == 0 else Ref("run", path_of(("upstream", *steps)))

    def writes(self, stage: str) -> dict[str, str]:
        """Slots that this stage fills, or that stand for a part of its result, with the path."""
        found = dict(exits(self.source, stage))
        for (giver, path), slot in self.handed.items():
            if giver == stage:
                found.setdefault(slot, path)
        return found

    @cached_property
    def feeders(self) -> Mapping[str, tuple[str, ...]]:
        """Stage → the stages whose results it gets, where that is the same each time."""
        found: dict[str, set[tuple[str, ...]]] = {}
        for stage in self.source.stages:
            for way in ways(self.source, stage):
                if way.plan.parallel and way.plan.join:
                    found.setdefault(way.plan.join, set()).add(way.plan.siblings)
                    for sibling in way.plan.siblings:
                        found.setdefault(sibling, set()).add(())
                elif not way.plan.parallel:
                    for target in way.plan.stages:
                        found.setdefault(target, set()).add((stage,))
        entry = self.source.whole().get("entryStage")
        return {
            stage: next(iter(each))
            for stage, each in found.items()
            if len(each) == 1 and stage != entry
        }

    @cached_property
    def handed(self) -> Mapping[tuple[str, str], str]:
        """(stage, path into its result) → the slot that stands for it."""
        asked: dict[tuple[str, str], None] = {}
        for stage, file in self.source.stages.items():
            feeders = self.feeders.get(stage, ())
            for where in (file.body, str(setup_of(self.source, stage))):
                for match in _UPSTREAM.finditer(where):
                    if int(match[1]) < len(feeders):
                        asked[feeders[int(match[1])], match[2].rstrip(".")] = None
        often = Counter(last(path) for _, path in asked)
        taken = {slot for stage in self.source.stages for slot, _ in exits(self.source, stage)}
        found: dict[tuple[str, str], str] = {}
        for stage, path in asked:
            same = [slot for slot, given in exits(self.source, stage) if given == path]
            name = last(path) if often[last(path)] == 1 else word(f"{stage}_{last(path)}")
            found[stage, path] = same[0] if same else unlike(name, {*taken, *found.values()})
        return found


def setup_of(source: StagesSource, stage: str) -> Mapping[str, Any]:
    """The fields of ctx that a stage is given; {} where nothing of the right shape says so."""
    setup = source.entry(stage).get("setup")
    return setup if isinstance(setup, dict) else {}


def exits(source: StagesSource, stage: str) -> Iterator[tuple[str, str]]:
    """Slots that a stage fills, with the path into its result."""
    exit = source.entry(stage).get("exit")
    slots = exit.get("slot") if isinstance(exit, dict) else None
    for slot, given in slots.items() if isinstance(slots, dict) else ():
        match = _PARSED.fullmatch(given) if isinstance(given, str) else None
        if match:
            yield slot, match[1] or ""
