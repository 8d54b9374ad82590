"""The program of a pack (promptpack.md sections 4 and 5, with the decisions of section 10). It
combines the other modules of this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from workflows.core.dialects.promptpack.format.parts import Object, Parts, as_str
from workflows.core.dialects.promptpack.format.templates import missing_variables
from workflows.core.dialects.promptpack.graph.projection import graph
from workflows.core.dialects.promptpack.program.composition_state import CompositionRunner
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.eval_schedule import EvalSchedule
from workflows.core.dialects.promptpack.program.evals import Evals
from workflows.core.dialects.promptpack.program.judge import JudgeRunner
from workflows.core.dialects.promptpack.program.options import AGENT
from workflows.core.dialects.promptpack.program.outcomes import within_budget
from workflows.core.dialects.promptpack.program.state_machine import Machine, Spec
from workflows.core.dialects.promptpack.program.states import States
from workflows.core.dialects.promptpack.program.step_execution import StepExecutor
from workflows.core.dialects.promptpack.program.steps import Steps
from workflows.core.dialects.promptpack.program.transitions import TransitionTaker
from workflows.core.dialects.promptpack.program.validators import Validators
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Budget, CannotRun, End, Outcome, Program
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Signal

CAPABILITIES = {"tool_use": "toolCalling", "structured_output": "structuredOutput"}
LEVELS = ("", "preferred", "hard")


@dataclass(frozen=True, kw_only=True)
class PackProgram(Program):
    """One pack under one profile."""

    context: PackContext

    @cached_property
    def validators(self) -> Validators:
        return Validators(parts=self.context.parts, promptkit=self.context.promptkit)

    @cached_property
    def _work(self) -> StepExecutor:
        return StepExecutor(context=self.context, validators=self.validators)

    @cached_property
    def states(self) -> States:
        composing = CompositionRunner(context=self.context, executor=self._work)
        return States(
            context=self.context,
            validators=self.validators,
            compositions=composing,
            transitions=TransitionTaker(context=self.context),
        )

    @cached_property
    def steps(self) -> Steps:
        return Steps(context=self.context, executor=self._work)

    @cached_property
    def evals(self) -> Evals:
        return Evals(context=self.context, validators=self.validators)

    @cached_property
    def judge(self) -> JudgeRunner:
        return JudgeRunner(evals=self.evals)

    @cached_property
    def eval_schedule(self) -> EvalSchedule:
        return EvalSchedule(evals=self.evals)

    @property
    def machine(self) -> Machine:
        return self.context.machine

    @property
    def budget(self) -> Budget:
        return self.machine.engine_budget

    @cached_property
    def terminals(self) -> frozenset[str]:
        """The states that end a run."""
        return frozenset(name for name in self.machine.states if self.machine.ends(name))

    @cached_property
    def required_inputs(self) -> tuple[str, ...]:
        """Required variables without a default."""
        found: dict[str, None] = {}
        for spec in self.machine.states.values():
            found.update(dict.fromkeys(missing_variables(self._prompt(spec), {})))
        return tuple(found)

    @cached_property
    def requires(self) -> Mapping[str, str]:
        """The pack's requirements of its providers. Transitions need tool calls; without them a
        person decides."""
        found = {}
        if any(not self.machine.ends(name) for name in self.machine.states):
            found["toolCalling"] = "preferred"
        for _, need in self.context.parts.providers.values():
            capabilities = need.get("capabilities")
            for key, capability in CAPABILITIES.items():
                if isinstance(capabilities, dict) and capabilities.get(key) is True:
                    level = "preferred" if need.get("required") is False else "hard"
                    found[capability] = max(level, found.get(capability, ""), key=LEVELS.index)
        return found

    def _prompt(self, spec: Spec) -> Object:
        return {} if spec.orchestration == "composition" else self.context.prompt_of(spec)

    def start(self, run: RunState) -> tuple[str, ...]:
        entry = self._entry(run)
        if entry not in self.machine.states:
            raise CannotRun(f"The entry {entry!r} is not a state of the workflow.", code="PP202")
        lacking = [name for name in self.required_inputs if not run.inputs.get(name)]
        if lacking:
            raise CannotRun(
                f"missing required variables: [{' '.join(lacking)}]", code="missing_variables"
            )
        return (entry,)

    def _entry(self, run: RunState) -> str:
        """The entry of the workflow, or of the agent that the starter names."""
        agent = run.inputs.get(AGENT, "")
        if not agent:
            return self.machine.entry
        members = self.context.parts.members
        if agent not in members:
            known = ", ".join(members) or "none"
            raise CannotRun(f"This pack has no agent {agent!r}. Its agents are: {known}.")
        state = as_str(members[agent].get("state"))
        if not state:
            raise CannotRun(f"Agent {agent!r} names no state of the workflow to start at.")
        return state

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        judged = self.judge.ask(run, position, key)
        if judged is not None:
            return judged
        if self._is_step(position):
            return self._done(run, position, None, self.steps.ask(run, position, key))
        return self._done(run, position, None, self.states.ask(run, position, key))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        judged = self.judge.answer(run, position, effect, signal)
        if judged is not None:
            return judged
        if self._is_step(position):
            outcome = self.steps.answer(run, position, effect, signal)
        else:
            outcome = self.states.answer(run, position, effect, signal)
        return self._done(run, position, signal, outcome, effect)

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        """Steps of a composition take no events; the state that runs them does."""
        if self._is_step(position):
            return None
        outcome = self.states.fire(run, position, event)
        return None if outcome is None else self._done(run, position, None, outcome)

    def on_cancel(self, run: RunState) -> tuple[Draft, ...]:
        """The evals of a cancelled run, whose session counts as complete."""
        end = Outcome(next=End(status="cancelled"))
        positions = run.positions[:1]
        return (
            self.eval_schedule.after(run, positions[0], None, end, None).drafts if positions else ()
        )

    def _is_step(self, position: Position) -> bool:
        return position.state in self.context.steps_by_state

    def _done(
        self,
        run: RunState,
        position: Position,
        signal: Signal | None,
        outcome: Outcome,
        effect: Effect | None = None,
    ) -> Outcome:
        """The outcome with its evals, which only observe."""
        outcome = within_budget(self.machine, run, outcome)
        return self.eval_schedule.after(run, position, signal, outcome, effect)


def program(source: PackSource, profile: str) -> PackProgram:
    """The program of this pack. Raises CannotRun if it cannot start."""
    if not source.readable:
        raise CannotRun("This file is not a readable pack.", code="PP101")
    parts = source.parts
    machine = Machine.of(parts) if parts.workflow is not None else _single(parts)
    if not machine.states:
        raise CannotRun("The workflow has no states.", code="PP115")
    context = PackContext(
        parts=parts,
        machine=machine,
        make_graph=lambda: graph(source, profile),
        promptkit=profile == "promptkit",
    )
    pack_program = PackProgram(context=context)
    unknown = pack_program.validators.unknown() if context.promptkit else ""
    if unknown:
        raise CannotRun(f'unknown guardrail type: "{unknown}"', code="PP904")
    return pack_program


def _single(parts: Parts) -> Machine:
    """Without a workflow one item runs once: the only composition, else the agents' entry, else the
    only prompt."""
    if len(parts.compositions) == 1 and parts.agents is None:
        name = next(iter(parts.compositions))
        single = Spec(name=name, orchestration="composition", composition=name, terminal=True)
        return Machine.single(parts, single)
    entry = as_str((parts.agents or {}).get("entry"))
    if entry not in parts.prompts:
        if len(parts.prompts) != 1:
            raise CannotRun(
                f"This pack has {len(parts.prompts)} prompts and no workflow that orders them. "
                "Connect two of them first."
            )
        entry = next(iter(parts.prompts))
    return Machine.single(parts, Spec(name=entry, prompt_task=entry, terminal=True))
