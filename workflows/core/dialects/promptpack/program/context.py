"""The context in which a pack runs: its parts and the values derived from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.profiles import DEFAULT, Behaviour
from workflows.core.dialects.promptpack.format.skill_files import SkillSet
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.prompts import PromptBuilder
from workflows.core.dialects.promptpack.program.skills import Skills
from workflows.core.dialects.promptpack.program.state_machine import Machine, Spec
from workflows.core.pack.graph import Graph, Transition
from workflows.core.text.tolerant import as_str


@dataclass(frozen=True, kw_only=True)
class PackContext:
    """Immutable. `make_graph` projects the pack; it is called only when a composition runs, because
    the labels of transitions between steps come from the graph."""

    parts: Parts
    machine: Machine
    make_graph: Callable[[], Graph]
    skill_set: SkillSet
    behaviour: Behaviour = DEFAULT

    @property
    def promptkit(self) -> bool:
        """True for the profiles of PromptKit."""
        return self.behaviour.promptkit

    @cached_property
    def prompt_builder(self) -> PromptBuilder:
        return PromptBuilder(parts=self.parts, behaviour=self.behaviour)

    @cached_property
    def skills(self) -> Skills:
        return Skills(loaded=self.skill_set, behaviour=self.behaviour)

    @cached_property
    def plans(self) -> Mapping[str, Plan]:
        """Every composition by its name."""
        return {name: Plan(name=name, body=body) for name, body in self.parts.compositions.items()}

    @cached_property
    def steps_by_state(self) -> Mapping[str, tuple[Plan, Step]]:
        """The step of every state id of a composition. If two compositions match, the longer name
        wins; an id that a state of the workflow has belongs to that state."""
        places: dict[str, tuple[Plan, Step]] = {}
        for plan in sorted(self.plans.values(), key=lambda plan: len(plan.name)):
            places |= {plan.state_id(step): (plan, step) for step in plan.steps_by_id.values()}
        return {state: place for state, place in places.items() if state in self.machine.steps}

    @cached_property
    def transitions_into(self) -> Mapping[str, tuple[Transition, ...]]:
        """The transitions between steps, by target."""
        by_target: dict[str, tuple[Transition, ...]] = {}
        for transition in self.make_graph().transitions:
            if transition.target in self.steps_by_state:
                by_target[transition.target] = (*by_target.get(transition.target, ()), transition)
        return by_target

    def prompt_of(self, spec: Spec) -> Object:
        return self.parts.prompts.get(spec.prompt_task, {})

    def prompt_at(self, state: str) -> tuple[str, Object]:
        """The prompt of a state or step, with its key; ("", {}) for none."""
        spec = self.machine.spec(state)
        place = self.steps_by_state.get(state)
        key = (
            spec.prompt_task if spec else as_str(place[1].body.get("prompt_task")) if place else ""
        )
        return key, self.parts.prompts.get(key, {})
