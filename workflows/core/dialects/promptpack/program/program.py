"""How a pack runs (promptpack.md sections 4 and 5, with the decisions of section 10): the pieces in
run/ put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from workflows.core.dialects.promptpack.format.parts import Object, Parts, word
from workflows.core.dialects.promptpack.format.templates import missing
from workflows.core.dialects.promptpack.graph.projection import graph
from workflows.core.dialects.promptpack.program.composition_state import Composing
from workflows.core.dialects.promptpack.program.context import Setting
from workflows.core.dialects.promptpack.program.eval_schedule import Watching
from workflows.core.dialects.promptpack.program.evals import Evals
from workflows.core.dialects.promptpack.program.judge import Judging
from workflows.core.dialects.promptpack.program.options import AGENT
from workflows.core.dialects.promptpack.program.outcomes import within_budget
from workflows.core.dialects.promptpack.program.state_machine import Machine, Spec
from workflows.core.dialects.promptpack.program.states import States
from workflows.core.dialects.promptpack.program.step_execution import StepWork
from workflows.core.dialects.promptpack.program.steps import Steps
from workflows.core.dialects.promptpack.program.transitions import Moving
from workflows.core.dialects.promptpack.program.validators import Guards
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

    setting: Setting

    @cached_property
    def guards(self) -> Guards:
        return Guards(parts=self.setting.parts, promptkit=self.setting.promptkit)

    @cached_property
    def _work(self) -> StepWork:
        return StepWork(setting=self.setting, guards=self.guards)

    @cached_property
    def states(self) -> States:
        composing = Composing(setting=self.setting, work=self._work)
        return States(
            setting=self.setting,
            guards=self.guards,
            composing=composing,
            moving=Moving(setting=self.setting),
        )

    @cached_property
    def steps(self) -> Steps:
        return Steps(setting=self.setting, work=self._work)

    @cached_property
    def evals(self) -> Evals:
        return Evals(setting=self.setting, guards=self.guards)

    @cached_property
    def judging(self) -> Judging:
        return Judging(evals=self.evals)

    @cached_property
    def watching(self) -> Watching:
        return Watching(evals=self.evals)

    @property
    def machine(self) -> Machine:
        return self.setting.machine

    @property
    def budget(self) -> Budget:
        return self.machine.engine_budget

    @cached_property
    def terminals(self) -> frozenset[str]:
        """The states that end a run."""
        return frozenset(name for name in self.machine.states if self.machine.ends(name))

    @cached_property
    def required_inputs(self) -> tuple[str, ...]:
        """Variables that a run has to bring along: required, and without a default."""
        found: dict[str, None] = {}
        for spec in self.machine.states.values():
            found.update(dict.fromkeys(missing(self._prompt(spec), {})))
        return tuple(found)

    @cached_property
    def requires(self) -> Mapping[str, str]:
        """What the model has to be able to do: what the pack requires of its providers. Moving on
        takes a tool call; without any, a person leads on."""
        found = {}
        if any(not self.machine.ends(name) for name in self.machine.states):
            found["toolCalling"] = "preferred"
        for _, need in self.setting.parts.providers.values():
            asked = need.get("capabilities")
            for word_used, capability in CAPABILITIES.items():
                if isinstance(asked, dict) and asked.get(word_used) is True:
                    level = "preferred" if need.get("required") is False else "hard"
                    found[capability] = max(level, found.get(capability, ""), key=LEVELS.index)
        return found

    def _prompt(self, spec: Spec) -> Object:
        return {} if spec.orchestration == "composition" else self.setting.prompt_of(spec)

    def start(self, run: RunState) -> tuple[str, ...]:
        entry = self._entry(run)
        if entry not in self.machine.states:
            raise CannotRun(f"The workflow begins in {entry!r}, which is not there.", code="PP202")
        lacking = [name for name in self.required_inputs if not run.inputs.get(name)]
        if lacking:
            raise CannotRun(
                f"missing required variables: [{' '.join(lacking)}]", code="missing_variables"
            )
        return (entry,)

    def _entry(self, run: RunState) -> str:
        """Where the workflow begins, or where the agent that the starter names lets it begin."""
        agent = run.inputs.get(AGENT, "")
        if not agent:
            return self.machine.entry
        members = self.setting.parts.members
        if agent not in members:
            known = ", ".join(members) or "none"
            raise CannotRun(f"There is no agent {agent!r} in this pack. Its agents are: {known}.")
        state = word(members[agent].get("state"))
        if not state:
            raise CannotRun(f"The agent {agent!r} names no state of the workflow to begin in.")
        return state

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        judged = self.judging.ask(run, position, key)
        if judged is not None:
            return judged
        if self._is_step(position):
            return self._done(run, position, None, self.steps.ask(run, position, key))
        return self._done(run, position, None, self.states.ask(run, position, key))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        judged = self.judging.answer(run, position, effect, signal)
        if judged is not None:
            return judged
        if self._is_step(position):
            outcome = self.steps.answer(run, position, effect, signal)
        else:
            outcome = self.states.answer(run, position, effect, signal)
        return self._done(run, position, signal, outcome, effect)

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        """Steps of a composition hear of no events; the state that runs them does."""
        if self._is_step(position):
            return None
        outcome = self.states.fire(run, position, event)
        return None if outcome is None else self._done(run, position, None, outcome)

    def on_cancel(self, run: RunState) -> tuple[Draft, ...]:
        """The evals of a run that somebody ends: its session is complete all the same."""
        end = Outcome(next=End(status="cancelled"))
        places = run.positions[:1]
        return self.watching.after(run, places[0], None, end, None).drafts if places else ()

    def _is_step(self, position: Position) -> bool:
        return position.state in self.setting.places

    def _done(
        self,
        run: RunState,
        position: Position,
        signal: Signal | None,
        outcome: Outcome,
        effect: Effect | None = None,
    ) -> Outcome:
        """What happened, measured: evals look on and change nothing."""
        outcome = within_budget(self.machine, run, outcome)
        return self.watching.after(run, position, signal, outcome, effect)


def program(source: PackSource, profile: str) -> PackProgram:
    """How this pack runs. Raises CannotRun for one that cannot start at all."""
    if not source.readable:
        raise CannotRun("This file is not a readable pack.", code="PP101")
    parts = source.parts
    machine = Machine.of(parts) if parts.workflow is not None else _single(parts)
    if not machine.states:
        raise CannotRun("The workflow has no states.", code="PP115")
    setting = Setting(
        parts=parts,
        machine=machine,
        draw=lambda: graph(source, profile),
        promptkit=profile == "promptkit",
    )
    made = PackProgram(setting=setting)
    unknown = made.guards.unknown() if setting.promptkit else ""
    if unknown:
        raise CannotRun(f'unknown guardrail type: "{unknown}"', code="PP904")
    return made


def _single(parts: Parts) -> Machine:
    """Without a workflow one thing is run once: the only composition there is, else the agents'
    entry, else the only prompt."""
    if len(parts.compositions) == 1 and parts.agents is None:
        name = next(iter(parts.compositions))
        alone = Spec(name=name, orchestration="composition", composition=name, terminal=True)
        return Machine.alone(parts, alone)
    entry = word((parts.agents or {}).get("entry"))
    if entry not in parts.prompts:
        if len(parts.prompts) != 1:
            raise CannotRun(
                f"This pack has {len(parts.prompts)} prompts and no workflow that orders them. "
                "Draw an arrow from one to another first."
            )
        entry = next(iter(parts.prompts))
    return Machine.alone(parts, Spec(name=entry, prompt_task=entry, terminal=True))
