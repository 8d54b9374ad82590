"""What rules need to know of a pack, put together once: who follows whom, who meets where, which
fields a stage declares, and which stages can be judged at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from workflows.core.dialects.stages.format.indentation import flattened
from workflows.core.dialects.stages.format.parts import Plan, Way, failure_way, ways
from workflows.core.dialects.stages.format.templates import Placeholder, converted, placeholders
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.pack.findings import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One way by which a run comes to a stage. `source` is the stage it comes from ("" for the
    entry); `siblings` are those a join waits for, or that start together with this one."""

    kind: Literal["entry", "sequential", "sibling", "join"]
    source: str = ""
    siblings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Facts:
    """Computed when first asked for; every answer costs the pack at most once."""

    source: StagesSource

    # -- places -------------------------------------------------------------------------------

    def head(self, stage: str, *pointer: str | int) -> Place:
        """In the head of a stage's file."""
        return self.source.place_in(stage, *pointer)

    def body(self, stage: str, line: int = 1, name: str = "") -> Place:
        """On a line of a stage's body; `name` is the field that stands there."""
        file = self.source.stages[stage]
        first = file.line("/body")
        return Place(
            path=file.path,
            pointer=f"/body#{name}" if name else "/body",
            line=first if file.form == "object" else first + line - 1,
            element=f"state:{stage}",
        )

    def entry(self, stage: str, *pointer: str | int) -> Place:
        """In what the pipeline says about a stage."""
        return self.source.place("stages", stage, *pointer, element=f"state:{stage}")

    def plan(self, stage: str, plan: Plan, *pointer: str | int) -> Place:
        """In a NextResult of a stage."""
        return self.source.place(*plan.pointer, *pointer, element=f"state:{stage}")

    def top(self, *pointer: str | int) -> Place:
        """At the top of the pipeline."""
        return self.source.place(*pointer)

    def file(self, file: StageFile) -> Place:
        """A whole file that the pipeline does not name."""
        return Place(path=file.path, line=1, element=f"file:{file.path}")

    # -- stages -------------------------------------------------------------------------------

    @property
    def has_pipeline(self) -> bool:
        return self.source.pipeline is not None

    @cached_property
    def whole(self) -> Mapping[str, Any]:
        return self.source.whole()

    @cached_property
    def flattened(self) -> Mapping[str, StageFile]:
        """Stages whose head has lost its indentation: nothing else about it is worth saying."""
        return {key: file for key, file in self.source.stages.items() if flattened(file)}

    @cached_property
    def sound(self) -> Mapping[str, StageFile]:
        """Stages with a head that can be judged."""
        return {
            key: file
            for key, file in self.source.stages.items()
            if key not in self.flattened
            and not file.missing
            and (file.form == "object" or _has_head(file))
            and not any(found.code in ("ST104", "ST108") for found in file.findings)
        }

    @cached_property
    def heads(self) -> tuple[tuple[str, StageFile], ...]:
        """Sound stages, those that share a file once."""
        seen: dict[str, tuple[str, StageFile]] = {}
        for key, file in self.sound.items():
            seen.setdefault(file.path, (key, file))
        return tuple(seen.values())

    @cached_property
    def owners(self) -> Mapping[str, int]:
        """How many stages have a file, by its path."""
        return Counter(file.path for file in self.source.stages.values())

    def values(self, stage: str) -> Mapping[str, Any]:
        """The head of a stage; {} for one that cannot be judged."""
        file = self.sound.get(stage)
        return file.values if file is not None else {}

    @cached_property
    def placeholders(self) -> Mapping[str, tuple[Placeholder, ...]]:
        """What the prompt of each sound stage names. A stage object writes `${ctx.x}`, and that is
        filled in there."""
        return {
            stage: placeholders(converted(file.body) if file.form == "object" else file.body)
            for stage, file in self.sound.items()
        }

    # -- the graph ----------------------------------------------------------------------------

    @cached_property
    def ways(self) -> Mapping[str, tuple[Way, ...]]:
        """The ways on from each stage."""
        return {stage: ways(self.source, stage) for stage in self.source.stages}

    @cached_property
    def failures(self) -> Mapping[str, Plan]:
        """Where runs go once a branch of a stage has failed."""
        found = {stage: failure_way(self.source, stage) for stage in self.source.stages}
        return {stage: plan for stage, plan in found.items() if plan is not None}

    def plans(self) -> Iterator[tuple[str, Plan]]:
        """Every NextResult of the pipeline with the stage that has it."""
        for stage, own in self.ways.items():
            for way in own:
                yield stage, way.plan
            if stage in self.failures:
                yield stage, self.failures[stage]

    @cached_property
    def uses(self) -> Mapping[str, tuple[Use, ...]]:
        """How runs come to each stage, in file order."""
        found: dict[str, list[Use]] = {stage: [] for stage in self.source.stages}
        first = self.whole.get("entryStage")
        if isinstance(first, str) and first in found:
            found[first].append(Use(kind="entry"))
        for stage, plan in self.plans():
            siblings = tuple(dict.fromkeys(plan.siblings))
            for target in siblings:
                if target in found:
                    found[target].append(
                        Use(
                            kind="sibling" if plan.parallel else "sequential",
                            source=stage,
                            siblings=siblings if plan.parallel else (),
                        )
                    )
            if plan.parallel and plan.join in found:
                found[plan.join].append(Use(kind="join", source=stage, siblings=siblings))
        return {stage: tuple(own) for stage, own in found.items()}

    # -- what stages read and write -------------------------------------------------------------

    @cached_property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """The ctx fields that each stage's `setup` declares: together its context schema."""
        return {stage: _object(self.source.entry(stage).get("setup")) for stage in self.entries}

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """The stages that the pipeline says something about."""
        return tuple(stage for stage in self.source.stages if self.source.entry(stage))

    @cached_property
    def slots(self) -> frozenset[str]:
        """Every name that some stage's `exit` writes into the state slot."""
        return frozenset(
            name
            for stage in self.entries
            for name in _object(_object(self.source.entry(stage).get("exit")).get("slot"))
        )

    @cached_property
    def inputs(self) -> Mapping[str, Any] | None:
        """The properties that `runInputSchema` describes; None where it leaves them open."""
        schema = self.whole.get("runInputSchema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        return properties if isinstance(properties, dict) else None


def facts_of(source: StagesSource) -> Facts:
    """The facts of a pack. All rules ask for them in turn, so the source keeps them."""
    found: Facts | None = source.kept.get("facts")
    if found is None:
        found = source.kept["facts"] = Facts(source=source)
    return found


def in_form(plan: Plan, *more: str | int) -> tuple[str | int, ...]:
    """A place in a NextResult, as the form of its stage names it."""
    return (*plan.pointer[2:], *more)


def _has_head(file: StageFile) -> bool:
    return file.front is not None and bool(file.front.opening)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
