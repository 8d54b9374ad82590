"""A whole pipeline for a run. An incomplete one is refused before anything runs (stages.md sections
9, 10 and 16.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.stages.format.parts import Plan
from workflows.core.dialects.stages.format.tools import REGISTERED
from workflows.core.dialects.stages.program.stage_definition import Stage, stage_of
from workflows.core.dialects.stages.schemas.validity import problem
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.program import CannotRun
from workflows.core.tools.mcp_names import expand
from workflows.core.tools.standard import STANDARD


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A tool that stages may call outside their list without approval. `stages` None: any stage.
    `most`: maximum number of calls in one run."""

    tool: str
    stages: tuple[str, ...] | None
    most: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """A checked pipeline. `tools` are all tools that a stage may list, and `session` those of a
    stage without a list; `inputs` is the schema of the run's input."""

    entry: str
    stages: Mapping[str, Stage]
    grants: tuple[Grant, ...] = ()
    inputs: Mapping[str, Any] | None = None
    tools: Mapping[str, ToolSpec]
    session: tuple[str, ...]
    ends: frozenset[str]
    """Stages without any successor or join."""


def pipeline_of(source: StagesSource, tools: Mapping[str, ToolSpec] | None = None) -> Pipeline:
    """Read the pipeline. `tools`: those of the session, by default the registered ones; stages may
    list those of other agents too. Raises CannotRun if a run cannot start or cannot reach an end.
    """
    if not source.readable:
        raise CannotRun("This pipeline cannot be read.", code="ST101")
    if not source.stages:
        raise CannotRun("This pipeline has no stages.", code="StageDefinitionInvalid")
    entry = _entry(source)
    stages = {key: stage_of(source, key) for key in source.stages}
    meeting: set[str] = set()
    for stage in stages.values():
        for plan in _plans(stage):
            check_plan(stage.id, plan, stages)
            meeting.update(plan.siblings if plan.parallel and plan.join else ())
    return Pipeline(
        entry=entry,
        stages=stages,
        grants=_grants(source.whole().get("grants")),
        inputs=_inputs(source.whole().get("runInputSchema")),
        tools=STANDARD if tools is None else tools,
        session=tuple(REGISTERED if tools is None else tools),
        ends=frozenset(
            stage.id
            for stage in stages.values()
            if stage.id not in meeting and all(route.plan.ends for route in stage.routes)
        ),
    )


def with_session_tools(pipeline: Pipeline, tools: Mapping[str, ToolSpec]) -> Pipeline:
    """The pipeline in a session that has these tools too. A list that names a whole MCP server
    allows all its tools."""
    stages = {
        key: stage
        if stage.allowed is None
        else replace(stage, allowed=expand(stage.allowed, tools))
        for key, stage in pipeline.stages.items()
    }
    return replace(
        pipeline,
        stages=stages,
        tools={**pipeline.tools, **tools},
        session=tuple(dict.fromkeys([*pipeline.session, *tools])),
    )


def _entry(source: StagesSource) -> str:
    entry = source.whole().get("entryStage")
    if source.pipeline is None:
        if len(source.stages) == 1:
            return next(iter(source.stages))
        raise CannotRun(
            f"These {len(source.stages)} stages have no pipeline and therefore no transitions."
            " Connect two stages first."
        )
    if not isinstance(entry, str) or entry not in source.stages:
        raise CannotRun(
            f"The pipeline's entryStage is {entry!r}, which is not a stage. Name a stage.",
            code="StageDefinitionInvalid",
        )
    return entry


def _plans(stage: Stage) -> list[Plan]:
    failure = [stage.failure] if stage.failure is not None else []
    return [*(route.plan for route in stage.routes), *failure]


def check_plan(stage: str, plan: Plan, stages: Mapping[str, Any]) -> None:
    """Raise CannotRun for a NextResult that cannot be followed (stages.md section 10.3)."""
    for target in plan.siblings:
        if target not in stages:
            raise CannotRun(
                f"{stage!r} leads to {target!r}, which is not a stage of the pipeline.",
                code="SignalboxUndeclaredStage",
            )
    if not plan.parallel:
        return
    if plan.join is not None and not (plan.join in stages and plan.join_listed):
        unlisted = f"does not list its join {plan.join!r} in nextStages"
        why = unlisted if plan.join in stages else f"joins in {plan.join!r}, which is not a stage"
        raise CannotRun(f"{stage!r} {why}.", code="StageJoinDangling")
    if len(plan.siblings) < 2 or len(set(plan.siblings)) < len(plan.siblings):
        raise CannotRun(
            f"{stage!r} starts {len(set(plan.siblings))} stage in parallel. It needs at least two "
            "different ones, each named once, in addition to the join.",
            code="InvalidParallelPlan",
        )


def _grants(value: Any) -> tuple[Grant, ...]:
    """The valid grants; others have no effect."""
    grants = []
    for item in value if isinstance(value, list) else ():
        tool = item.get("tool") if isinstance(item, Mapping) else None
        if not isinstance(tool, str):
            continue
        stages, most = item.get("stages"), item.get("max")
        if stages is not None and not isinstance(stages, list):
            continue
        counted = isinstance(most, int) and not isinstance(most, bool)
        if most is not None and not counted:
            continue
        named = None if stages is None else tuple(one for one in stages if isinstance(one, str))
        grants.append(Grant(tool=tool, stages=named, most=most))
    return tuple(grants)


def _inputs(value: Any) -> Mapping[str, Any] | None:
    if value is None:
        return None
    error = problem(value)
    if error is not None:
        raise CannotRun(f"'runInputSchema' is not a valid JSON Schema: {error.message}.")
    schema: Mapping[str, Any] = value
    return schema
