"""The program of a workflow: the routing of one issue from phase to phase.

The orchestrator starts an agent, reads its outcome, changes the labels of the issue on GitHub and
looks at them again. A run here does the routing. It starts no agent and changes no label: in each
phase, a person runs the agent and reports its outcome.
"""

from __future__ import annotations

from functools import cached_property

from workflows.core.dialects.climpt_workflow.format.parts import FALLBACK, AgentOutcome, Phase
from workflows.core.dialects.climpt_workflow.graph.projection import entries
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.engine.effects import AskHuman, Choice, Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import (
    Again,
    Ask,
    CannotRun,
    End,
    Outcome,
    Program,
    Take,
)
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.run_options import RunInput
from workflows.core.engine.signals import Approve, Signal

LABEL = "label"
"""The input that names the label of the issue."""


def program(source: WorkflowSource, profile: str) -> WorkflowProgram:
    """The program of a pack. Raises CannotRun for a pack that cannot be read."""
    if not source.readable:
        raise CannotRun("The workflow cannot be read.", code="CW001")
    return WorkflowProgram(source)


class WorkflowProgram(Program):
    """See `engine.program.Program`. The run's memory holds `cycles` (transitions so far), `to` (the
    phase of the last one) and `repeats` (how often in a row)."""

    def __init__(self, source: WorkflowSource) -> None:
        self.parts = source.parts

    @cached_property
    def terminals(self) -> frozenset[str]:
        return frozenset(id for id, phase in self.parts.phases.items() if phase.ends)

    @property
    def inputs(self) -> tuple[RunInput, ...]:
        """The label of the issue. Without it, a run starts at the most urgent phase."""
        pairs = entries(self.parts)
        help = "The label of the issue. It decides at which phase the run starts."
        default = pairs[0][0] if pairs else ""
        values = tuple(dict.fromkeys(name for name, _ in pairs))
        return (RunInput(name=LABEL, help=help, default=default, values=values),)

    def start(self, run: RunState) -> tuple[str, ...]:
        """The phase of the label in the input `label`, else the most urgent phase with a label."""
        pairs = entries(self.parts)
        label = str(run.inputs.get(LABEL) or "")
        if label:
            ids = [id for name, id in pairs if name == label]
            if not ids:
                names = ", ".join(name for name, _ in pairs) or "none"
                raise CannotRun(f"No phase starts at the label {label!r}. Labels: {names}.")
            return (ids[0],)
        if not pairs:
            raise CannotRun("No label leads to an actionable phase.", code="CW201")
        return (pairs[0][1],)

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        """The question for the outcome of the phase's agent; the end of the run in phases without
        one, and at a limit."""
        phase = self.parts.phases.get(position.state)
        if phase is None:
            return _failed(f"There is no phase {position.state!r}.")
        if phase.ends:
            waits = " and waits for a person" if phase.type == "blocking" else ""
            reason = f"The issue is in the {phase.type} phase {phase.id!r}{waits}."
            return Outcome(next=End(status="completed", reason=reason))
        if phase.agent not in self.parts.agents:
            return _failed(f"No agent works in phase {phase.id!r}.")
        if limit := self._limit(run):
            return Outcome(next=End(status="budget_exhausted", reason=limit))
        return Outcome(next=Ask(effect=self._question(phase, position, key)))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        if not isinstance(signal, Approve):
            return Outcome(next=Again())
        return self._route(run, position, signal.event or signal.text.strip())

    def fire(self, run: RunState, position: Position, event: str) -> Outcome | None:
        """Route an outcome that another system reports."""
        is_outcome = self._outcome(position.state, event) is not None
        return self._route(run, position, event) if is_outcome else None

    def _route(self, run: RunState, position: Position, label: str) -> Outcome:
        """The transition of a reported outcome."""
        outcome = self._outcome(position.state, label)
        if outcome is None:
            agent = self.parts.phases[position.state].agent
            return _failed(f"Agent {agent!r} has no fallbackPhase for the outcome {label!r}.")
        before = int(run.memory.get("repeats", 0)) if run.memory.get("to") == outcome.target else 0
        memory = {
            "cycles": int(run.memory.get("cycles", 0)) + 1,
            "to": outcome.target,
            "repeats": before + 1,
        }
        fields = {"outcome": label, "run_memory": memory}
        return Outcome(
            drafts=(Draft(type="climpt_workflow.outcome", fields=fields),),
            next=Take(target=outcome.target, label=outcome.label),
        )

    def _outcome(self, phase: str, label: str) -> AgentOutcome | None:
        """The outcome with this label, else the fallback of the agent."""
        outcomes = {outcome.label: outcome for outcome in self.parts.outcomes_of(phase)}
        outcome = outcomes.get(label) or outcomes.get(FALLBACK)
        return outcome if outcome is not None and outcome.target in self.parts.phases else None

    def _limit(self, run: RunState) -> str:
        """The limit that ends the run before another agent starts; "" if none does."""
        repeats, cycles = (int(run.memory.get(name, 0)) for name in ("repeats", "cycles"))
        if 0 < self.parts.most_repeats <= repeats:
            return f"Same phase repeated {repeats} times (limit {self.parts.most_repeats})."
        if cycles >= self.parts.most_cycles:
            return f"Cycle limit exceeded ({cycles}/{self.parts.most_cycles})."
        return ""

    def _question(self, phase: Phase, position: Position, key: str) -> AskHuman:
        choices = tuple(
            Choice(
                label=outcome.label,
                transition=f"{phase.id}|{outcome.label}|{outcome.target}",
                reply={"event": outcome.label},
            )
            for outcome in self.parts.outcomes_of(phase.id)
            if outcome.target in self.parts.phases
        )
        return AskHuman(
            key=key,
            position=position.id,
            state=phase.id,
            kind="event",
            question=f"Run the agent “{phase.agent}” on the issue. What was its outcome?",
            choices=choices,
        )


def _failed(reason: str) -> Outcome:
    return Outcome(next=End(status="failed", reason=reason))
