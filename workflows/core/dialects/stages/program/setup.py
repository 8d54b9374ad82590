"""Setup, Init and CheckGate: all that comes before the first word to the model (stages.md 7)."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.format.predicates import holds
from workflows.core.dialects.stages.format.templates import CORE_FIELDS, placeholders, render
from workflows.core.dialects.stages.program.assertions import new_attempt
from workflows.core.dialects.stages.program.context import Scene, execution_id
from workflows.core.dialects.stages.program.faults import invalid
from workflows.core.dialects.stages.program.pipeline import Pipeline
from workflows.core.dialects.stages.program.stage_context import (
    check_inputs,
    filled,
    workflow_run_id,
)
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.program.stage_exit import leave, result_of
from workflows.core.engine.effects import AskHuman, ToolSpec, Wait
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.signals import Approve, Signal

DEFERRALS = 3
"""So often a deferred gate looks again by itself; after that a person has to release it. Within a
run nothing changes by waiting alone."""
DEFERRED_SECONDS = 30.0
SKIPS = ("skip",)
DEFERS = ("defer", "retry")
"""How a gate says "not yet"; `retry` is upstream's word for it."""


def begin(scene: Scene) -> Outcome:
    """Setup, Init and the gate. Raises StageFault."""
    if scene.memory.get("turn") != "open" and not scene.memory.get("compound"):
        scene.tell("turn", {"edge": "start", "audit": "SessionTurnStart"})
    setup(scene)
    initialise(scene)
    return check_gate(scene)


def setup(scene: Scene) -> None:
    """Fill ctx and check what came from before."""
    stage, upstream = scene.stage, list(scene.memory.get("upstream", ()))
    with scene.phase("Setup") as ctx:
        if scene.memory.get("joining"):
            ctx.put("siblings", dict(zip(scene.memory["siblings"], upstream, strict=True)))
        for name, value in filled(stage, {**scene.scope(), "upstream": upstream}):
            ctx.put(name, value)
        ctx.put("upstream", upstream)
        ctx.put("workflowRunId", workflow_run_id(scene.run))
        ctx.put("stageExecutionId", execution_id(scene.run, scene.position))
        check_inputs(stage, upstream)
        scene.tell("context", {"fields": sorted(ctx.read())}, ctx=ctx.read())


def initialise(scene: Scene) -> None:
    """Render the body, once for all attempts."""
    stage = scene.stage
    with scene.phase("Init") as ctx:
        check_tools(stage, scene.play)
        check_references(stage, ctx.read())
        text, warnings = render(stage.body, ctx.read(), {"id": stage.id, "name": stage.name})
        for warning in warnings:
            scene.tell("warning", {"message": warning})
        scene.tell("rendered", {"tools": [tool.name for tool in tools_of(scene)]}, prompt=text)


def check_tools(stage: Stage, play: Pipeline) -> None:
    """Raises StageFault for names that drifted and for a completion tool that is taken."""
    unknown = [name for name in stage.allowed or () if name not in play.tools]
    if unknown:
        raise invalid(
            "SignalboxToolUnknown",
            f"{stage.id!r} allows {', '.join(map(repr, unknown))}, and there is no such tool.",
            "/allowedTools",
            tools=unknown,
        )
    if stage.tool in play.tools:
        raise invalid(
            "SignalboxCompletionToolTaken",
            f"The completion tool of {stage.id!r} has a registered tool's name, {stage.tool!r}.",
            "/completionTool",
            completionTool=stage.tool,
        )


def check_references(stage: Stage, ctx: dict[str, Any]) -> None:
    """Raises StageFault where the body names a field of ctx that is not declared, or that has to
    have a value and has none."""
    declared = {field.name: field for field in stage.filled}
    for found in placeholders(stage.body):
        name = found.steps[0]
        if found.root != "ctx" or name in CORE_FIELDS or name in ctx:
            continue
        field = declared.get(str(name))
        if field is None or not field.optional:
            why = "has no value" if field is not None else "is not among the fields of its setup"
            raise invalid(
                "StageCtxUnresolved",
                f"The body of {stage.id!r} names ctx.{name} on line {found.line}, which {why}.",
                f"/body#{name}",
                name=str(name),
            )


def tools_of(scene: Scene) -> tuple[ToolSpec, ...]:
    """What the model may call: the listed tools in their order, the completion tool last."""
    return tool_list(scene.stage, scene.play)


def tool_list(stage: Stage, play: Pipeline) -> tuple[ToolSpec, ...]:
    names = play.tools if stage.allowed is None else stage.allowed
    live = tuple(play.tools[name] for name in names if name in play.tools)
    done = ToolSpec(
        name=stage.tool,
        description=f"Hand over the result of “{stage.name}” and finish. Call it alone.",
        parameters=stage.schema,
    )
    return (*(tool for tool in live if tool.name != stage.tool), done)


# -- the gate ---------------------------------------------------------------------------------


def check_gate(scene: Scene) -> Outcome:
    """Let the stage through, park it, or give its outcome without asking the model."""
    gate = scene.stage.gate
    with scene.phase("CheckGate"):
        passes = gate is None or scene.memory.get("released") or holds(gate.when, scene.scope())
    if passes or gate is None:
        scene.open(
            "Act", phase="act", turns=0, messages=[], calls=[], attempts=[new_attempt(scene, 1)]
        )
        return scene.out(Again())
    if gate.otherwise in SKIPS or scene.stage.policy == "skip":
        return leave(scene, result_of(scene, "skip", gate.reason))
    if scene.stage.policy == "fail":
        return leave(scene, result_of(scene, "fail", gate.reason))
    tries = scene.memory.get("gateTries", 0) + 1
    word = "defer" if gate.otherwise in DEFERS else "block"
    fields = {"gate": word, "reason": gate.reason, "tries": tries}
    scene.tell("parked", fields, phase="gate", gateTries=tries, parked=word)
    return scene.out(Again())


def ask_at_gate(scene: Scene, key: str) -> Outcome:
    """What a parked stage waits for: its time, or somebody who releases it."""
    if scene.memory["parked"] == "defer" and scene.memory["gateTries"] <= DEFERRALS:
        return scene.out(Ask(effect=Wait(seconds=DEFERRED_SECONDS, **scene.at(key))))
    reason = scene.stage.gate.reason if scene.stage.gate else ""
    question = f"The gate of “{scene.stage.name}” holds it back{f': {reason}' if reason else ''}."
    question += " Release it? Without, the stage fails."
    return scene.out(Ask(effect=AskHuman(kind="approve", question=question, **scene.at(key))))


def answered_at_gate(scene: Scene, signal: Signal) -> Outcome:
    """The time is up: look again. A person: released, or not."""
    match signal:
        case Approve(approve=False):
            reason = scene.stage.gate.reason if scene.stage.gate else ""
            scene.tell("refused", {"reason": reason})
            return leave(scene, result_of(scene, "fail", f"not released: {reason}".rstrip(": ")))
        case Approve():
            return release(scene)
        case _:
            return check_gate(scene)


def release(scene: Scene) -> Outcome:
    """Somebody lets the stage through, whatever its gate says."""
    scene.tell("released", {}, released=True)
    return check_gate(scene)
