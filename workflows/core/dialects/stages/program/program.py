"""How a pipeline runs (stages.md sections 5 to 8, 10 and 15). See `engine.program.Program`.

The graph is not followed here: run/definition.py reads what the files say, run/scene.py has what a
stay keeps, and each phase is a module beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workflows.core.dialects.stages.program import act, assertions, branches, setup, tool_calls
from workflows.core.dialects.stages.program.cancellation import cancel_run
from workflows.core.dialects.stages.program.context import Scene
from workflows.core.dialects.stages.program.endings import fail
from workflows.core.dialects.stages.program.faults import Fault, StageFault
from workflows.core.dialects.stages.program.pipeline import Pipeline, pipeline_of
from workflows.core.dialects.stages.program.stage_context import input_problem, made_up
from workflows.core.dialects.stages.program.stage_exit import end_turn
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.engine.effects import AskHuman, Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Budget, CannotRun, Outcome, Program
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve, Reply, Signal, ToolDone

RELEASE = "release"
"""The event from outside that lets a parked stage through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagesProgram(Program):
    """One pipeline under one profile."""

    play: Pipeline

    @property
    def budget(self) -> Budget:
        return Budget()

    @property
    def requires(self) -> dict[str, str]:
        """A stage ends with a tool call, so the model has to be able to make one (section 13)."""
        return {"toolCalling": "hard"}

    @property
    def terminals(self) -> frozenset[str]:
        """The stages after which nothing comes."""
        return self.play.ends

    @property
    def required_inputs(self) -> tuple[str, ...]:
        """Inputs that a run has to bring along: required by the schema, or read by a setup that
        has nothing else."""
        required = (self.play.inputs or {}).get("required")
        names = dict.fromkeys(required if isinstance(required, list) else ())
        for stage in self.play.stages.values():
            for field in stage.filled:
                if field.path.root == "run" and not field.has_default and not field.optional:
                    match field.path.steps:
                        case ("input", str() as name, *_):
                            names[name] = None
        return tuple(name for name in names if isinstance(name, str))

    @property
    def simulated_inputs(self) -> dict[str, str]:
        """Inputs to rehearse with, true to `runInputSchema`."""
        return made_up(self.required_inputs, self.play.inputs)

    def start(self, run: RunState) -> tuple[str, ...]:
        problem = input_problem(run.inputs, self.play.inputs)
        if problem:
            raise CannotRun(problem, code="missing_variables")
        return (self.play.entry,)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        scene = Scene(self.play, run, position)
        try:
            match position.memory.get("phase", ""):
                case "":
                    return setup.begin(scene)
                case "gate":
                    return setup.ask_at_gate(scene, key)
                case "backoff":
                    return assertions.wait(scene, key)
                case "group":
                    return branches.group_goes_on(scene)
                case "queue":
                    return branches.next_in_queue(scene)
                case _:
                    return act.go_on(scene, key)
        except StageFault as broken:
            return break_off(scene, broken.fault)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        scene = Scene(self.play, run, position)
        try:
            match position.memory.get("phase", ""), signal:
                case "gate", _:
                    return setup.answered_at_gate(scene, signal)
                case "backoff", _:
                    return assertions.waited(scene)
                case "act", Reply():
                    return act.replied(scene, signal)
                case "act", ToolDone():
                    return tool_calls.tool_done(scene, signal)
                case "act", Approve() if isinstance(effect, AskHuman):
                    return tool_calls.granted(scene, signal)
        except StageFault as broken:
            return break_off(scene, broken.fault)
        return Outcome(next=Again())

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        """`release` lets a parked stage through; a pipeline has no other events from outside."""
        if event != RELEASE or position.memory.get("phase") != "gate":
            return None
        scene = Scene(self.play, run, position)
        try:
            return setup.release(scene)
        except StageFault as broken:
            return break_off(scene, broken.fault)

    def on_cancel(self, run: RunState) -> Iterator[Draft]:
        """What is broken off when somebody cancels the run."""
        return cancel_run(run)


def break_off(scene: Scene, fault: Fault) -> Outcome:
    """An execution that a fault ended: there is no verdict, no Exit and no Next."""
    if scene.memory.get("phase", "") == "act":
        scene.close("Act", fault)
    if "attempts" not in scene.memory:
        scene.tell("init_failed", {**fault.to_json(), "audit": "StageInitFailed"})
    record = {"audit": "StageExecution", "outcome": "failed", "capHit": False}
    scene.tell("execution", record, phase="left")
    end_turn(scene)
    return fail(scene, fault)


def program(source: StagesSource, profile: str) -> StagesProgram:
    """How this pipeline runs. Raises CannotRun for one that cannot start at all."""
    return StagesProgram(play=pipeline_of(source, profile))
