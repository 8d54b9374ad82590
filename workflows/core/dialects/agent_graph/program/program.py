"""An agent graph as a Program. See this package and `engine.program.Program`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workflows.core.dialects.agent_graph.program import interventions, next_turn, turns
from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.definition import GraphDefinition
from workflows.core.dialects.agent_graph.program.tool_calls import (
    handle_approval,
    handle_tool_done,
    next_call,
)
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.engine.effects import Effect
from workflows.core.engine.program import (
    Again,
    CannotRun,
    ExternalOutcome,
    Outcome,
    Program,
)
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.run_options import RunOption
from workflows.core.engine.signals import Approve, Reply, Signal, Tell, ToolDone


def program(source: GraphSource, profile: str) -> AgentGraphProgram:
    """The program of a pack. Raises CannotRun for a pack without agents."""
    if not source.shape.entry:
        raise CannotRun("This graph has no agents.", code="AG401")
    return AgentGraphProgram(
        definition=GraphDefinition(graph=source.shape, pack=source.template_bytes)
    )


@dataclass(frozen=True, kw_only=True)
class AgentGraphProgram(Program):
    """A run has two optional inputs: `goal` replaces the pack's, and `message` is a message to the
    entry."""

    definition: GraphDefinition

    @property
    def options(self) -> tuple[RunOption, ...]:
        return (
            RunOption(name="goal", title="Goal", help="Replaces the goal of the pack."),
            RunOption(name="message", title="Message", help="The first message to the entry."),
        )

    def with_templates(self, stored: Mapping[str, str]) -> AgentGraphProgram:
        """The program with the server's templates, after the pack's own."""
        return replace(self, definition=replace(self.definition, stored=stored))

    def with_mode(self, mode: str) -> AgentGraphProgram:
        """The program with the mode in which the run was started."""
        return replace(self, definition=replace(self.definition, mode=mode))

    def start(self, run: RunState) -> tuple[str, ...]:
        """The entry, and every agent with instructions."""
        graph = self.definition.graph
        others = [node.id for node in graph.nodes.values() if node.instructions.strip()]
        return tuple(dict.fromkeys((graph.entry, *others)))

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        context = GraphContext(self.definition, run, position)
        match context.position_value("phase", ""):
            case "":
                return turns.begin_turn(context)
            case "model":
                return turns.ask_model(context)
            case "calls" | "approval" | "tool":
                return next_call(context)
            case "stalled":
                return next_turn.ask_to_continue(context, context.position_value("turns", 0))
            case _:
                return next_turn.choose_next(context)

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        context = GraphContext(self.definition, run, position)
        match context.position_value("phase", ""), signal:
            case "model", Reply():
                return turns.handle_reply(context, signal)
            case "tool", ToolDone():
                return handle_tool_done(context, signal)
            case "approval", Approve():
                return handle_approval(context, signal)
            case "stalled", Approve():
                return next_turn.handle_continue_answer(context, signal)
            case "idle", Approve():
                return next_turn.handle_next_answer(context, signal)
        return Outcome(next=Again())

    def on_message(self, run: RunState, signal: Tell) -> ExternalOutcome | None:
        """A message to an agent."""
        return interventions.handle_message(self.definition, run, signal)

    def fire(self, run: RunState, position: Position, event: str) -> ExternalOutcome | None:
        """`stop`, a removal, or a mode."""
        return interventions.handle_event(self.definition, run, position, event)
