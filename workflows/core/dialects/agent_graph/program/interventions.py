"""What people say to agents while a run is under way: words, a stop, another mode."""

from __future__ import annotations

from dataclasses import replace

from workflows.core.dialects.agent_graph.format.vocabulary import GLOBAL_MODES, RUN_MODES
from workflows.core.dialects.agent_graph.program.context import Scene
from workflows.core.dialects.agent_graph.program.definition import Play
from workflows.core.dialects.agent_graph.program.interruption import break_off
from workflows.core.dialects.agent_graph.program.node_state import spoken
from workflows.core.engine.program import Enter, ExternalOutcome
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Tell
from workflows.core.prompts.modes import PLANNING

STOP = "stop"
"""The event that stops the agent at whose state it is fired."""


def told(play: Play, run: RunState, signal: Tell) -> ExternalOutcome | None:
    """A message to a node, by its id or alias. It also wakes one that failed, stalled or was
    stopped. An interruption comes first in the queue and breaks off the turn under way."""
    node = Scene(play, run).graph.resolve(signal.state)
    if node is None or not signal.text.strip():
        return None
    there = next((place for place in run.positions if place.state == node.id), None)
    scene = Scene(play, run, there)
    scene.set_desk(node.id, replace(scene.desk(node.id), standing="idle"))
    scene.queue(node.id, message=spoken(signal.text, interrupt=signal.interrupt))
    scene.tell("message", node=node.id, text=signal.text, interrupt=signal.interrupt)
    if there is None:
        asking = _asking_what_next(run)
        return ExternalOutcome(drafts=scene.drafts(), beside=(Enter(state=node.id),), again=asking)
    phase = scene.noted("phase", "")
    if phase == "stalled":
        scene.set_desk(node.id, replace(scene.desk(node.id), stall={}))
        scene.note(phase="leave")
        return ExternalOutcome(drafts=scene.drafts(), again=(there.id,))
    if phase == "idle":
        return ExternalOutcome(drafts=scene.drafts(), again=(there.id,))
    if not signal.interrupt:
        return ExternalOutcome(drafts=scene.drafts())
    break_off(scene)
    return ExternalOutcome(drafts=scene.drafts(), again=(there.id,))


def fired(play: Play, run: RunState, position: Position, event: str) -> ExternalOutcome | None:
    """`stop` ends what the agent at this position does; the name of a mode switches to it. A run
    that was started in PLANNING stays there."""
    scene = Scene(play, run, position)
    if event == STOP:
        break_off(scene, standing="stopped")
        scene.tell("stopped", node=scene.here.id, standing="stopped")
        return ExternalOutcome(drafts=scene.drafts(), again=(position.id,))
    if event in RUN_MODES:
        scene.keep("run_mode", event)
    elif event in GLOBAL_MODES and play.mode != PLANNING:
        scene.keep("global_mode", event)
    else:
        return None
    scene.tell("mode", run_mode=scene.run_mode, global_mode=scene.global_mode)
    return ExternalOutcome(drafts=scene.drafts(), again=_asking_what_next(run))


def _asking_what_next(run: RunState) -> tuple[str, ...]:
    """The position that asks a person what is next, if one does."""
    return tuple(place.id for place in run.positions if place.memory.get("phase") == "idle")
