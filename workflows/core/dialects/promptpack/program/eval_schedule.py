"""When evals are looked at: after every decision of the program, when a turn, a step or the run is
over (promptpack.md section 4.14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.format.parts import words
from workflows.core.dialects.promptpack.program import eval_record
from workflows.core.dialects.promptpack.program.evals import (
    SESSION,
    STEP,
    TURN,
    Due,
    Evals,
    Skipped,
    skipped,
)
from workflows.core.dialects.promptpack.program.judge import job_for, judged_first
from workflows.core.dialects.promptpack.program.measures.base import BadParams, Seen
from workflows.core.dialects.promptpack.program.options import JUDGES, says_yes
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.engine.effects import Effect
from workflows.core.engine.events import Draft
from workflows.core.engine.program import End, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal

SWITCHED_OFF = f"a model has to judge this; start the run with the input {JUDGES} = yes"
TOO_LATE = "the run was over before anybody could judge it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Keeps the record, and carries out the evals that are due. Changes nothing else."""

    evals: Evals

    def after(
        self,
        run: RunState,
        position: Position,
        signal: Signal | None,
        outcome: Outcome,
        effect: Effect | None,
    ) -> Outcome:
        """The same outcome, with the record and the evals that are due now."""
        if not self.evals.any:
            return outcome
        new = eval_record.observed(position, signal, effect, outcome)
        if not self._is_step(position):
            said = eval_record.spoken(position, signal, outcome)
            new = [*said, *new, *eval_record.moved(position, outcome)]
        before = eval_record.entries(run)
        over = self._over(position, signal, outcome, [*before, *new])
        whole = [*before, *new, *([{"turn": True}] if over else [])]
        drafts, left = self._look(run, position, outcome, whole, over)
        kept = eval_record.recorded(run, whole[len(before) :])
        outcome = replace(outcome, drafts=(*outcome.drafts, *kept, *drafts))
        return judged_first(outcome, left) if left else outcome

    def _is_step(self, position: Position) -> bool:
        return position.state in self.evals.setting.places

    def _over(
        self,
        position: Position,
        signal: Signal | None,
        outcome: Outcome,
        entries: Sequence[eval_record.Entry],
    ) -> bool:
        """Whether a turn is over: the model has said all it says, or what was said leads on."""
        part = eval_record.turn_of(entries)
        if not any(name in entry for entry in part for name in ("said", "call")):
            return False
        if self._is_step(position):
            return any(draft.type == "promptpack.composition.completed" for draft in outcome.drafts)
        quiet = isinstance(signal, Reply) and not signal.tool_calls
        return quiet or isinstance(outcome.next, Take | End)

    def _look(
        self,
        run: RunState,
        position: Position,
        outcome: Outcome,
        whole: Sequence[eval_record.Entry],
        over: bool,
    ) -> tuple[list[Draft], list[dict[str, Any]]]:
        """Results of everything due now, and what is left for a judge."""
        turn = eval_record.turns(whole)
        past = whole[:-1] if over else whole
        part = eval_record.turn_of(past)
        seen = eval_record.seen(run, position, whole, part, outcome)
        here = self.evals.setting.prompt_at(position.state)[1]
        due: list[tuple[Due, Seen]] = []
        if over:
            due += [(one, seen) for one in self.evals.due(run, [here], TURN, turn=turn)]
        due += [(one, replace(seen, text=text)) for one, text in self._at_steps(outcome)]
        moves = isinstance(outcome.next, Take) and not self._is_step(position)
        if moves and not self.evals.setting.promptkit:
            due += [(one, seen) for one in self.evals.due(run, [here], STEP, turn=turn)]
        if isinstance(outcome.next, End):
            all_of_it = eval_record.seen(run, position, whole, whole, outcome)
            prompts = [self.evals.setting.prompt_at(state)[1] for state in run.visits]
            found = self.evals.due(run, prompts or [here], SESSION, turn=turn)
            due += [(one, all_of_it) for one in found]
        late = isinstance(outcome.next, End) and outcome.next.status != "completed"
        return self._results(run, due, turn, late=late)

    def _at_steps(self, outcome: Outcome) -> list[tuple[Due, str]]:
        """Evals that steps which are done name, with what the steps came to."""
        found: list[tuple[Due, str]] = []
        for draft in outcome.drafts:
            place = self.evals.setting.places.get(str(draft.fields.get("step", "")))
            left = draft.type == "promptpack.step.left" and draft.fields.get("status") == "done"
            if left and place and not self.evals.setting.promptkit:
                ids = words(place[1].modifiers.get("eval"))
                text = as_text(draft.fields.get("output", ""))
                box = str(draft.fields["step"])
                found += [(due, text) for due in self.evals.at_step(ids, box)]
        return found

    def _results(
        self, run: RunState, due: Sequence[tuple[Due, Seen]], turn: int, *, late: bool
    ) -> tuple[list[Draft], list[dict[str, Any]]]:
        drafts: list[Draft] = []
        left: list[dict[str, Any]] = []
        for one, seen in due:
            if not one.judged:
                drafts.append(self.evals.result(one, run, seen, turn=turn))
                continue
            try:
                self.evals.check_when(one, run, seen, turn=turn)
                if not says_yes(run, JUDGES):
                    raise Skipped(SWITCHED_OFF)
                if not seen.text.strip():
                    raise Skipped("nothing was said")
                if late:
                    raise Skipped(TOO_LATE)
                left.append(job_for(one, seen))
            except (Skipped, BadParams) as why:
                reason = why.reason if isinstance(why, Skipped) else why.message
                drafts.append(skipped(one, reason))
        return drafts, left
