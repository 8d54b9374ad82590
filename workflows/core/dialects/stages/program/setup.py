"""Setup, Init and CheckGate: the phases before the first model call (stages.md 7)."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.format.predicates import holds
from workflows.core.dialects.stages.format.templates import CORE_FIELDS, placeholders, render
from workflows.core.dialects.stages.program.assertions import new_attempt
from workflows.core.dialects.stages.program.context import ExecutionContext, execution_id
from workflows.core.dialects.stages.program.faults import invalid
from workflows.core.dialects.stages.program.pipeline import Pipeline
from workflows.core.dialects.stages.program.stage_context import (
    check_inputs,
    check_size,
    setup_values,
    workflow_run_id,
)
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.program.stage_exit import leave_stage, result_of
from workflows.core.engine.effects import AskHuman, ToolSpec, Wait
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.signals import Approve, Signal

MAX_DEFERRALS = 3
"""Number of times a deferred gate is tested again automatically; then a person must release it.
Within a run, time alone changes nothing."""
DEFERRED_SECONDS = 30.0
SKIPS = ("skip",)
DEFERS = ("defer", "retry")
"""Answers of a gate that defer the stage; `retry` is stud-cli's word for it."""


def begin(context: ExecutionContext) -> Outcome:
    """Run Setup, Init and the gate. Raises StageFault."""
    if context.memory.get("turn") != "open" and not context.memory.get("compound"):
        context.emit("turn", {"edge": "start", "audit": "SessionTurnStart"})
    setup(context)
    initialise(context)
    return check_gate(context)


def setup(context: ExecutionContext) -> None:
    """Fill ctx and validate the results of previous stages."""
    stage, upstream = context.stage, list(context.memory.get("upstream", ()))
    with context.phase("Setup") as ctx:
        if context.memory.get("joining"):
            ctx.put("siblings", dict(zip(context.memory["siblings"], upstream, strict=True)))
        values = dict(setup_values(stage, {**context.scope(), "upstream": upstream}))
        check_size(values.values(), "setup", stage.id)
        for name, value in values.items():
            ctx.put(name, value)
        ctx.put("upstream", upstream)
        ctx.put("workflowRunId", workflow_run_id(context.run))
        ctx.put("stageExecutionId", execution_id(context.run, context.position))
        check_inputs(stage, upstream)
        context.emit("context", {"fields": sorted(ctx.read())}, ctx=ctx.read())


def initialise(context: ExecutionContext) -> None:
    """Render the body, once for all attempts."""
    stage = context.stage
    with context.phase("Init") as ctx:
        check_tools(stage, context.pipeline)
        check_references(stage, ctx.read())
        text, warnings = render(stage.body, ctx.read(), {"id": stage.id, "name": stage.name})
        for warning in warnings:
            context.emit("warning", {"message": warning})
        context.emit("rendered", {"tools": [tool.name for tool in tools_of(context)]}, prompt=text)


def check_tools(stage: Stage, pipeline: Pipeline) -> None:
    """Raise StageFault for unknown tools and for a completion tool with the name of a registered
    tool."""
    unknown = [name for name in stage.allowed or () if name not in pipeline.tools]
    if unknown:
        raise invalid(
            "SignalboxToolUnknown",
            f"{stage.id!r} allows {', '.join(map(repr, unknown))}, which is not a tool.",
            "/allowedTools",
            tools=unknown,
        )
    if stage.tool in pipeline.tools:
        raise invalid(
            "SignalboxCompletionToolTaken",
            f"The completion tool of {stage.id!r} is named {stage.tool!r}, like a registered tool.",
            "/completionTool",
            completionTool=stage.tool,
        )


def check_references(stage: Stage, ctx: dict[str, Any]) -> None:
    """Raise StageFault if the body names a field of ctx that is undeclared, or required and without
    a value."""
    declared = {field.name: field for field in stage.setup_fields}
    for placeholder in placeholders(stage.body):
        name = placeholder.steps[0]
        if placeholder.root != "ctx" or name in CORE_FIELDS or name in ctx:
            continue
        field = declared.get(str(name))
        if field is None or not field.optional:
            why = "has no value" if field is not None else "its setup does not set"
            raise invalid(
                "StageCtxUnresolved",
                f"The body of {stage.id!r} names ctx.{name} on line {placeholder.line}, "
                f"which {why}.",
                f"/body#{name}",
                name=str(name),
            )


def tools_of(context: ExecutionContext) -> tuple[ToolSpec, ...]:
    """Tools that the model may call: the listed ones in their order, then the completion tool."""
    return tool_list(context.stage, context.pipeline)


def tool_list(stage: Stage, pipeline: Pipeline) -> tuple[ToolSpec, ...]:
    names = pipeline.session if stage.allowed is None else stage.allowed
    live = tuple(pipeline.tools[name] for name in names if name in pipeline.tools)
    done = ToolSpec(
        name=stage.tool,
        description=f"Hand over the result of “{stage.name}” and finish. Call it alone.",
        parameters=stage.schema,
    )
    return (*(tool for tool in live if tool.name != stage.tool), done)


# -- the gate ---------------------------------------------------------------------------------


def check_gate(context: ExecutionContext) -> Outcome:
    """Let the stage pass, park it, or end it without a model call."""
    gate = context.stage.gate
    with context.phase("CheckGate"):
        passes = gate is None or context.memory.get("released") or holds(gate.when, context.scope())
    if passes or gate is None:
        context.open(
            "Act", phase="act", turns=0, messages=[], calls=[], attempts=[new_attempt(context, 1)]
        )
        return context.out(Again())
    if gate.otherwise in SKIPS or context.stage.policy == "skip":
        return leave_stage(context, result_of(context, "skip", gate.reason))
    if context.stage.policy == "fail":
        return leave_stage(context, result_of(context, "fail", gate.reason))
    tries = context.memory.get("gateTries", 0) + 1
    word = "defer" if gate.otherwise in DEFERS else "block"
    fields = {"gate": word, "reason": gate.reason, "tries": tries}
    context.emit("parked", fields, phase="gate", gateTries=tries, parked=word)
    return context.out(Again())


def wait_at_gate(context: ExecutionContext, key: str) -> Outcome:
    """The effect of a parked stage: a wait, or a question to a person."""
    if context.memory["parked"] == "defer" and context.memory["gateTries"] <= MAX_DEFERRALS:
        return context.out(Ask(effect=Wait(seconds=DEFERRED_SECONDS, **context.at(key))))
    reason = context.stage.gate.reason if context.stage.gate else ""
    question = f"The gate of “{context.stage.name}” is closed{f': {reason}' if reason else ''}."
    question += " Release the stage? Otherwise it fails."
    return context.out(Ask(effect=AskHuman(kind="approve", question=question, **context.at(key))))


def handle_gate_answer(context: ExecutionContext, signal: Signal) -> Outcome:
    """Test the gate again after a wait; release the stage or fail it after a person's answer."""
    match signal:
        case Approve(approve=False):
            reason = context.stage.gate.reason if context.stage.gate else ""
            context.emit("refused", {"reason": reason})
            return leave_stage(
                context, result_of(context, "fail", f"not released: {reason}".rstrip(": "))
            )
        case Approve():
            return release(context)
        case _:
            return check_gate(context)


def release(context: ExecutionContext) -> Outcome:
    """Let the stage pass without a further test of its gate."""
    context.emit("released", {}, released=True)
    return check_gate(context)
