"""Values that stages pass to each other: slots, and results of the previous stage."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workflows.core.convert.neutral import Ref, unique_name, word
from workflows.core.dialects.stages.convert.labels import last
from workflows.core.dialects.stages.convert.placeholders import path_of
from workflows.core.dialects.stages.format.parts import routes
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.text.tolerant import as_object

_PARSED = re.compile(r"result\.parsed(?:\.(.+))?")
_UPSTREAM = re.compile(r"upstream\[(\d+)\]\.parsed\.([\w.\[\]]+)")


@dataclass(frozen=True, kw_only=True, eq=False)
class Handover:
    """Values of stages that other stages of a pipeline read."""

    source: StagesSource

    def upstream(self, stage: str, steps: tuple[str | int, ...]) -> Ref:
        """A reference to a value of a previous stage: a slot if that stage is always the same, else
        the received value."""
        if len(steps) < 2 or not isinstance(steps[0], int) or steps[1] != "parsed":
            return Ref("run", path_of(("upstream", *steps)))
        path = path_of(steps[2:])
        feeders = self.feeders.get(stage, ())
        if steps[0] < len(feeders) and (slot := self.named_results.get((feeders[steps[0]], path))):
            return Ref("slot", slot)
        return Ref("came", path) if steps[0] == 0 else Ref("run", path_of(("upstream", *steps)))

    def writes(self, stage: str) -> dict[str, str]:
        """Slots of this stage, including those for parts of its result, with the path."""
        paths = dict(exits(self.source, stage))
        for (giver, path), slot in self.named_results.items():
            if giver == stage:
                paths.setdefault(slot, path)
        return paths

    @cached_property
    def feeders(self) -> Mapping[str, tuple[str, ...]]:
        """Stage → the stages whose results it gets, if they are the same each time."""
        feeders: dict[str, set[tuple[str, ...]]] = {}
        for stage in self.source.stages:
            for route in routes(self.source, stage):
                if route.plan.parallel and route.plan.join:
                    feeders.setdefault(route.plan.join, set()).add(route.plan.siblings)
                    for sibling in route.plan.siblings:
                        feeders.setdefault(sibling, set()).add(())
                elif not route.plan.parallel:
                    for target in route.plan.stages:
                        feeders.setdefault(target, set()).add((stage,))
        entry = self.source.whole().get("entryStage")
        return {
            stage: next(iter(each))
            for stage, each in feeders.items()
            if len(each) == 1 and stage != entry
        }

    @cached_property
    def named_results(self) -> Mapping[tuple[str, str], str]:
        """(stage, path into its result) → the slot for it."""
        paths: dict[tuple[str, str], None] = {}
        for stage, file in self.source.stages.items():
            feeders = self.feeders.get(stage, ())
            for where in (file.body, str(setup_of(self.source, stage))):
                for match in _UPSTREAM.finditer(where):
                    if int(match[1]) < len(feeders):
                        paths[feeders[int(match[1])], match[2].rstrip(".")] = None
        often = Counter(last(path) for _, path in paths)
        taken = {slot for stage in self.source.stages for slot, _ in exits(self.source, stage)}
        names: dict[tuple[str, str], str] = {}
        for stage, path in paths:
            same = [slot for slot, other in exits(self.source, stage) if other == path]
            name = last(path) if often[last(path)] == 1 else word(f"{stage}_{last(path)}")
            names[stage, path] = same[0] if same else unique_name(name, {*taken, *names.values()})
        return names


def setup_of(source: StagesSource, stage: str) -> Mapping[str, Any]:
    """The setup of a stage; {} if there is none or it has another shape."""
    return as_object(source.entry(stage).get("setup"))


def exits(source: StagesSource, stage: str) -> Iterator[tuple[str, str]]:
    """Slots of a stage, with the path into its result."""
    for slot, value in as_object(as_object(source.entry(stage).get("exit")).get("slot")).items():
        match = _PARSED.fullmatch(value) if isinstance(value, str) else None
        if match:
            yield slot, match[1] or ""
