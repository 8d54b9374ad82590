"""The projection of a workflow: a state for each phase, a transition for each outcome of its
agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from workflows.core.dialects.climpt_workflow.format.parts import Parts, Phase
from workflows.core.dialects.climpt_workflow.recognise import name_of
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.graph import (
    MAX_TRANSITIONS,
    Entry,
    Graph,
    Offer,
    State,
    Transition,
)


def graph(source: WorkflowSource, profile: str) -> Graph:
    """The graph. Each label of an issue that leads to an actionable phase is an entry.

    An agent that works in several phases has the same outcomes in each of them. The transitions can
    be far more than the file has outcomes, so they end at `MAX_TRANSITIONS`. The limit of cycles is
    a limit of visits: after the last transition, one more phase is entered.
    """
    parts = source.parts
    states = tuple(_states(source, parts)) if source.readable else ()
    transitions = tuple(islice(_transitions(source, parts), MAX_TRANSITIONS))
    whole = sum(len(parts.outcomes_of(id)) for id in parts.phases)
    return Graph(
        dialect="climpt_workflow",
        profile=profile,
        name=name_of(source.main),
        entries=tuple(Entry(state=id, key=label) for label, id in entries(parts)),
        states=states,
        transitions=transitions,
        most_visits=parts.most_cycles + 1 if source.readable else None,
        more_transitions=whole - len(transitions),
    )


def entries(parts: Parts) -> tuple[tuple[str, str], ...]:
    """(label, phase) for every label that starts work, most urgent phase first."""
    pairs = [(label, id) for label, id in parts.labels.items() if _may_start(parts.phases.get(id))]
    return tuple(sorted(pairs, key=lambda entry: _priority(parts.phases[entry[1]])))


def _may_start(phase: Phase | None) -> bool:
    return phase is not None and phase.type == "actionable"


def _priority(phase: Phase) -> float:
    """A lower number is more urgent; a phase without one comes last."""
    value = phase.value.get("priority")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return float("inf")


def _states(source: WorkflowSource, parts: Parts) -> Iterator[State]:
    labels = Counter(parts.labels.values())
    for id, phase in parts.phases.items():
        yield State(
            id=id,
            kind=phase.type or "phase",
            terminal=phase.ends,
            role=phase.agent,
            counts={"labels": labels[id]} if labels[id] else {},
            most_calls=0,
            place=source.place("phases", id, element=f"state:{id}"),
        )


def _transitions(source: WorkflowSource, parts: Parts) -> Iterator[Transition]:
    for id, phase in parts.phases.items():
        for outcome in parts.outcomes_of(id):
            name = f"{id}|{outcome.label}|{outcome.target}"
            yield Transition(
                source=id,
                target=outcome.target,
                label=outcome.label,
                kind="fallback" if outcome.part == "fallbackPhase" else "event",
                event=outcome.label,
                inert=phase.type != "actionable",
                place=source.place(*outcome.pointer, element=f"transition:{name}"),
            )


def offers(source: WorkflowSource, state: str, profile: str) -> tuple[Offer, ...]:
    """The outcomes that the phase's agent can still get."""
    parts = source.parts
    phase = parts.phases.get(state)
    agent = parts.agents.get(phase.agent) if phase is not None else None
    if phase is None or agent is None or phase.ends:
        return ()
    taken = {outcome.part for outcome in parts.outcomes_of(state)}
    result = []
    if agent.role != "validator" and "outputPhase" not in taken:
        result.append(Offer(source=state, label="success"))
    result.append(
        Offer(source=state, pattern=r"^[^|\s][^|]*$", rule="Use any characters except |.")
    )
    if "fallbackPhase" not in taken:
        result.append(Offer(source=state, label="fallbackPhase", kind="fallback"))
    return tuple(result)
