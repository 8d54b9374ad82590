"""The state machine: the target of an event, or the reason for its refusal (section 4.2)."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from workflows.core.dialects.promptpack.format.agent_states import agent_ids
from workflows.core.dialects.promptpack.format.parts import (
    ON_MAX_VISITS,
    Object,
    Parts,
    as_object_map,
    as_positive_int,
    as_str,
    as_str_map,
)
from workflows.core.dialects.promptpack.program.composition_plan import Plan
from workflows.core.engine.budget import BEFORE_TAKING, reached_limit
from workflows.core.engine.program import NO_LIMITS, Budget, Take
from workflows.core.engine.run import RunState


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One state of the machine."""

    name: str
    prompt_task: str = ""
    description: str = ""
    events: Mapping[str, str] = field(default_factory=dict)
    """Event → target, sorted by name."""
    orchestration: str = "internal"
    control: str = "user"
    persistence: str = "transient"
    composition: str = ""
    terminal: bool = False
    max_visits: int | None = None
    on_max_visits: str = ""
    artifacts: Mapping[str, str] = field(default_factory=dict)
    """Slot → replace or append."""
    skills: str = ""
    """The skill filter: a path, a pattern, "none", or "" for all skills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The reason why an event has no target. The machine keeps its state and counts nothing."""

    code: Literal["budget_exhausted", "invalid_event", "terminal_state", "max_visits_exceeded"]
    message: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    """The facts of the message by the names of the reference runtime: `from_state`,
    `original_target`, `event`, `visit_count`, `max_visits`; for a budget `limit`, `current`, `max`,
    `current_state`."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """A workflow without its prompts."""

    entry: str
    states: Mapping[str, Spec]
    budget: Budget = NO_LIMITS
    steps: frozenset[str] = frozenset()
    """State ids of composition steps. They are not states of the machine."""
    agents: Mapping[str, Spec] = field(default_factory=dict)
    """The agents of a pack with a workflow, by state id. Their visits do not count towards its
    budget."""

    @classmethod
    def of(cls, parts: Parts) -> Machine:
        states = {name: _spec(name, state) for name, state in parts.states.items()}
        agents = {
            id: prompt_spec(id, key) for key, id in agent_ids(parts).items() if id not in states
        }
        return cls(
            entry=parts.entry,
            states=states,
            budget=_budget(parts.budget),
            steps=_steps(parts).difference(states, agents),
            agents=agents,
        )

    @classmethod
    def apart(cls, parts: Parts, entry: str, *specs: Spec) -> Machine:
        """A machine of states without transitions, for a pack without a workflow."""
        states = {spec.name: spec for spec in specs}
        return cls(entry=entry, states=states, steps=_steps(parts).difference(states))

    @cached_property
    def engine_budget(self) -> Budget:
        """The budget that the engine enforces. The engine counts entered steps and agents as
        visits, so if the pack has any, the machine alone enforces the visit limit."""
        apart = self.steps or self.agents
        return replace(self.budget, total_visits=None) if apart else self.budget

    def spec(self, state: str) -> Spec | None:
        """The state or agent with this id."""
        return self.states.get(state) or self.agents.get(state)

    def ends(self, state: str) -> bool:
        """Return True if the state is marked as an end, has no transitions, or does not exist."""
        spec = self.states.get(state)
        return spec is None or spec.terminal or not spec.events

    def fire(self, run: RunState, state: str, event: str) -> Take | Refusal:
        """The effect of an event in this state. Checks run in the order of the reference
        runtime."""
        spent = self.spent(run, state, BEFORE_TAKING)
        if spent is not None:
            return spent
        spec = self.states.get(state)
        if spec is None:
            return _invalid(f'state "{state}" not found in spec')
        if self.ends(state):
            return Refusal(
                code="terminal_state",
                message="current state is terminal (no outgoing transitions): "
                f'state "{state}" is terminal',
            )
        if event not in spec.events:
            events = " ".join(spec.events)
            return _invalid(
                f'event "{event}" not defined for state "{state}" (available: [{events}])'
            )
        return self._follow(run, state, event, spec.events[event])

    def spent(self, run: RunState, state: str, limits: Container[str]) -> Refusal | None:
        """The refusal of a spent budget, None while it lasts."""
        if not self.budget.limits:
            return None
        reached = reached_limit(self.budget, self.without_steps(run), limits)
        if reached is None:
            return None
        facts = {"limit": reached.name, "current": reached.current, "max": reached.max}
        return Refusal(
            code="budget_exhausted",
            message=f"workflow budget exhausted: {reached}",
            fields={**facts, "current_state": state},
        )

    def without_steps(self, run: RunState) -> RunState:
        """The run without visits of composition steps and agents."""
        if not self.steps and not self.agents:
            return run
        apart = self.steps | self.agents.keys()
        visits = {name: often for name, often in run.visits.items() if name not in apart}
        return replace(run, visits=visits)

    def _follow(self, run: RunState, state: str, event: str, target: str) -> Take | Refusal:
        """The target, or the redirect of its cap. Only one redirect is followed; its own cap is not
        checked."""
        spec = self.states.get(target)
        visits = run.visits.get(target, 0)
        if spec is None or spec.max_visits is None or visits < spec.max_visits:
            return Take(target=target, label=event)
        if not spec.on_max_visits:
            return Refusal(
                code="max_visits_exceeded",
                message=f'max visits exceeded: state "{target}" visited {visits} times '
                f"(max {spec.max_visits})",
                fields=self.cap_facts(run, state, event, target),
            )
        redirected = spec.on_max_visits != target
        return Take(
            target=spec.on_max_visits,
            label=event,
            redirected=redirected,
            original_target=target if redirected else "",
        )

    def cap_facts(self, run: RunState, state: str, event: str, target: str) -> dict[str, Any]:
        """The facts of a state that may not be entered again."""
        return {
            "from_state": state,
            "original_target": target,
            "event": event,
            "visit_count": run.visits.get(target, 0),
            "max_visits": self.states[target].max_visits,
        }

    def redirect_reason(self, take: Take) -> str:
        """The message of the reference runtime for a redirected transition."""
        cap = self.states[take.original_target].max_visits
        return f'max_visits ({cap}) reached for "{take.original_target}"'

    def mode(self, state: str, artifact: str) -> str:
        """The mode of an artifact: as this state declares it, else as another state does, else
        replace."""
        here = self.states.get(state)
        if here is not None and artifact in here.artifacts:
            return here.artifacts[artifact]
        for spec in self.states.values():
            if artifact in spec.artifacts:
                return spec.artifacts[artifact]
        return "replace"


def _invalid(what: str) -> Refusal:
    return Refusal(code="invalid_event", message=f"invalid event for current state: {what}")


def _spec(name: str, state: Object) -> Spec:
    return Spec(
        name=name,
        prompt_task=as_str(state.get("prompt_task")),
        description=as_str(state.get("description")),
        events=dict(sorted(as_str_map(state.get("on_event")).items())),
        orchestration=as_str(state.get("orchestration")) or "internal",
        control=as_str(state.get("control")) or "user",
        persistence=as_str(state.get("persistence")) or "transient",
        composition=as_str(state.get("composition")),
        terminal=state.get("terminal") is True,
        max_visits=as_positive_int(state.get("max_visits")),
        on_max_visits=as_str(state.get(ON_MAX_VISITS)),
        artifacts={
            slot: as_str(item.get("mode")) or "replace"
            for slot, item in as_object_map(state.get("artifacts")).items()
        },
        skills=as_str(state.get("skills")),
    )


def prompt_spec(name: str, prompt: str) -> Spec:
    """A state that runs one prompt and ends."""
    return Spec(name=name, prompt_task=prompt, terminal=True)


def _steps(parts: Parts) -> frozenset[str]:
    plans = (Plan(name=name, body=body) for name, body in parts.compositions.items())
    return frozenset(plan.state_id(step) for plan in plans for step in plan.steps_by_id.values())


def _budget(block: Object) -> Budget:
    return Budget(
        total_visits=as_positive_int(block.get("max_total_visits")),
        tool_calls=as_positive_int(block.get("max_tool_calls")),
        wall_seconds=as_positive_int(block.get("max_wall_time_sec")),
    )
