"""Transitions. An outcome belongs to an agent, so a change holds in every phase of that agent."""

from __future__ import annotations

from workflows.core.dialects.climpt_workflow.edits.common import agent_of, outcome_of, phase_of
from workflows.core.dialects.climpt_workflow.format.parts import FALLBACK, SUCCESS, Agent
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.edits import Connect, Disconnect, EditRefused, Relabel, Retarget
from workflows.core.text.json.document import Pointer


def connect(source: WorkflowSource, edit: Connect) -> WorkflowSource:
    """Add an outcome to the agent of a phase."""
    parts = source.parts
    agent = agent_of(parts, phase_of(parts, edit.source))
    phase_of(parts, edit.target)
    pointer = _pointer(agent, _valid(edit.label))
    if any(outcome.label == edit.label for outcome in agent.outcomes()):
        raise EditRefused(
            f"The agent {agent.id!r} has the outcome {edit.label!r} already.",
            where=f"state:{edit.source}",
        )
    return source.edit(lambda text: text.put(pointer, edit.target))


def disconnect(source: WorkflowSource, edit: Disconnect) -> WorkflowSource:
    """Remove an outcome from its agent."""
    _, outcome = outcome_of(source.parts, edit.transition)
    return source.edit(lambda text: text.delete(outcome.pointer))


def retarget(source: WorkflowSource, edit: Retarget) -> WorkflowSource:
    """Change the phase that an outcome leads to."""
    phase, outcome = outcome_of(source.parts, edit.transition)
    if edit.source is not None and edit.source != phase:
        raise EditRefused(
            "An outcome belongs to the agent of its phase and cannot start elsewhere.",
            where=f"transition:{edit.transition}",
            hint="Remove it here and add it at the other phase.",
        )
    target = edit.target if edit.target is not None else outcome.target
    phase_of(source.parts, target)
    return source.edit(lambda text: text.set(outcome.pointer, target))


def relabel(source: WorkflowSource, edit: Relabel) -> WorkflowSource:
    """Rename an outcome."""
    phase, outcome = outcome_of(source.parts, edit.transition)
    if edit.label == outcome.label:
        return source
    agent = agent_of(source.parts, phase_of(source.parts, phase))
    if outcome.part != "outcome" or edit.label in (FALLBACK, SUCCESS):
        raise EditRefused(
            f"{outcome.label!r} is a key of the format and cannot become {edit.label!r}.",
            where=f"transition:{edit.transition}",
            hint="Remove the transition and add another one.",
        )
    if any(other.label == edit.label for other in agent.outcomes()):
        raise EditRefused(f"The agent {agent.id!r} has the outcome {edit.label!r} already.")
    return source.edit(lambda text: text.rename(outcome.pointer, _valid(edit.label)))


def _pointer(agent: Agent, label: str) -> Pointer:
    """The place of an outcome in its agent."""
    here: Pointer = ("agents", agent.id)
    if label == FALLBACK:
        return (*here, FALLBACK)
    if label == SUCCESS and agent.role != "validator":
        return (*here, "outputPhase")
    return (*here, agent.outcome_key, label)


def _valid(label: str) -> str:
    if not label.strip() or "|" in label:
        raise EditRefused(f"{label!r} cannot be the name of an outcome.")
    return label
