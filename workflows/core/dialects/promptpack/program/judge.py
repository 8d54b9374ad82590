"""Evals that a model has to judge. One is asked only where the starter wants it (options.py).

While it is, the stay remembers under `judging` which evals are left and what was going to happen
next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, word
from workflows.core.dialects.promptpack.program.conversation import remembered
from workflows.core.dialects.promptpack.program.evals import Due, Evals, skipped
from workflows.core.dialects.promptpack.program.measures.base import Measured, Seen, number
from workflows.core.dialects.promptpack.program.measures.text import json_in
from workflows.core.dialects.promptpack.program.predicates import is_number
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.dialects.promptpack.program.scores import bounds_of
from workflows.core.dialects.promptpack.program.validators import params_of
from workflows.core.engine.effects import AskModel, Effect, Message
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, End, Join, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal

MEMORY = "judging"
SYSTEM = (
    "You judge what another model said. Answer with a JSON object with `score`, a number, and "
    "`explanation`, one sentence."
)
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "number"}, "explanation": {"type": "string"}},
    "required": ["score", "explanation"],
}


def judged_first(outcome: Outcome, left: list[dict[str, Any]]) -> Outcome:
    """The same outcome, once the judges have been asked."""
    waits = remembered(**{MEMORY: {"left": left, "then": _written(outcome)}})
    return Outcome(drafts=(*outcome.drafts, waits), next=Again())


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Asks the judges that are left, one after the other, and then goes on."""

    evals: Evals

    def ask(self, run: RunState, position: Position, key: str) -> Outcome | None:
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
        self, run: RunState, position: Position, effect: Effect, signal: Signal
    ) -> Outcome | None:
        memory = position.memory.get(MEMORY)
        if not memory or not memory["left"] or not isinstance(signal, Reply):
            return None
        job, *left = memory["left"]
        due = Due(eval=job["eval"], trigger=job["trigger"], step=job.get("step", ""))
        told = self._judged(due, signal)
        kept = remembered(**{MEMORY: {**memory, "left": left}})
        return Outcome(drafts=(told, kept), next=Again())

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


def job_for(due: Due, seen: Seen) -> dict[str, Any]:
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
