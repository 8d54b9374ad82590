"""A state that runs a composition: its input, and the transition that follows its output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.program import composition_memory
from workflows.core.dialects.promptpack.program.branch_answers import choice_for
from workflows.core.dialects.promptpack.program.composition_plan import Plan
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.expected_values import (
    branch_answers,
    input_schema,
    values_read,
)
from workflows.core.dialects.promptpack.program.outcomes import failed, make_event
from workflows.core.dialects.promptpack.program.prompts import DEFAULT_INPUT, OPENING_INPUT
from workflows.core.dialects.promptpack.program.questions import ask_following_event, ask_input
from workflows.core.dialects.promptpack.program.references import as_text, from_text
from workflows.core.dialects.promptpack.program.state_machine import Spec
from workflows.core.dialects.promptpack.program.step_execution import StepExecutor
from workflows.core.dialects.promptpack.program.step_order import next_step
from workflows.core.engine.effects import AskHuman, Choice, Effect
from workflows.core.engine.program import Again, Ask, End, Fork, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve

INPUT_KEY = "given"
RUNNING_KEY = "composing"
SETTLED_KEY = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositionRunner:
    """Starts a composition and handles its output."""

    context: PackContext
    executor: StepExecutor

    def ask(self, run: RunState, position: Position, spec: Spec, key: str) -> Outcome:
        plan = self.context.plans.get(spec.composition)
        if plan is None:
            return failed(f'composition "{spec.composition}" not found in pack')
        if plan.problem:
            return failed(f'composition "{plan.name}": {plan.problem}')
        if position.memory.get(RUNNING_KEY):
            return self._after_composition(run, position, spec, plan, key)
        value = self._input(run, position, plan)
        if value is None and values_read(plan, (OPENING_INPUT,)):
            question = ask_input(
                spec,
                position,
                key,
                schema=input_schema(plan, self.context.parts.tree),
                choices=self._choices(plan),
            )
            return Outcome(next=Ask(effect=question))
        return self._begin(position, plan, DEFAULT_INPUT if value is None else value)

    def is_input(self, effect: Effect, answer: Approve) -> bool:
        """Return True if a person chose an offered input, not an event."""
        choices = effect.choices if isinstance(effect, AskHuman) else ()
        return any("structured" in c.reply for c in choices if c.label == answer.event)

    def answer(self, position: Position, effect: Effect, reply: Approve) -> Outcome:
        """Start the composition with the input that a person entered. This also restarts a finished
        one."""
        value: Any = reply.structured
        if value is None and reply.event and isinstance(effect, AskHuman):
            chosen = [choice.reply for choice in effect.choices if choice.label == reply.event]
            value = (chosen or [{}])[0].get("structured")
        if value is None:
            value = from_text(reply.text)
        memory = {INPUT_KEY: value, RUNNING_KEY: "", SETTLED_KEY: False, "ask": ""}
        return Outcome(drafts=(make_event("promptpack.turn", memory=memory),), next=Again())

    def _input(self, run: RunState, position: Position, plan: Plan) -> Any:
        if position.memory.get(INPUT_KEY) is not None:
            return position.memory[INPUT_KEY]
        context = position.memory.get("context")
        return from_text(context) if context else self.executor.opening(run, plan)

    def _choices(self, plan: Plan) -> tuple[Choice, ...]:
        """Inputs that decide the branches of the composition."""
        return tuple(
            choice_for(self.context, plan, answer, {"structured": answer.value, "event": ""})
            for answer in branch_answers(plan, (OPENING_INPUT,))
        )

    def _begin(self, position: Position, plan: Plan, value: Any) -> Outcome:
        first, _ = next_step(plan, "", {})
        if first is None:
            return failed(f'composition "{plan.name}": it has no step to start with')
        started = make_event(
            "promptpack.composition.started",
            composition=plan.name,
            input=value,
            memory={RUNNING_KEY: plan.name},
            run_memory=composition_memory.memory_at_start(position.id, plan, value),
        )
        take = Take(target=plan.state_id(first), label=plan.name)
        return Outcome(drafts=(started,), next=Fork(takes=(take,)))

    def _after_composition(
        self, run: RunState, position: Position, spec: Spec, plan: Plan, key: str
    ) -> Outcome:
        """Complete the run in an end. Otherwise take the event that the output names, or ask a
        person."""
        output = composition_memory.output_of(run, position.id, plan)
        if self.context.machine.ends(spec.name):
            return Outcome(next=End(status="completed"))
        if not position.memory.get(SETTLED_KEY):
            return self._settle(run, position, spec, plan, output)
        question = ask_following_event(spec, position, key, as_text(output))
        return Outcome(next=Ask(effect=question))

    def _settle(
        self, run: RunState, position: Position, spec: Spec, plan: Plan, output: Any
    ) -> Outcome:
        """Add the composition to the conversation as one turn: its input and its output."""
        text = as_text(output)
        value = composition_memory.input_of(run, position.id, plan)
        turns = [
            {"role": "user", "text": as_text(value)},
            {"role": "assistant", "text": text},
        ]
        messages = [*position.memory.get("messages", []), *turns]
        memory = {"messages": messages, SETTLED_KEY: True, "next": event_in(output, spec)}
        turn = make_event("promptpack.turn", memory={**memory, "next_context": text})
        return Outcome(drafts=(turn,), next=Again())

    def output_at(self, run: RunState, position: Position, spec: Spec) -> str:
        """The output of the composition in this visit, "" before it has finished."""
        plan = self.context.plans.get(spec.composition)
        if plan is None or not position.memory.get(RUNNING_KEY):
            return ""
        output = composition_memory.output_of(run, position.id, plan)
        return "" if output is None else as_text(output)


def event_in(output: Any, spec: Spec) -> str:
    """The event of this state that an output names: as its only string, or in its field `event`."""
    named = output.get("event") if isinstance(output, dict) else output
    return named if isinstance(named, str) and named in spec.events else ""
