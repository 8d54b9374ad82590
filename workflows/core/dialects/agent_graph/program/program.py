"""The program of an agent graph. See README.md of the dialect and `engine.program.Program`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workflows.core.dialects.agent_graph.program import interventions, next_turn, turns
from workflows.core.dialects.agent_graph.program.context import Scene
from workflows.core.dialects.agent_graph.program.definition import Play
from workflows.core.dialects.agent_graph.program.tool_calls import decided, next_call, tool_done
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.engine.effects import Effect
from workflows.core.engine.program import (
    Again,
    Budget,
    CannotRun,
    ExternalOutcome,
    Outcome,
    Program,
)
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve, Reply, Signal, Tell, ToolDone


def program(source: GraphSource, profile: str) -> AgentGraphProgram:
    """The program of this pack. Raises CannotRun if it has no agent to start with."""
    if not source.shape.entry:
        raise CannotRun("This graph has no agent to start with.", code="AG401")
    return AgentGraphProgram(play=Play(graph=source.shape, pack=source.template_bytes))


@dataclass(frozen=True, kw_only=True)
class AgentGraphProgram(Program):
    """One graph. A run has two optional inputs: `goal` replaces the pack's, and `message` is sent
    to the entry at the start."""

    play: Play

    @property
    def budget(self) -> Budget:
        """No engine limits: the graph's own limits count turns and nodes."""
        return Budget()

    def with_templates(self, stored: Mapping[str, str]) -> AgentGraphProgram:
        """The same program with the server's templates, after the pack's own."""
        return replace(self, play=replace(self.play, stored=stored))

    def with_mode(self, mode: str) -> AgentGraphProgram:
        """The same program in the mode of its run, in place of the graph's."""
        return replace(self, play=replace(self.play, mode=mode))

    def start(self, run: RunState) -> tuple[str, ...]:
        """The entry, and every agent with instructions of its own."""
        graph = self.play.graph
        others = [node.id for node in graph.nodes.values() if node.instructions.strip()]
        return tuple(dict.fromkeys((graph.entry, *others)))

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        scene = Scene(self.play, run, position)
        match scene.noted("phase", ""):
            case "":
                return turns.begin(scene)
            case "model":
                return turns.ask_model(scene)
            case "calls" | "approval" | "tool":
                return next_call(scene)
            case "stalled":
                return next_turn.ask_whether_to_go_on(scene, scene.noted("turns", 0))
            case _:
                return next_turn.leave(scene)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        scene = Scene(self.play, run, position)
        match scene.noted("phase", ""), signal:
            case "model", Reply():
                return turns.replied(scene, signal)
            case "tool", ToolDone():
                return tool_done(scene, signal)
            case "approval", Approve():
                return decided(scene, signal)
            case "stalled", Approve():
                return next_turn.told_whether_to_go_on(scene, signal)
            case "idle", Approve():
                return next_turn.told_what_next(scene, signal)
        return Outcome(next=Again())

    def on_message(self, run: RunState, signal: Tell) -> ExternalOutcome | None:
        """A message to an agent."""
        return interventions.told(self.play, run, signal)

    def fire(self, run: RunState, position: Position, event: str) -> ExternalOutcome | None:
        """`stop`, or a mode."""
        return interventions.fired(self.play, run, position, event)
