"""The times at which evals run: after each decision of the program, at the end of a turn, a step or
the run (promptpack.md section 4.14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.program import eval_record
from workflows.core.dialects.promptpack.program.evals import (
    SESSION,
    STEP,
    TURN,
    DueEval,
    Evals,
    EvalSkipped,
    skipped_event,
)
from workflows.core.dialects.promptpack.program.judge import after_judges, judge_job
from workflows.core.dialects.promptpack.program.measures.base import BadParams, Observation
from workflows.core.dialects.promptpack.program.options import JUDGES, is_enabled
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import End, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal
from workflows.core.text.tolerant import as_str_list

JUDGES_OFF = f"a model has to judge this; start the run with the input {JUDGES} = yes"
TOO_LATE = "the run ended before a model could judge it"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSchedule:
    """Keeps the record and runs the evals that are due. It changes nothing else."""

    evals: Evals

    def after(
        self,
        run: RunState,
        position: Position,
        signal: Signal | None,
        outcome: Outcome,
        effect: Effect | None,
    ) -> Outcome:
        """The same outcome, with the record and the results of the evals that are due."""
        if not self.evals.any:
            return outcome
        new = eval_record.record_entries(position, signal, effect, outcome)
        if not self._is_step(position):
            reply = eval_record.reply_entry(position, signal, outcome)
            new = [*reply, *new, *eval_record.transition_entry(position, outcome)]
        before = eval_record.entries(run)
        ended = self._turn_ended(position, signal, outcome, [*before, *new])
        whole = [*before, *new, *([{"turn": True}] if ended else [])]
        drafts, left = self._evaluate(run, position, outcome, whole, ended)
        kept = eval_record.record_event(run, whole[len(before) :])
        outcome = replace(outcome, drafts=(*outcome.drafts, *kept, *drafts))
        return after_judges(outcome, left) if left else outcome

    def _is_step(self, position: Position) -> bool:
        return position.state in self.evals.context.steps_by_state

    def _turn_ended(
        self,
        position: Position,
        signal: Signal | None,
        outcome: Outcome,
        entries: Sequence[eval_record.Entry],
    ) -> bool:
        """Return True if a turn has ended: the reply has no tool calls, or a transition is
        taken."""
        part = eval_record.current_turn(entries)
        if not any(name in entry for entry in part for name in ("said", "call")):
            return False
        if self._is_step(position):
            return any(draft.type == "promptpack.composition.completed" for draft in outcome.drafts)
        quiet = isinstance(signal, Reply) and not signal.tool_calls
        return quiet or isinstance(outcome.next, Take | End)

    def _evaluate(
        self,
        run: RunState,
        position: Position,
        outcome: Outcome,
        whole: Sequence[eval_record.Entry],
        ended: bool,
    ) -> tuple[list[Draft], list[dict[str, Any]]]:
        """The results of all evals that are due, and the jobs for judges."""
        turn = eval_record.finished_turns(whole)
        past = whole[:-1] if ended else whole
        part = eval_record.current_turn(past)
        observation = eval_record.observation(run, position, whole, part, outcome)
        here = self.evals.context.prompt_at(position.state)[1]
        due: list[tuple[DueEval, Observation]] = []
        if ended:
            due += [(one, observation) for one in self.evals.due(run, [here], TURN, turn=turn)]
        due += [(one, replace(observation, text=text)) for one, text in self._step_evals(outcome)]
        moves = isinstance(outcome.next, Take) and not self._is_step(position)
        if moves and not self.evals.context.promptkit:
            due += [(one, observation) for one in self.evals.due(run, [here], STEP, turn=turn)]
        if isinstance(outcome.next, End):
            session = eval_record.observation(run, position, whole, whole, outcome)
            prompts = [self.evals.context.prompt_at(state)[1] for state in run.visits]
            evals = self.evals.due(run, prompts or [here], SESSION, turn=turn)
            due += [(one, session) for one in evals]
        late = isinstance(outcome.next, End) and outcome.next.status != "completed"
        return self._results(run, due, turn, late=late)

    def _step_evals(self, outcome: Outcome) -> list[tuple[DueEval, str]]:
        """The evals that finished steps name, each with the step's output."""
        evals: list[tuple[DueEval, str]] = []
        for draft in outcome.drafts:
            place = self.evals.context.steps_by_state.get(str(draft.fields.get("step", "")))
            is_done = draft.type == "promptpack.step.left" and draft.fields.get("status") == "done"
            if is_done and place and not self.evals.context.promptkit:
                ids = as_str_list(place[1].modifiers.get("eval"))
                text = as_text(draft.fields.get("output", ""))
                state = str(draft.fields["step"])
                evals += [(due, text) for due in self.evals.at_step(ids, state)]
        return evals

    def _results(
        self, run: RunState, due: Sequence[tuple[DueEval, Observation]], turn: int, *, late: bool
    ) -> tuple[list[Draft], list[dict[str, Any]]]:
        drafts: list[Draft] = []
        left: list[dict[str, Any]] = []
        for one, observation in due:
            if not one.needs_model:
                drafts.append(self.evals.result(one, run, observation, turn=turn))
                continue
            try:
                self.evals.check_conditions(one, run, observation, turn=turn)
                if not is_enabled(run, JUDGES):
                    raise EvalSkipped(JUDGES_OFF)
                if not observation.text.strip():
                    raise EvalSkipped("there is no reply to measure")
                if late:
                    raise EvalSkipped(TOO_LATE)
                left.append(judge_job(one, observation))
            except (EvalSkipped, BadParams) as why:
                reason = why.reason if isinstance(why, EvalSkipped) else why.message
                drafts.append(skipped_event(one, reason))
        return drafts, left
