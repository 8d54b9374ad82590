"""Interventions by people during a run: messages, stop, removals, and mode changes."""

from __future__ import annotations

from dataclasses import replace

from workflows.core.dialects.agent_graph.format.vocabulary import GLOBAL_MODES, RUN_MODES
from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.definition import GraphDefinition
from workflows.core.dialects.agent_graph.program.interruption import interrupt
from workflows.core.dialects.agent_graph.program.node_state import make_message
from workflows.core.dialects.agent_graph.program.removals import (
    REMOVE_EDGE,
    REMOVE_NODE,
    remove_edge,
    remove_node,
)
from workflows.core.engine.program import Enter, ExternalOutcome
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Tell
from workflows.core.prompts.modes import PLANNING

STOP = "stop"
"""The event that stops the agent at the state."""


def handle_message(
    definition: GraphDefinition, run: RunState, signal: Tell
) -> ExternalOutcome | None:
    """A message to a node, by id or alias. It also wakes a node that failed, stalled or was
    stopped. An interruption goes to the front of the queue and ends the current turn."""
    node = GraphContext(definition, run).graph.resolve(signal.state)
    if node is None or not signal.text.strip():
        return None
    there = next((place for place in run.positions if place.state == node.id), None)
    context = GraphContext(definition, run, there)
    context.set_node_state(node.id, replace(context.node_state(node.id), standing="idle"))
    context.queue(node.id, message=make_message(signal.text, interrupt=signal.interrupt))
    context.record("message", node=node.id, text=signal.text, interrupt=signal.interrupt)
    if there is None:
        asking = _asking_what_next(run)
        return ExternalOutcome(
            drafts=context.drafts(), beside=(Enter(state=node.id),), again=asking
        )
    phase = context.position_value("phase", "")
    if phase == "stalled":
        context.set_node_state(node.id, replace(context.node_state(node.id), stall={}))
        context.set_position_values(phase="leave")
        return ExternalOutcome(drafts=context.drafts(), again=(there.id,))
    if phase == "idle":
        return ExternalOutcome(drafts=context.drafts(), again=(there.id,))
    if not signal.interrupt:
        return ExternalOutcome(drafts=context.drafts())
    interrupt(context)
    return ExternalOutcome(drafts=context.drafts(), again=(there.id,))


def handle_event(
    definition: GraphDefinition, run: RunState, position: Position, event: str
) -> ExternalOutcome | None:
    """`stop` ends the agent's turn; the name of a mode switches to it; see `removals` for the
    others. A run that was started in PLANNING stays in PLANNING."""
    if event.startswith(REMOVE_NODE):
        return remove_node(definition, run, event.removeprefix(REMOVE_NODE))
    if event.startswith(REMOVE_EDGE):
        return remove_edge(definition, run, event.removeprefix(REMOVE_EDGE))
    context = GraphContext(definition, run, position)
    if event == STOP:
        interrupt(context, standing="stopped")
        context.record("stopped", node=context.current_node.id, standing="stopped")
        return ExternalOutcome(drafts=context.drafts(), again=(position.id,))
    if event in RUN_MODES:
        context.set_run_value("run_mode", event)
    elif event in GLOBAL_MODES and definition.mode != PLANNING:
        context.set_run_value("global_mode", event)
    else:
        return None
    context.record("mode", run_mode=context.run_mode, global_mode=context.global_mode)
    return ExternalOutcome(drafts=context.drafts(), again=_asking_what_next(run))


def _asking_what_next(run: RunState) -> tuple[str, ...]:
    """The positions that ask a person how to continue."""
    return tuple(place.id for place in run.positions if place.memory.get("phase") == "idle")
