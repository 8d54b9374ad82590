"""The program of a pack (promptpack.md sections 4 and 5, with the decisions of section 10). It
combines the other modules of this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from workflows.core.dialects.promptpack.format.governance import governance_errors
from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.profiles import behaviour_of
from workflows.core.dialects.promptpack.format.templates import missing_variables
from workflows.core.dialects.promptpack.graph.projection import graph
from workflows.core.dialects.promptpack.program.composition_state import CompositionRunner
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.eval_schedule import EvalSchedule
from workflows.core.dialects.promptpack.program.evals import Evals
from workflows.core.dialects.promptpack.program.judge import JudgeRunner
from workflows.core.dialects.promptpack.program.judged_validators import RELEASED, JudgedValidators
from workflows.core.dialects.promptpack.program.options import AGENT, PROMPT, offered
from workflows.core.dialects.promptpack.program.outcomes import within_budget
from workflows.core.dialects.promptpack.program.prompts import DEFAULT_INPUT, OPENING_INPUT
from workflows.core.dialects.promptpack.program.state_machine import Machine, Spec, prompt_spec
from workflows.core.dialects.promptpack.program.states import States
from workflows.core.dialects.promptpack.program.step_execution import StepExecutor
from workflows.core.dialects.promptpack.program.steps import Steps
from workflows.core.dialects.promptpack.program.tools import declared_tools
from workflows.core.dialects.promptpack.program.transitions import TransitionTaker
from workflows.core.dialects.promptpack.program.validators import Validators
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.engine.effects import Effect, ToolSpec
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Budget, CannotRun, End, Outcome, Program
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.run_options import RunInput, RunOption, declared_input
from workflows.core.engine.signals import Signal
from workflows.core.text.tolerant import as_str, indexed_objects

CAPABILITIES = {"tool_use": "toolCalling", "structured_output": "structuredOutput"}
LEVELS = ("", "preferred", "hard")
NO_PROMPTS = "This pack has no prompt to run."


@dataclass(frozen=True, kw_only=True)
class PackProgram(Program):
    """One pack under one profile."""

    context: PackContext
    checks_calls: bool = False
    """True in a run whose calls are checked."""

    @cached_property
    def tool_parameters(self) -> Mapping[str, Mapping[str, Any]]:
        tools = declared_tools(self.context.parts) if self.checks_calls else ()
        return {tool.name: tool.parameters for tool in tools}

    def with_tools(self, tools: Mapping[str, ToolSpec]) -> PackProgram:
        return replace(self, checks_calls=True)

    @cached_property
    def validators(self) -> Validators:
        return Validators(parts=self.context.parts, behaviour=self.context.behaviour)

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
    def judged_validators(self) -> JudgedValidators:
        return JudgedValidators(context=self.context, validators=self.validators)

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
        """The states that end a run, or the run of an agent."""
        ends = (name for name in self.machine.states if self.machine.ends(name))
        return frozenset((*ends, *self.machine.agents))

    @cached_property
    def required_inputs(self) -> tuple[str, ...]:
        """Required variables without a default: of all states of a workflow, else of the prompt
        that runs unless the starter names another one."""
        return self._variables(self.machine.entry)

    def _variables(self, entry: str) -> tuple[str, ...]:
        """The variables that a run from this state requires."""
        names: dict[str, None] = {}
        inside = entry in self.machine.states and self.context.parts.workflow is not None
        alone = self.machine.spec(entry)
        specs = self.machine.states.values() if inside else [alone] if alone else []
        for spec in specs:
            names.update(dict.fromkeys(missing_variables(self._prompt(spec), {})))
        return tuple(names)

    @cached_property
    def inputs(self) -> tuple[RunInput, ...]:
        """The variables of the prompts that a run may reach. Without a workflow they belong to the
        prompts that declare them."""
        alone = self.context.parts.workflow is None and not self.machine.entry
        declared: dict[str, Object] = {}
        prompts: dict[str, list[str]] = {}
        required = set(self.required_inputs)
        for state, spec in self.machine.states.items():
            prompt = self._prompt(spec)
            if alone:
                required |= set(missing_variables(prompt, {}))
            for _, item in indexed_objects(prompt.get("variables")):
                if name := as_str(item.get("name")):
                    declared.setdefault(name, item)
                    prompts.setdefault(name, []).append(state)
        names = dict.fromkeys((*self.required_inputs, *declared))
        inputs = [
            declared_input(
                name,
                declared.get(name, {}),
                required=name in required,
                prompts=prompts.get(name, ()) if alone else (),
            )
            for name in names
        ]
        if OPENING_INPUT not in names:
            inputs.append(
                RunInput(name=OPENING_INPUT, help="The first message.", default=DEFAULT_INPUT)
            )
        return tuple(inputs)

    @property
    def options(self) -> tuple[RunOption, ...]:
        return offered(self.context.parts, self.context.behaviour)

    @property
    def simulated_inputs(self) -> Mapping[str, str]:
        """Without an entry, a rehearsal runs the first prompt."""
        if self.machine.entry or self.context.parts.workflow is not None:
            return {}
        return {PROMPT: next(iter(self.machine.states), "")}

    @cached_property
    def requires(self) -> Mapping[str, str]:
        """The pack's requirements of its providers. Transitions need tool calls; without them a
        person decides."""
        needs = {}
        if any(not self.machine.ends(name) for name in self.machine.states):
            needs["toolCalling"] = "preferred"
        for _, need in self.context.parts.providers.values():
            capabilities = need.get("capabilities")
            for key, capability in CAPABILITIES.items():
                if isinstance(capabilities, dict) and capabilities.get(key) is True:
                    level = "preferred" if need.get("required") is False else "hard"
                    needs[capability] = max(level, needs.get(capability, ""), key=LEVELS.index)
        return needs

    def _prompt(self, spec: Spec) -> Object:
        return {} if spec.orchestration == "composition" else self.context.prompt_of(spec)

    def start(self, run: RunState) -> tuple[str, ...]:
        entry = self._entry(run)
        if self.machine.spec(entry) is None:
            raise CannotRun(f"The entry {entry!r} is not a state of the workflow.", code="PP202")
        lacking = [name for name in self._variables(entry) if not run.inputs.get(name)]
        if lacking:
            raise CannotRun(
                f"missing required variables: [{' '.join(lacking)}]", code="missing_variables"
            )
        return (entry,)

    def _entry(self, run: RunState) -> str:
        """The entry of the workflow, or the agent or prompt that the starter names."""
        agent, prompt = run.inputs.get(AGENT, ""), run.inputs.get(PROMPT, "")
        if agent:
            members = self.context.parts.members
            if agent not in members:
                names = ", ".join(members) or "none"
                raise CannotRun(f"This pack has no agent {agent!r}. Its agents are: {names}.")
            return self.states.agents.start_of(agent)
        if prompt and self.context.parts.workflow is not None:
            raise CannotRun(
                f"This pack has a workflow, so it cannot run the prompt {prompt!r} alone. "
                f"Remove the input {PROMPT}."
            )
        names = ", ".join(self.machine.states)
        if prompt and prompt not in self.machine.states:
            raise CannotRun(f"This pack has no prompt {prompt!r}. It can run: {names}.")
        if not (prompt or self.machine.entry) and self.context.parts.workflow is None:
            raise CannotRun(
                f"This pack has {len(self.machine.states)} prompts and no workflow. Choose one "
                f"with the input {PROMPT}: {names}."
            )
        return prompt or self.machine.entry

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        judged = self.judge.ask(run, position, key) or self.judged_validators.ask(position, key)
        if judged is not None:
            return judged
        if self._is_step(position):
            return self._done(run, position, None, self.steps.ask(run, position, key))
        return self._done(run, position, None, self.states.ask(run, position, key))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        judged = self.judge.answer(run, position, effect, signal)
        if judged is not None:
            return judged
        checked = self.judged_validators.answer(position, effect, signal)
        if isinstance(checked, Outcome):
            return checked
        if checked is not None:
            released, reply = checked
            outcome = self._answered(run, released, effect, reply)
            return replace(outcome, drafts=(RELEASED, *outcome.drafts))
        held = self.judged_validators.hold(run, position, signal, effect)
        return held or self._answered(run, position, effect, signal)

    def _answered(
        self, run: RunState, position: Position, effect: Effect, signal: Signal
    ) -> Outcome:
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
        outcome = self.states.agents.settled(position, outcome)
        return self.eval_schedule.after(run, position, signal, outcome, effect)


def program(source: PackSource, profile: str) -> PackProgram:
    """The program of this pack. Raises CannotRun if it cannot start."""
    if not source.readable:
        raise CannotRun("This file is not a readable pack.", code="PP101")
    parts = source.parts
    machine = Machine.of(parts) if parts.workflow is not None else _apart(parts)
    if not machine.states:
        what = "The workflow has no states." if parts.workflow is not None else NO_PROMPTS
        raise CannotRun(what, code="PP115")
    context = PackContext(
        parts=parts,
        machine=machine,
        skill_set=source.skills,
        make_graph=lambda: graph(source, profile),
        behaviour=behaviour_of(profile),
    )
    pack_program = PackProgram(context=context)
    unknown = pack_program.validators.unknown() if context.promptkit else ""
    if unknown:
        raise CannotRun(f'unknown guardrail type: "{unknown}"', code="PP904")
    refused = next(governance_errors(parts), None) if context.behaviour.checks_governance else None
    if refused is not None:
        raise CannotRun(refused.message, code="PP913")
    return pack_program


def _apart(parts: Parts) -> Machine:
    """Without a workflow a run has one start: the only composition, else an agent, else a prompt.
    The entry is the agents' entry or the only prompt, "" if the starter has to choose."""
    if len(parts.compositions) == 1 and parts.agents is None:
        name = next(iter(parts.compositions))
        single = Spec(name=name, orchestration="composition", composition=name, terminal=True)
        return Machine.apart(parts, name, single)
    keys = [key for key in parts.members if key in parts.prompts] or list(parts.prompts)
    entry = as_str((parts.agents or {}).get("entry"))
    if entry not in keys:
        entry = keys[0] if len(keys) == 1 else ""
    return Machine.apart(parts, entry, *(prompt_spec(key, key) for key in keys))
