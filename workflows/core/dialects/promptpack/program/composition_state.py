"""A state that runs a composition: what goes in, and what follows from what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.program import composition_memory as written
from workflows.core.dialects.promptpack.program.branch_answers import choice_for
from workflows.core.dialects.promptpack.program.composition_plan import Plan
from workflows.core.dialects.promptpack.program.context import Setting
from workflows.core.dialects.promptpack.program.expected_values import input_schema, read_of, ways
from workflows.core.dialects.promptpack.program.outcomes import failed, note
from workflows.core.dialects.promptpack.program.prompts import OPENING
from workflows.core.dialects.promptpack.program.questions import what_followed, what_goes_in
from workflows.core.dialects.promptpack.program.references import as_text, from_text
from workflows.core.dialects.promptpack.program.state_machine import Spec
from workflows.core.dialects.promptpack.program.step_execution import StepWork
from workflows.core.dialects.promptpack.program.step_order import next_step
from workflows.core.engine.effects import AskHuman, Choice, Effect
from workflows.core.engine.program import Again, Ask, End, Fork, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve

BEGIN = "Begin."
"""What a composition is given that nobody has anything for, and that reads nothing of it."""
GIVEN = "given"
RUNNING = "composing"
SETTLED = "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Composing:
    """Begins a composition and takes in what it came to."""

    setting: Setting
    work: StepWork

    def ask(self, run: RunState, position: Position, spec: Spec, key: str) -> Outcome:
        plan = self.setting.plans.get(spec.composition)
        if plan is None:
            return failed(f'composition "{spec.composition}" not found in pack')
        if plan.problem:
            return failed(f'composition "{plan.name}": {plan.problem}')
        if position.memory.get(RUNNING):
            return self._came_out(run, position, spec, plan, key)
        given = self._given(run, position, plan)
        if given is None and read_of(plan, (OPENING,)):
            question = what_goes_in(
                spec,
                position,
                key,
                schema=input_schema(plan, self.setting.parts.tree),
                choices=self._choices(plan),
            )
            return Outcome(next=Ask(effect=question))
        return self._begin(position, plan, BEGIN if given is None else given)

    def goes_in(self, effect: Effect, answer: Approve) -> bool:
        """Whether a person picked an input that was offered, and not an event."""
        choices = effect.choices if isinstance(effect, AskHuman) else ()
        return any("structured" in c.reply for c in choices if c.label == answer.event)

    def answer(self, position: Position, effect: Effect, said: Approve) -> Outcome:
        """A person gave the input, or has another one for the composition to run on."""
        given: Any = said.structured
        if given is None and said.event and isinstance(effect, AskHuman):
            chosen = [choice.reply for choice in effect.choices if choice.label == said.event]
            given = (chosen or [{}])[0].get("structured")
        if given is None:
            given = from_text(said.text)
        memory = {GIVEN: given, RUNNING: "", SETTLED: False, "ask": ""}
        return Outcome(drafts=(note("promptpack.turn", memory=memory),), next=Again())

    def _given(self, run: RunState, position: Position, plan: Plan) -> Any:
        if position.memory.get(GIVEN) is not None:
            return position.memory[GIVEN]
        context = position.memory.get("context")
        return from_text(context) if context else self.work.opening(run, plan)

    def _choices(self, plan: Plan) -> tuple[Choice, ...]:
        """Inputs that decide the branches of the composition."""
        return tuple(
            choice_for(self.setting, plan, way, {"structured": way.value, "event": ""})
            for way in ways(plan, (OPENING,))
        )

    def _begin(self, position: Position, plan: Plan, given: Any) -> Outcome:
        first, _ = next_step(plan, "", {})
        if first is None:
            return failed(f'composition "{plan.name}": it has no step to begin with')
        started = note(
            "promptpack.composition.started",
            composition=plan.name,
            input=given,
            memory={RUNNING: plan.name},
            run_memory=written.begun(position.id, plan, given),
        )
        take = Take(target=plan.state_of(first), label=plan.name)
        return Outcome(drafts=(started,), next=Fork(takes=(take,)))

    def _came_out(
        self, run: RunState, position: Position, spec: Spec, plan: Plan, key: str
    ) -> Outcome:
        """An end completes the run; else the output may name the event that follows, and where it
        does not, a person does."""
        output = written.output_of(run, position.id, plan)
        if self.setting.machine.ends(spec.name):
            return Outcome(next=End(status="completed"))
        if not position.memory.get(SETTLED):
            return self._settle(run, position, spec, plan, output)
        question = what_followed(spec, position, key, as_text(output))
        return Outcome(next=Ask(effect=question))

    def _settle(
        self, run: RunState, position: Position, spec: Spec, plan: Plan, output: Any
    ) -> Outcome:
        """To the conversation a composition is one turn: what it was given, what it came to."""
        text = as_text(output)
        given = written.given_to(run, position.id, plan)
        turns = [
            {"role": "user", "text": as_text(given)},
            {"role": "assistant", "text": text},
        ]
        messages = [*position.memory.get("messages", []), *turns]
        memory = {"messages": messages, SETTLED: True, "next": event_in(output, spec)}
        told = note("promptpack.turn", memory={**memory, "next_context": text})
        return Outcome(drafts=(told,), next=Again())

    def output_at(self, run: RunState, position: Position, spec: Spec) -> str:
        """What the composition of this stay came to, "" before it has."""
        plan = self.setting.plans.get(spec.composition)
        if plan is None or not position.memory.get(RUNNING):
            return ""
        output = written.output_of(run, position.id, plan)
        return "" if output is None else as_text(output)


def event_in(output: Any, spec: Spec) -> str:
    """The event of this state that an output names: as its only word, or in its field `event`."""
    named = output.get("event") if isinstance(output, dict) else output
    return named if isinstance(named, str) and named in spec.events else ""
