"""Interruption of a turn."""

from __future__ import annotations

from dataclasses import replace

from workflows.core.dialects.agent_graph.program.context import GraphContext
from workflows.core.dialects.agent_graph.program.node_state import Inputs, NodeStatus
from workflows.core.dialects.agent_graph.program.tool_calls import INTERRUPTED, result_of
from workflows.core.dialects.agent_graph.program.turns import START, keep_diff


def interrupt(context: GraphContext, *, standing: NodeStatus = "idle") -> None:
    """End the current turn of this position. Unanswered inputs return to the queues. The model gets
    the results of calls that were started."""
    node, phase = context.current_node, context.position_value("phase", "")
    node_state = context.node_state(node.id)
    queued = node_state.queued
    if phase == "model":
        queued = Inputs.of(context.position_value("inputs", {})).then(queued)
    elif phase in ("calls", "tool", "approval"):
        calls = context.position_value("calls", ())
        if phase == "approval":
            fields = {"node": node.id, "call": calls[0]["id"], "tool": calls[0]["name"]}
            context.record("approval", **fields, resolution="cancelled")
        left = [result_of(call, ok=False, wake=True, error=INTERRUPTED) for call in calls]
        results = (*queued.results, *context.position_value("results", ()), *left)
        queued = replace(queued, results=results)
        keep_diff(context)
    context.set_node_state(node.id, replace(node_state, queued=queued, standing=standing))
    context.set_position_values(**START, phase="leave", inputs=Inputs().to_json())
    if phase in ("model", "calls", "tool", "approval"):
        context.record("turn", node=node.id, turn=node_state.turn, status="interrupted")
