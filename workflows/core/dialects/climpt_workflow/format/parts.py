"""Phases, agents and outcomes of a workflow file. Values of the wrong type count as missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from workflows.core.text.json.document import Pointer
from workflows.core.text.tolerant import as_object, as_object_map, as_str, as_str_map

PHASE_TYPES = ("actionable", "terminal", "blocking")
ROLES = ("transformer", "validator")
SUCCESS = "success"
"""The outcome that takes a transformer's `outputPhase`."""
FALLBACK = "fallbackPhase"
"""The label of the transition that every other outcome takes."""
NEXT_KEYS = ("issueSource", "projectBinding")
DEFAULT_CYCLES = 5
OUTCOME_KEYS = {"transformer": "fallbackPhases", "validator": "outputPhases"}
"""The map from outcomes to phases, by role."""

Part: TypeAlias = Literal["outputPhase", "outcome", "fallbackPhase"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOutcome:
    """One outcome of an agent and the phase that it leads to. `pointer` leads to the phase's
    name."""

    label: str
    target: str
    part: Part
    pointer: Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A phase: actionable ones have an agent, terminal and blocking ones end the run."""

    id: str
    value: dict[str, Any]

    @property
    def type(self) -> str:
        return as_str(self.value.get("type"))

    @property
    def agent(self) -> str:
        return as_str(self.value.get("agent"))

    @property
    def ends(self) -> bool:
        return self.type in ("terminal", "blocking")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent as the workflow declares it. Its own files are another pack."""

    id: str
    value: dict[str, Any]

    @property
    def role(self) -> str:
        return as_str(self.value.get("role"))

    @property
    def outcome_key(self) -> str:
        """The map of its outcomes: of an unknown role, the one that the file has."""
        fallback = "outputPhases" if "outputPhases" in self.value else "fallbackPhases"
        return OUTCOME_KEYS.get(self.role, fallback)

    def outcomes(self) -> Iterator[AgentOutcome]:
        """The outcomes in the order in which the orchestrator compares them, each label once."""
        here: Pointer = ("agents", self.id)
        labels = set()
        target = self.value.get("outputPhase")
        if self.role != "validator" and isinstance(target, str):
            labels.add(SUCCESS)
            yield AgentOutcome(
                label=SUCCESS, target=target, part="outputPhase", pointer=(*here, "outputPhase")
            )
        for label, target in as_str_map(self.value.get(self.outcome_key)).items():
            if label not in labels:
                labels.add(label)
                yield AgentOutcome(
                    label=label,
                    target=target,
                    part="outcome",
                    pointer=(*here, self.outcome_key, label),
                )
        target = self.value.get("fallbackPhase")
        if isinstance(target, str) and FALLBACK not in labels:
            yield AgentOutcome(
                label=FALLBACK, target=target, part="fallbackPhase", pointer=(*here, FALLBACK)
            )


class Parts:
    """The parts of a parsed file, each read once."""

    def __init__(self, value: Any) -> None:
        self.value: dict[str, Any] = as_object(value)

    @cached_property
    def phases(self) -> Mapping[str, Phase]:
        items = as_object_map(self.value.get("phases"))
        return {id: Phase(id=id, value=value) for id, value in items.items()}

    @cached_property
    def agents(self) -> Mapping[str, Agent]:
        items = as_object_map(self.value.get("agents"))
        return {id: Agent(id=id, value=value) for id, value in items.items()}

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Label of an issue → phase."""
        return as_str_map(self.value.get("labelMapping"))

    @cached_property
    def rules(self) -> dict[str, Any]:
        return as_object(self.value.get("rules"))

    @property
    def most_cycles(self) -> int:
        """The limit of transitions of one issue."""
        value = self.rules.get("maxCycles")
        valid = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        return value if valid and isinstance(value, int) else DEFAULT_CYCLES

    @property
    def most_repeats(self) -> int:
        """The number of transitions in a row to one phase that ends the run; 0 for no limit."""
        value = self.rules.get("maxConsecutivePhases")
        return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0

    @cached_property
    def is_1_14(self) -> bool:
        """True for a file with a key of the unreleased 1.14."""
        return any(key in self.value for key in NEXT_KEYS) or any(
            "closeBinding" in agent.value for agent in self.agents.values()
        )

    @cached_property
    def _outcomes(self) -> Mapping[str, tuple[AgentOutcome, ...]]:
        """The outcomes of each agent, which its phases share."""
        return {id: tuple(agent.outcomes()) for id, agent in self.agents.items()}

    def outcomes_of(self, phase: str) -> tuple[AgentOutcome, ...]:
        """The outcomes of the agent that works in a phase."""
        definition = self.phases.get(phase)
        return self._outcomes.get(definition.agent, ()) if definition is not None else ()

    def outcome_at(self, transition: str) -> tuple[str, AgentOutcome] | None:
        """The phase and the outcome of a transition by its id; None if there is none."""
        for phase in self.phases:
            if transition.startswith(f"{phase}|"):
                for outcome in self.outcomes_of(phase):
                    if f"{phase}|{outcome.label}|{outcome.target}" == transition:
                        return phase, outcome
        return None

    @cached_property
    def _phases_by_agent(self) -> Mapping[str, tuple[str, ...]]:
        phases: dict[str, list[str]] = {}
        for id, phase in self.phases.items():
            phases.setdefault(phase.agent, []).append(id)
        return {agent: tuple(ids) for agent, ids in phases.items()}

    def phases_of(self, agent: str) -> tuple[str, ...]:
        """The phases in which an agent works."""
        return self._phases_by_agent.get(agent, ())
