"""Facts about a pack that several rules need, computed once: predecessors, joins, declared fields,
and stages that can be checked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from workflows.core.dialects.stages.format.indentation import is_flattened
from workflows.core.dialects.stages.format.parts import Plan, Route, failure_plan, routes
from workflows.core.dialects.stages.format.paths import Path
from workflows.core.dialects.stages.format.templates import (
    Placeholder,
    convert_references,
    placeholders,
)
from workflows.core.dialects.stages.schemas.validity import problem
from workflows.core.dialects.stages.source import StageFile, StagesSource
from workflows.core.engine.rehearsal.answer_gaps import ANY, Gap, read_gap
from workflows.core.pack.findings import Place
from workflows.core.pack.source_cache import once_per_source
from workflows.core.text.tolerant import as_object


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One entrance into a stage. `source` is the previous stage ("" for the entry). `siblings` are
    the branches that a join waits for, or the stages that start in parallel."""

    kind: Literal["entry", "sequential", "sibling", "join"]
    source: str = ""
    siblings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Facts:
    """Facts about a pack. Each is computed on first access and cached."""

    source: StagesSource

    # -- places -------------------------------------------------------------------------------

    def head(self, stage: str, *pointer: str | int) -> Place:
        """A place in the front matter of a stage's file."""
        return self.source.place_in(stage, *pointer)

    def body(self, stage: str, line: int = 1, name: str = "") -> Place:
        """A place on a line of a stage's body; `name` is the field on that line."""
        file = self.source.stages[stage]
        first = file.line("/body")
        return Place(
            path=file.path,
            pointer=f"/body#{name}" if name else "/body",
            line=first if file.form == "object" else first + line - 1,
            element=f"state:{stage}",
        )

    def entry(self, stage: str, *pointer: str | int) -> Place:
        """A place in the pipeline's entry of a stage."""
        return self.source.place("stages", stage, *pointer, element=f"state:{stage}")

    def plan(self, stage: str, plan: Plan, *pointer: str | int) -> Place:
        """A place in a NextResult of a stage."""
        return self.source.place(*plan.pointer, *pointer, element=f"state:{stage}")

    def top(self, *pointer: str | int) -> Place:
        """A place at the top level of the pipeline."""
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
        """Stages whose front matter has lost its indentation. No other finding is reported for
        it."""
        return {key: file for key, file in self.source.stages.items() if is_flattened(file)}

    @cached_property
    def sound(self) -> Mapping[str, StageFile]:
        """Stages whose front matter can be checked."""
        return {
            key: file
            for key, file in self.source.stages.items()
            if key not in self.flattened
            and not file.missing
            and (file.form == "object" or (file.front is not None and bool(file.front.opening)))
            and not any(finding.code in ("ST104", "ST108") for finding in file.findings)
        }

    @cached_property
    def heads(self) -> tuple[tuple[str, StageFile], ...]:
        """Sound stages; those that share a file appear once."""
        by_path: dict[str, tuple[str, StageFile]] = {}
        for key, file in self.sound.items():
            by_path.setdefault(file.path, (key, file))
        return tuple(by_path.values())

    @cached_property
    def owners(self) -> Mapping[str, int]:
        """Number of stages per file path."""
        return Counter(file.path for file in self.source.stages.values())

    def values(self, stage: str) -> Mapping[str, Any]:
        """The front matter of a stage; {} for one that is not sound."""
        file = self.sound.get(stage)
        return file.values if file is not None else {}

    @cached_property
    def schemas(self) -> tuple[tuple[str, str, dict[str, Any], str], ...]:
        """Every schema in the front matter of a stage: stage, key, schema, and its text."""
        return tuple(
            (stage, key, schema, json.dumps(schema))
            for stage, file in self.heads
            for key in ("completionSchema", "inputsSchema")
            if isinstance(schema := file.values.get(key), dict)
        )

    def result_gap(self, stage: str, path: Path, value: Any = ANY) -> Gap | None:
        """The gap of a value that is read below `result.parsed` of a stage: its model never gives
        it. None for other paths."""
        schema = self.values(stage).get("completionSchema")
        if path.root != "result" or path.steps[:1] != ("parsed",) or len(path.steps) < 2:
            return None
        if not isinstance(schema, dict) or problem(schema) is not None:
            return None
        return read_gap(schema, path.steps[1:], value)

    @cached_property
    def tools(self) -> tuple[tuple[str, list[str]], ...]:
        """Stages whose allowed tools are a list of names, and the list."""
        listed: list[tuple[str, Any]] = [
            (stage, file.values.get("allowedTools")) for stage, file in self.heads
        ]
        return tuple(
            (stage, names)
            for stage, names in listed
            if isinstance(names, list) and all(isinstance(name, str) for name in names)
        )

    @cached_property
    def placeholders(self) -> Mapping[str, tuple[Placeholder, ...]]:
        """Placeholders in the prompt of each sound stage. In a stage object, `${ctx.x}` is one
        too."""
        return {
            stage: placeholders(
                convert_references(file.body) if file.form == "object" else file.body
            )
            for stage, file in self.sound.items()
        }

    # -- the graph ----------------------------------------------------------------------------

    @cached_property
    def routes(self) -> Mapping[str, tuple[Route, ...]]:
        """The routes out of each stage."""
        return {stage: routes(self.source, stage) for stage in self.source.stages}

    @cached_property
    def failures(self) -> Mapping[str, Plan]:
        """The NextResult after a failed branch, by stage."""
        return {
            stage: plan
            for stage, _ in self.declared("onParallelFailure")
            if (plan := failure_plan(self.source, stage)) is not None
        }

    @cached_property
    def plans(self) -> tuple[tuple[str, Plan], ...]:
        """Every NextResult of the pipeline, with its stage."""
        return tuple(
            (stage, plan)
            for stage, own in self.routes.items()
            for plan in (
                *(route.plan for route in own),
                *((self.failures[stage],) if stage in self.failures else ()),
            )
        )

    @cached_property
    def uses(self) -> Mapping[str, tuple[Use, ...]]:
        """The entrances of runs into each stage, in file order."""
        uses: dict[str, list[Use]] = {stage: [] for stage in self.source.stages}
        first = self.whole.get("entryStage")
        if isinstance(first, str) and first in uses:
            uses[first].append(Use(kind="entry"))
        for stage, plan in self.plans:
            siblings = tuple(dict.fromkeys(plan.siblings))
            for target in siblings:
                if target in uses:
                    uses[target].append(
                        Use(
                            kind="sibling" if plan.parallel else "sequential",
                            source=stage,
                            siblings=siblings if plan.parallel else (),
                        )
                    )
            if plan.parallel and plan.join in uses:
                uses[plan.join].append(Use(kind="join", source=stage, siblings=siblings))
        return {stage: tuple(own) for stage, own in uses.items()}

    # -- fields and slots ------------------------------------------------------------------------

    @cached_property
    def fields(self) -> Mapping[str, Mapping[str, Any]]:
        """The ctx fields in the `setup` of each stage: its context schema."""
        return {stage: as_object(self.source.entry(stage).get("setup")) for stage in self.entries}

    @cached_property
    def entries(self) -> tuple[str, ...]:
        """Stages with an entry in the pipeline."""
        return tuple(stage for stage in self.source.stages if self.source.entry(stage))

    def declared(self, key: str) -> Sequence[tuple[str, Any]]:
        """The stages whose entry in the pipeline has this key, each with its value."""
        return self._by_key.get(key, ())

    @cached_property
    def _by_key(self) -> Mapping[str, list[tuple[str, Any]]]:
        by_key: dict[str, list[tuple[str, Any]]] = {}
        for stage in self.entries:
            for key, value in self.source.entry(stage).items():
                by_key.setdefault(key, []).append((stage, value))
        return by_key

    @cached_property
    def slots(self) -> frozenset[str]:
        """Every name that the `exit` of a stage writes into the state slot."""
        return frozenset(
            name
            for _, leaving in self.declared("exit")
            for name in as_object(as_object(leaving).get("slot"))
        )

    @cached_property
    def inputs(self) -> Mapping[str, Any] | None:
        """Properties in `runInputSchema`; None if it leaves them open."""
        properties = as_object(self.whole.get("runInputSchema")).get("properties")
        return properties if isinstance(properties, dict) else None


@once_per_source
def facts_of(source: StagesSource) -> Facts:
    """The facts of a pack, the same for all rules."""
    return Facts(source=source)


def stage_pointer(plan: Plan, *more: str | int) -> tuple[str | int, ...]:
    """The pointer of a place in a NextResult, relative to its stage."""
    return (*plan.pointer[2:], *more)
