"""An agent graph as a Program. See the folder's own docstring, and `engine.program.Program`."""

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
    Budget,
    CannotRun,
    ExternalOutcome,
    Outcome,
    Program,
)
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve, Reply, Signal, Tell, ToolDone


def program(source: GraphSource, profile: str) -> AgentGraphProgram:
    """How this pack runs. Raises CannotRun for one that has nobody to begin with."""
    if not source.shape.entry:
        raise CannotRun("This graph has no agent to begin with.", code="AG401")
    return AgentGraphProgram(
        definition=GraphDefinition(graph=source.shape, pack=source.template_bytes)
    )


@dataclass(frozen=True, kw_only=True)
class AgentGraphProgram(Program):
    """One graph. A run may bring two inputs: `goal` in place of the pack's, and `message`, said to
    the entry when it begins."""

    definition: GraphDefinition

    @property
    def budget(self) -> Budget:
        """The graph's own limits are counted in turns and nodes, not in what the engine counts."""
        return Budget()

    def with_templates(self, stored: Mapping[str, str]) -> AgentGraphProgram:
        """The same with the templates that a server keeps, behind the pack's own."""
        return replace(self, definition=replace(self.definition, stored=stored))

    def with_mode(self, mode: str) -> AgentGraphProgram:
        """The same in the mode that the run was started in, in place of the graph's."""
        return replace(self, definition=replace(self.definition, mode=mode))

    def start(self, run: RunState) -> tuple[str, ...]:
        """The entry, and every agent whose author gave it something to begin with."""
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
        """`stop`, or a mode."""
        return interventions.handle_event(self.definition, run, position, event)
