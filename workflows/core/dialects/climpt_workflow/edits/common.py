"""Lookups that raise EditRefused, and the places that name a phase, an agent or a label."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.climpt_workflow.format.parts import Agent, AgentOutcome, Parts, Phase
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText, Pointer
from workflows.core.text.tolerant import as_list, as_object

BINDINGS = ("donePhase", "evalPhase", "planPhase")
COLOR = "ededed"


def phase_of(parts: Parts, id: str) -> Phase:
    """The phase. Raises EditRefused for an unknown id."""
    phase = parts.phases.get(id)
    if phase is None:
        raise missing_element(f"state:{id}", kind="phase")
    return phase


def agent_of(parts: Parts, phase: Phase) -> Agent:
    """The agent that works in a phase. Raises EditRefused if there is none."""
    agent = parts.agents.get(phase.agent)
    if agent is None:
        raise EditRefused(
            f"No agent works in the phase {phase.id!r}, so it has no outcomes.",
            where=f"state:{phase.id}",
            hint="Choose an agent of this workflow in the form of the phase.",
        )
    return agent


def outcome_of(parts: Parts, transition: str) -> tuple[str, AgentOutcome]:
    """The phase and the outcome of a transition. Raises EditRefused for an unknown id."""
    outcome = parts.outcome_at(transition)
    if outcome is None:
        raise missing_element(f"transition:{transition}")
    return outcome


def base_of(source: WorkflowSource, element: str) -> Pointer:
    """The place of an element in the file. Raises EditRefused for an unknown one."""
    kind, _, key = element.partition(":")
    pointer: Pointer = ()
    if kind == "pack" and not key:
        return pointer
    if kind == "state":
        return ("phases", phase_of(source.parts, key).id)
    if kind == "agent" and key in source.parts.agents:
        return ("agents", key)
    if kind == "label" and key in source.parts.labels:
        return ("labelMapping", key)
    raise missing_element(element)


def phase_references(parts: Parts, id: str) -> Iterator[Pointer]:
    """Every value that names a phase."""
    for label, target in parts.labels.items():
        if target == id:
            yield ("labelMapping", label)
    for agent in parts.agents.values():
        for outcome in agent.outcomes():
            if outcome.target == id:
                yield outcome.pointer
    binding = parts.value.get("projectBinding")
    for key in BINDINGS if isinstance(binding, dict) else ():
        if isinstance(binding, dict) and binding.get(key) == id:
            yield ("projectBinding", key)


def agent_references(parts: Parts, id: str) -> Iterator[Pointer]:
    """Every value that names an agent."""
    for phase in parts.phases.values():
        if phase.agent == id:
            yield ("phases", phase.id, "agent")
    prioritizer = parts.value.get("prioritizer")
    if isinstance(prioritizer, dict) and prioritizer.get("agent") == id:
        yield ("prioritizer", "agent")
    for index, item in enumerate(as_list(parts.value.get("handoffs"))):
        when = as_object(item).get("when")
        if isinstance(when, dict) and when.get("fromAgent") == id:
            yield ("handoffs", index, "when", "fromAgent")


def with_label(text: JsonText, parts: Parts, label: str, phase: str, description: str) -> JsonText:
    """Map a label to a phase. A file that declares its labels also gets the declaration."""
    text = text.put(("labelMapping", label), phase)
    declared = parts.value.get("labels")
    if isinstance(declared, dict) and label not in declared:
        spec: dict[str, Json] = {"color": COLOR, "description": description or label}
        text = text.set(("labels", label), spec)
    return text
