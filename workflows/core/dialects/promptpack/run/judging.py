"""When evals are looked at, and the ones that a model has to judge.

A judge is asked only where the starter wants it (options.py). While one is, the stay remembers
under `judging` which evals are left and what was going to happen next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.parts import Object, word, words
from workflows.core.dialects.promptpack.run import record
from workflows.core.dialects.promptpack.run.evals import (
    SESSION,
    STEP,
    TURN,
    Due,
    Evals,
    Skipped,
    bounds_of,
    skipped,
)
from workflows.core.dialects.promptpack.run.guards import params_of
from workflows.core.dialects.promptpack.run.measures.base import BadParams, Measured, Seen, number
from workflows.core.dialects.promptpack.run.measures.words import json_in
from workflows.core.dialects.promptpack.run.options import JUDGES, says_yes
from workflows.core.dialects.promptpack.run.predicates import is_number
from workflows.core.dialects.promptpack.run.scope import as_text
from workflows.core.dialects.promptpack.run.talk import remembered
from workflows.core.engine.effects import AskModel, Effect, Message
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, End, Join, Outcome, Take
from workflows.core.engine.run import Position, Run
from workflows.core.engine.signals import Reply, Signal

MEMORY = "judging"
SWITCHED_OFF = f"a model has to judge this; start the run with the input {JUDGES} = yes"
SYSTEM = (
    "You judge what another model said. Answer with a JSON object with `score`, a number, and "
    "`explanation`, one sentence."
)
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "number"}, "explanation": {"type": "string"}},
    "required": ["score", "explanation"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Looks at what happened after every decision of the program."""

    evals: Evals

    def after(
        self,
        run: Run,
        position: Position,
        signal: Signal | None,
        outcome: Outcome,
        effect: Effect | None,
    ) -> Outcome:
        """The same outcome, with the record and the evals that are due now."""
        if not self.evals.any:
            return outcome
        new = [
            *record.spoken(position, signal, outcome),
            *record.observed(position, signal, effect, outcome),
        ]
        if not self._is_step(position):
            new += record.moved(position, outcome)
        before = record.entries(run)
        over = self._over(position, signal, outcome, [*before, *new])
        whole = [*before, *new, *([{"turn": True}] if over else [])]
        drafts, left = self._look(run, position, outcome, whole, over)
        kept = record.recorded(run, whole[len(before) :])
        outcome = replace(outcome, drafts=(*outcome.drafts, *kept, *drafts))
        ok = not isinstance(outcome.next, End) or outcome.next.status == "completed"
        if not left or not ok:
            return outcome
        waits = remembered(**{MEMORY: {"left": left, "then": _written(outcome)}})
        return Outcome(drafts=(*outcome.drafts, waits), next=Again())

    def ask(self, run: Run, position: Position, key: str) -> Outcome | None:
        """The next judge to ask, and after the last one what was going to happen."""
        memory = position.memory.get(MEMORY)
        if not memory:
            return None
        if not memory["left"]:
            done = remembered(**{MEMORY: None})
            return Outcome(drafts=(done,), next=_read(memory["then"]))
        job = memory["left"][0]
        effect = AskModel(
            key=key,
            position=position.id,
            state=position.state,
            system=job["system"],
            messages=(Message(role="user", text=job["text"]),),
            schema=SCHEMA,
            model=job["model"],
        )
        return Outcome(next=Ask(effect=effect))

    def answer(
        self, run: Run, position: Position, effect: Effect, signal: Signal
    ) -> Outcome | None:
        memory = position.memory.get(MEMORY)
        if not memory or not memory["left"] or not isinstance(signal, Reply):
            return None
        job, *left = memory["left"]
        due = Due(eval=job["eval"], trigger=job["trigger"], step=job.get("step", ""))
        told = self._judged(due, signal)
        kept = remembered(**{MEMORY: {**memory, "left": left}})
        return Outcome(drafts=(told, kept), next=Again())

    # -- what is due

    def _is_step(self, position: Position) -> bool:
        return position.state in self.evals.setting.places

    def _over(
        self,
        position: Position,
        signal: Signal | None,
        outcome: Outcome,
        entries: Sequence[record.Entry],
    ) -> bool:
        """Whether a turn is over: the model has said all it says, or what was said leads on."""
        part = record.turn_of(entries)
        if not any(name in entry for entry in part for name in ("said", "call")):
            return False
        if self._is_step(position):
            return any(draft.type == "promptpack.composition.completed" for draft in outcome.drafts)
        quiet = isinstance(signal, Reply) and not signal.tool_calls
        return quiet or isinstance(outcome.next, Take | End)

    def _look(
        self,
        run: Run,
        position: Position,
        outcome: Outcome,
        whole: Sequence[record.Entry],
        over: bool,
    ) -> tuple[list[Draft], list[dict[str, Any]]]:
        """Results of everything due now, and what is left for a judge."""
        turn = record.turns(whole)
        past = whole[:-1] if over else whole
        part = record.turn_of(past)
        seen = record.seen(run, position, whole, part, outcome)
        here = self.evals.setting.prompt_at(position.state)[1]
        due: list[tuple[Due, Seen]] = []
        if over:
            due += [(one, seen) for one in self.evals.due(run, [here], TURN, turn=turn)]
        due += [(one, replace(seen, text=text)) for one, text in self._at_steps(outcome)]
        moves = isinstance(outcome.next, Take) and not self._is_step(position)
        if moves and not self.evals.setting.promptkit:
            due += [(one, seen) for one in self.evals.due(run, [here], STEP, turn=turn)]
        if isinstance(outcome.next, End):
            all_of_it = record.seen(run, position, whole, whole, outcome)
            prompts = [self.evals.setting.prompt_at(state)[1] for state in run.visits]
            found = self.evals.due(run, prompts or [here], SESSION, turn=turn)
            due += [(one, all_of_it) for one in found]
        return self._results(run, due, turn)

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
        self, run: Run, due: Sequence[tuple[Due, Seen]], turn: int
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
                left.append(_job(one, seen))
            except (Skipped, BadParams) as why:
                reason = why.reason if isinstance(why, Skipped) else why.message
                drafts.append(skipped(one, reason))
        return drafts, left

    def _judged(self, due: Due, reply: Reply) -> Draft:
        """What the judge says, as a result."""
        if reply.error:
            return skipped(due, f"the judge gave no answer: {reply.error}")
        said = reply.structured
        if said is None:
            said = json_in(reply.text, wrapped=True)
        score = said.get("score") if isinstance(said, dict) else said
        if not isinstance(score, int | float) or not is_number(score):
            return skipped(due, "the judge gave no score")
        why = word(said.get("explanation")) if isinstance(said, dict) else ""
        return self.evals.told(due, Measured(score=float(score), why=why))


def _job(due: Due, seen: Seen) -> dict[str, Any]:
    """What a judge is asked, kept until it is its turn."""
    params = params_of(due.eval)
    wanted = [word(params.get(name)) for name in ("judge_prompt", "criteria", "rubric")]
    wanted = [text for text in wanted if text] or [word(due.eval.get("description"))]
    calls = due.kind == "llm_judge_tool_calls"
    subject = as_text([_plain(call) for call in seen.calls]) if calls else _subject(due, seen)
    text = "\n\n".join([*wanted, _scale(due.eval), "What was said:", subject])
    return {
        "eval": dict(due.eval),
        "trigger": due.trigger,
        "step": due.step,
        "system": word(params.get("system_prompt")) or SYSTEM,
        "text": text,
        "model": word(params.get("model")),
    }


def _subject(due: Due, seen: Seen) -> str:
    if due.kind in ("llm_judge_session", "llm_judge_conversation"):
        return "\n\n".join(word(one.get("text")) for one in seen.said)
    return seen.text


def _plain(call: Object) -> dict[str, Any]:
    return {name: call.get(name) for name in ("name", "arguments", "result", "error")}


def _scale(item: Object) -> str:
    """Between which numbers the judge chooses."""
    least, most = bounds_of(item.get("metric"))
    passing = number(params_of(item), "passing_score")
    if least is None or most is None:
        least, most = (1.0, 5.0) if passing is not None and passing > 1 else (0.0, 1.0)
    return f"Give a score from {least:g} (worst) to {most:g} (best)."


def _written(outcome: Outcome) -> dict[str, Any]:
    """What was going to happen, as a stay can keep it."""
    match outcome.next:
        case Take() as take:
            return {
                "take": take.target,
                "label": take.label,
                "redirected": take.redirected,
                "original_target": take.original_target,
                "memory": dict(take.memory),
            }
        case End(status=status, reason=reason):
            return {"end": status, "reason": reason}
        case Join():
            return {"join": True}
    return {}


def _read(kept: Mapping[str, Any]) -> Take | End | Join | Again:
    """The inverse of `_written`. Whatever else was next is found out by asking again."""
    match kept:
        case {"take": str(target)}:
            return Take(
                target=target,
                label=kept["label"],
                redirected=kept["redirected"],
                original_target=kept["original_target"],
                memory=tuple(kept["memory"].items()),
            )
        case {"end": status}:
            return End(status=status, reason=kept["reason"])
        case {"join": True}:
            return Join()
    return Again()
