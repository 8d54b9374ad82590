"""The program of a pipeline (stages.md sections 5 to 8, 10 and 15). See `engine.program.Program`.

It does not use the graph: stage_definition.py reads the files, context.py holds the state of one
execution, and each phase has its own module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.stages.program import act, assertions, branches, setup, tool_calls
from workflows.core.dialects.stages.program.cancellation import cancel_run
from workflows.core.dialects.stages.program.context import ExecutionContext
from workflows.core.dialects.stages.program.endings import fail
from workflows.core.dialects.stages.program.faults import Fault, StageFault
from workflows.core.dialects.stages.program.pipeline import (
    Pipeline,
    pipeline_of,
    with_session_tools,
)
from workflows.core.dialects.stages.program.stage_context import input_problem, simulated_inputs
from workflows.core.dialects.stages.program.stage_exit import end_turn
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.engine.effects import AskHuman, Effect, ToolSpec
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, CannotRun, Outcome, Program
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.run_options import RunInput, declared_input
from workflows.core.engine.signals import Approve, Reply, Signal, ToolDone

RELEASE = "release"
"""The external event that releases a parked stage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagesProgram(Program):
    """One pipeline under one profile."""

    pipeline: Pipeline
    checks_calls: bool = False
    """True in a session whose tools are known."""

    @property
    def requires(self) -> dict[str, str]:
        """The model must be able to call tools, because a stage ends with a tool call (section
        13)."""
        return {"toolCalling": "hard"}

    @property
    def terminals(self) -> frozenset[str]:
        """Stages without successors."""
        return self.pipeline.ends

    @property
    def required_inputs(self) -> tuple[str, ...]:
        """Required inputs of a run: those that the schema requires, and those that a setup reads
        without a default."""
        required = (self.pipeline.inputs or {}).get("required")
        names = dict.fromkeys(required if isinstance(required, list) else ())
        for stage in self.pipeline.stages.values():
            for field in stage.setup_fields:
                if field.path.root == "run" and not field.has_default and not field.optional:
                    match field.path.steps:
                        case ("input", str() as name, *_):
                            names[name] = None
        return tuple(name for name in names if isinstance(name, str))

    @property
    def inputs(self) -> tuple[RunInput, ...]:
        """The properties of `runInputSchema`, and what a setup reads besides."""
        properties = (self.pipeline.inputs or {}).get("properties")
        declared: dict[str, Any] = properties if isinstance(properties, dict) else {}
        required = self.required_inputs
        parts = {name: declared.get(name) for name in dict.fromkeys((*required, *declared))}
        return tuple(
            declared_input(name, part if isinstance(part, dict) else {}, required=name in required)
            for name, part in parts.items()
        )

    @property
    def simulated_inputs(self) -> dict[str, str]:
        """Generated inputs for a rehearsal that fit `runInputSchema`."""
        return simulated_inputs(self.required_inputs, self.pipeline.inputs)

    @property
    def tool_parameters(self) -> Mapping[str, Mapping[str, Any]]:
        tools = self.pipeline.tools if self.checks_calls else {}
        return {name: tool.parameters for name, tool in tools.items()}

    def with_tools(self, tools: Mapping[str, ToolSpec]) -> StagesProgram:
        pipeline = with_session_tools(self.pipeline, tools)
        return replace(self, pipeline=pipeline, checks_calls=True)

    def start(self, run: RunState) -> tuple[str, ...]:
        problem = input_problem(run.inputs, self.pipeline.inputs)
        if problem:
            raise CannotRun(problem, code="missing_variables")
        return (self.pipeline.entry,)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        context = ExecutionContext(self.pipeline, run, position)
        try:
            match position.memory.get("phase", ""):
                case "":
                    return setup.begin(context)
                case "gate":
                    return setup.wait_at_gate(context, key)
                case "backoff":
                    return assertions.wait(context, key)
                case "group":
                    return branches.continue_group(context)
                case "queue":
                    return branches.next_in_queue(context)
                case _:
                    return act.continue_act(context, key)
        except StageFault as broken:
            return end_with_fault(context, broken.fault)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        context = ExecutionContext(self.pipeline, run, position)
        try:
            match position.memory.get("phase", ""), signal:
                case "gate", _:
                    return setup.handle_gate_answer(context, signal)
                case "backoff", _:
                    return assertions.end_wait(context)
                case "act", Reply():
                    return act.handle_reply(context, signal)
                case "act", ToolDone():
                    return tool_calls.handle_tool_result(context, signal)
                case "act", Approve() if isinstance(effect, AskHuman):
                    return tool_calls.handle_approval(context, signal)
        except StageFault as broken:
            return end_with_fault(context, broken.fault)
        return Outcome(next=Again())

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        """`release` releases a parked stage; a pipeline has no other external events."""
        if event != RELEASE or position.memory.get("phase") != "gate":
            return None
        context = ExecutionContext(self.pipeline, run, position)
        try:
            return setup.release(context)
        except StageFault as broken:
            return end_with_fault(context, broken.fault)

    def on_cancel(self, run: RunState) -> Iterator[Draft]:
        """Events of a cancelled run."""
        return cancel_run(run)


def end_with_fault(context: ExecutionContext, fault: Fault) -> Outcome:
    """End an execution with a fault: without a verdict, Exit and Next."""
    if context.memory.get("phase", "") == "act":
        context.close("Act", fault)
    if "attempts" not in context.memory:
        context.emit("init_failed", {**fault.to_json(), "audit": "StageInitFailed"})
    record = {"audit": "StageExecution", "outcome": "failed", "capHit": False}
    context.emit("execution", record, phase="left")
    end_turn(context)
    return fail(context, fault)


def program(source: StagesSource, profile: str) -> StagesProgram:
    """The program of this pipeline. Raises CannotRun if it cannot start."""
    return StagesProgram(pipeline=pipeline_of(source))
