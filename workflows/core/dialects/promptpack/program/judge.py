"""Evals that a model judges. They run only if the run's options enable judges (options.py).

The memory of the visit keeps the remaining evals and the next outcome under `judging`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.conversation import remember
from workflows.core.dialects.promptpack.program.criteria import JUDGES, criteria_of
from workflows.core.dialects.promptpack.program.evals import DueEval, Evals, skipped_event
from workflows.core.dialects.promptpack.program.measures.base import (
    BadParams,
    Measurement,
    Observation,
    number,
)
from workflows.core.dialects.promptpack.program.measures.text import json_in
from workflows.core.dialects.promptpack.program.references import as_text
from workflows.core.dialects.promptpack.program.scores import bounds_of
from workflows.core.dialects.promptpack.program.validators import params_of
from workflows.core.engine.effects import AskModel, Effect, Message
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Again, Ask, End, Join, Outcome, Take
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal
from workflows.core.text.tolerant import as_str, is_number

MEMORY = "judging"
SYSTEM = (
    "You judge the reply of another model. Answer with a JSON object: `score`, a number, and "
    "`explanation`, one sentence."
)
ANSWER_SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "number"}, "explanation": {"type": "string"}},
    "required": ["score", "explanation"],
}


def after_judges(outcome: Outcome, left: list[dict[str, Any]]) -> Outcome:
    """The same outcome, delayed until the judges have answered."""
    waits = remember(**{MEMORY: {"left": left, "then": _store_next(outcome)}})
    return Outcome(drafts=(*outcome.drafts, waits), next=Again())


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRunner:
    """Calls the remaining judges one after the other, then returns the delayed outcome."""

    evals: Evals

    def ask(self, run: RunState, position: Position, key: str) -> Outcome | None:
        """The call of the next judge; after the last one, the delayed outcome."""
        memory = position.memory.get(MEMORY)
        if not memory:
            return None
        if not memory["left"]:
            done = remember(**{MEMORY: None})
            return Outcome(drafts=(done,), next=_load_next(memory["then"]))
        job = memory["left"][0]
        effect = AskModel(
            key=key,
            position=position.id,
            state=position.state,
            system=job["system"],
            messages=(Message(role="user", text=job["text"]),),
            schema=ANSWER_SCHEMA,
            model=job["model"],
            judge=True,
        )
        return Outcome(next=Ask(effect=effect))

    def answer(
        self, run: RunState, position: Position, effect: Effect, signal: Signal
    ) -> Outcome | None:
        memory = position.memory.get(MEMORY)
        if not memory or not memory["left"] or not isinstance(signal, Reply):
            return None
        job, *left = memory["left"]
        due = DueEval(eval=job["eval"], trigger=job["trigger"], step=job.get("step", ""))
        result = self._result(due, signal)
        kept = remember(**{MEMORY: {**memory, "left": left}})
        return Outcome(drafts=(result, kept), next=Again())

    def _result(self, due: DueEval, reply: Reply) -> Draft:
        """The judge's reply as a result."""
        score = read_score(reply)
        if "error" in score:
            return skipped_event(due, score["error"])
        measured = Measurement(score=score["score"], why=score["why"])
        return self.evals.result_event(due, measured)


def read_score(reply: Reply) -> dict[str, Any]:
    """A judge's `score` and `why`, or the `error` that it has none."""
    if reply.error:
        return {"error": f"the judge gave no answer: {reply.error}"}
    answer = reply.structured
    if answer is None:
        answer = json_in(reply.text, wrapped=True)
    score = answer.get("score") if isinstance(answer, dict) else answer
    if not isinstance(score, int | float) or not is_number(score):
        return {"error": "the judge gave no score"}
    why = as_str(answer.get("explanation")) if isinstance(answer, dict) else ""
    return {"score": float(score), "why": why}


def judge_job(due: DueEval, observation: Observation) -> dict[str, Any]:
    """The request to a judge, stored until its turn."""
    params = params_of(due.eval)
    criteria = criteria_of(due.eval, due.base_kind)
    if not criteria and due.base_kind not in JUDGES:
        raise BadParams(f"the type {due.kind!r} has no criteria to judge by")
    calls = due.kind == "llm_judge_tool_calls"
    subject = (
        as_text([_call_fields(call) for call in observation.calls])
        if calls
        else _subject(due, observation)
    )
    text = "\n\n".join([criteria, _scale(due.eval), "The reply:", subject])
    return {
        "eval": dict(due.eval),
        "trigger": due.trigger,
        "step": due.step,
        "system": as_str(params.get("system_prompt")) or SYSTEM,
        "text": text,
        "model": as_str(params.get("model")),
    }


def _subject(due: DueEval, observation: Observation) -> str:
    if due.kind in ("llm_judge_session", "llm_judge_conversation"):
        return "\n\n".join(as_str(one.get("text")) for one in observation.replies)
    return observation.text


def _call_fields(call: Object) -> dict[str, Any]:
    return {name: call.get(name) for name in ("name", "arguments", "result", "error")}


def _scale(item: Object) -> str:
    """The range of scores for the judge."""
    least, most = bounds_of(item.get("metric"))
    passing = number(params_of(item), "passing_score")
    if least is None or most is None:
        least, most = (1.0, 5.0) if passing is not None and passing > 1 else (0.0, 1.0)
    return f"Give a score from {least:g} (worst) to {most:g} (best)."


def _store_next(outcome: Outcome) -> dict[str, Any]:
    """The next outcome as JSON, for the memory of the visit."""
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


def _load_next(kept: Mapping[str, Any]) -> Take | End | Join | Again:
    """The inverse of `_store_next`. Any other outcome is computed again."""
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
