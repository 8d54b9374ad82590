"""One pack as it is run: what every piece of the program looks things up in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from workflows.core.dialects.promptpack.format.parts import Object, Parts, as_str
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.prompts import PromptBuilder
from workflows.core.dialects.promptpack.program.skills import Skills
from workflows.core.dialects.promptpack.program.state_machine import Machine, Spec
from workflows.core.pack.graph import Graph, Transition


@dataclass(frozen=True, kw_only=True)
class PackContext:
    """Immutable. `draw` makes the graph, which is asked for where a composition runs: its arrows
    say how the way from one step to the next is called."""

    parts: Parts
    machine: Machine
    make_graph: Callable[[], Graph]
    promptkit: bool = False

    @cached_property
    def prompt_builder(self) -> PromptBuilder:
        return PromptBuilder(parts=self.parts, promptkit=self.promptkit)

    @cached_property
    def skills(self) -> Skills:
        return Skills(parts=self.parts, promptkit=self.promptkit)

    @cached_property
    def plans(self) -> Mapping[str, Plan]:
        """Every composition by its name."""
        return {name: Plan(name=name, body=body) for name, body in self.parts.compositions.items()}

    @cached_property
    def steps_by_state(self) -> Mapping[str, tuple[Plan, Step]]:
        """The step behind every box of a composition. Of two names that fit the longer one counts;
        a name that a state has stays with the state."""
        found: dict[str, tuple[Plan, Step]] = {}
        for plan in sorted(self.plans.values(), key=lambda plan: len(plan.name)):
            found |= {plan.state_id(step): (plan, step) for step in plan.steps_by_id.values()}
        return {state: place for state, place in found.items() if state in self.machine.steps}

    @cached_property
    def transitions_into(self) -> Mapping[str, tuple[Transition, ...]]:
        """The arrows between steps, by the box that they lead to."""
        found: dict[str, tuple[Transition, ...]] = {}
        for arrow in self.make_graph().transitions:
            if arrow.target in self.steps_by_state:
                found[arrow.target] = (*found.get(arrow.target, ()), arrow)
        return found

    def prompt_of(self, spec: Spec) -> Object:
        return self.parts.prompts.get(spec.prompt_task, {})

    def prompt_at(self, state: str) -> tuple[str, Object]:
        """The prompt that is at work in a state or step, with its key; ("", {}) for none."""
        spec = self.machine.states.get(state)
        place = self.steps_by_state.get(state)
        key = (
            spec.prompt_task if spec else as_str(place[1].body.get("prompt_task")) if place else ""
        )
        return key, self.parts.prompts.get(key, {})
