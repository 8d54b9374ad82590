"""Breaking off a turn that is under way."""

from __future__ import annotations

from dataclasses import replace

from workflows.core.dialects.agent_graph.program.context import Scene
from workflows.core.dialects.agent_graph.program.node_state import Inputs, Standing
from workflows.core.dialects.agent_graph.program.tool_calls import INTERRUPTED, result_of
from workflows.core.dialects.agent_graph.program.turns import START, keep_diff


def break_off(scene: Scene, *, standing: Standing = "idle") -> None:
    """End the turn under way at this position where it is. What it had taken in and not answered
    goes back into the queues; of what it had begun, the model hears what became of it."""
    node, phase = scene.here, scene.noted("phase", "")
    desk = scene.desk(node.id)
    queued = desk.queued
    if phase == "model":
        queued = Inputs.of(scene.noted("inputs", {})).then(queued)
    elif phase in ("calls", "tool", "approval"):
        calls = scene.noted("calls", ())
        if phase == "approval":
            asked = {"node": node.id, "call": calls[0]["id"], "tool": calls[0]["name"]}
            scene.tell("approval", **asked, resolution="cancelled")
        left = [result_of(call, ok=False, wake=True, error=INTERRUPTED) for call in calls]
        results = (*queued.results, *scene.noted("results", ()), *left)
        queued = replace(queued, results=results)
        keep_diff(scene)
    scene.set_desk(node.id, replace(desk, queued=queued, standing=standing))
    scene.note(**START, phase="leave", inputs=Inputs().to_json())
    if phase in ("model", "calls", "tool", "approval"):
        scene.tell("turn", node=node.id, turn=desk.turn, status="interrupted")
