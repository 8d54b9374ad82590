"""Evals: when each is due, what it comes to, and how that is written down (section 4.14).

They look on and change nothing. A result is an event `promptpack.eval`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, listed, word, words
from workflows.core.dialects.promptpack.program.context import Setting
from workflows.core.dialects.promptpack.program.measures.base import (
    ALIASES,
    BadParams,
    Measure,
    Measured,
    Seen,
)
from workflows.core.dialects.promptpack.program.measures.run_history import DEEDS
from workflows.core.dialects.promptpack.program.outcomes import note
from workflows.core.dialects.promptpack.program.predicates import is_number
from workflows.core.dialects.promptpack.program.scores import (
    all_or_nothing,
    good_enough,
    met,
    metric_of,
)
from workflows.core.dialects.promptpack.program.validators import Guards, params_of
from workflows.core.engine.events import Draft
from workflows.core.engine.run import RunState

TURN = ("every_turn", "sample_turns")
SESSION = ("on_session_complete", "on_conversation_complete", "sample_sessions")
STEP = ("on_workflow_step",)
JUDGES = frozenset({"llm_judge", "llm_judge_session", "llm_judge_tool_calls"})
ELSEWHERE = frozenset(
    {"cosine_similarity", "rest_eval", "rest_eval_session", "a2a_eval", "a2a_eval_session"}
    | {"tool_exec", "faithfulness", "answer_relevancy", "contextual_precision", "hallucination"}
    | {"contextual_recall", "contextual_relevancy", "bias", "toxicity", "pii_leakage"}
    | {"role_violation", "text_toxicity", "text_sentiment", "audio_emotion", "image_moderation"}
    | {"json_path"}
)
"""Types that are known, and need something that is not here."""
DEFAULT_PERCENTAGE = 5.0
_BUCKETS = 10_000


class Skipped(Exception):
    """The eval is due and is not carried out."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """An eval whose trigger has come, with the step it belongs to where it stands at one."""

    eval: Object
    trigger: str
    step: str = ""

    @property
    def id(self) -> str:
        return word(self.eval.get("id"))

    @property
    def kind(self) -> str:
        return word(self.eval.get("type"))

    @property
    def judged(self) -> bool:
        """Whether a model has to say what it comes to."""
        return ALIASES.get(self.kind, self.kind) in JUDGES


@dataclass(frozen=True, kw_only=True)
class Evals:
    """The evals of one pack. PromptKit reads other thresholds and conditions than the schema has,
    and never comes to evals of single steps of the workflow."""

    setting: Setting
    guards: Guards

    @cached_property
    def any(self) -> bool:
        return bool(self.setting.parts.evals)

    def effective(self, prompt: Object) -> list[Object]:
        """The evals that hold for a prompt: the pack's, where the prompt has one with the same id
        that one in its place, then those that only the prompt has."""
        own = {word(item.get("id")): item for _, item in listed(prompt.get("evals"))}
        packs = [item for _, item in listed(self.setting.parts.tree.get("evals"))]
        ids = {word(item.get("id")) for item in packs}
        replaced = [own.get(word(item.get("id")), item) for item in packs]
        return [*replaced, *(item for id, item in own.items() if id not in ids)]

    def due(
        self, run: RunState, prompts: Sequence[Object], triggers: Sequence[str], *, turn: int
    ) -> Iterator[Due]:
        """Those of these prompts whose trigger is among `triggers`, each once."""
        found: dict[int, Object] = {}
        for prompt in prompts:
            found |= {id(item): item for item in self.effective(prompt)}
        for item in found.values():
            trigger = word(item.get("trigger"))
            if trigger in triggers and item.get("enabled") is not False:
                index = turn if trigger == "sample_turns" else 0
                if not trigger.startswith("sample_") or sampled(run, item, index):
                    yield Due(eval=item, trigger=trigger)

    def at_step(self, ids: Sequence[str], step: str) -> Iterator[Due]:
        """The evals of the pack that a step of a composition names."""
        for _, item in listed(self.setting.parts.tree.get("evals")):
            if word(item.get("id")) in ids and item.get("enabled") is not False:
                yield Due(eval=item, trigger="step", step=step)

    # -- one eval

    def result(self, due: Due, run: RunState, seen: Seen, *, turn: int) -> Draft:
        """What an eval that needs no model comes to."""
        try:
            self.check_when(due, run, seen, turn=turn)
            return self.told(due, self._measured(due, seen))
        except (Skipped, BadParams) as why:
            return skipped(due, why.reason if isinstance(why, Skipped) else why.message)

    def _measured(self, due: Due, seen: Seen) -> Measured:
        params = params_of(due.eval)
        kind, wrapped = due.kind, None
        if kind in ("assertion", "guardrail"):
            wrapped, inner = params, params.get("eval_params")
            kind = word(params.get("eval_type"))
            params = inner if isinstance(inner, dict) else {}
        measure = self._measure(kind)
        if measure not in DEEDS.values() and not seen.text.strip():
            raise Skipped("nothing was said")
        found = measure(params, seen)
        return found if wrapped is None else all_or_nothing(wrapped, found)

    def _measure(self, kind: str) -> Measure:
        measure = self.guards.measure(kind) or DEEDS.get(ALIASES.get(kind, kind))
        if measure is None:
            known = kind in ELSEWHERE or ALIASES.get(kind, kind) in JUDGES
            why = "needs something that is not here" if known else "is not known here"
            raise Skipped(f"the type {kind!r} {why}")
        return measure

    def check_when(self, due: Due, run: RunState, seen: Seen, *, turn: int) -> None:
        """Whether the eval's condition is met. Raises Skipped, and BadParams."""
        when = due.eval.get("when")
        for name, wanted in when.items() if isinstance(when, dict) else ():
            known = met(name, wanted, run, seen, turn=turn, promptkit=self.setting.promptkit)
            if known is None and not self.setting.promptkit:
                raise Skipped(f"the condition {name!r} is not known here")
            if known is False:
                raise Skipped(f"the condition {name!r} is not met")

    def told(self, due: Due, found: Measured) -> Draft:
        """The event of a result."""
        good = good_enough(due.eval, found.score, promptkit=self.setting.promptkit)
        fields: dict[str, Any] = {**about(due), "score": found.score, "passed": good}
        if found.why and not good:
            fields["explanation"] = found.why
        if found.violations and not good:
            fields["violations"] = list(found.violations)
        if word(due.eval.get("message")):
            fields["message"] = word(due.eval.get("message"))
        metric = due.eval.get("metric")
        if isinstance(metric, dict):
            fields["metric"] = metric_of(metric, found.score, good)
        return note("promptpack.eval", **fields)


def about(due: Due) -> dict[str, Any]:
    """What every event about an eval says."""
    found: dict[str, Any] = {"id": due.id, "kind": due.kind, "trigger": due.trigger}
    if due.step:
        found["step"] = due.step
    groups = words(due.eval.get("groups"))
    return {**found, "groups": groups} if groups else found


def skipped(due: Due, reason: str) -> Draft:
    return note("promptpack.eval", **about(due), skipped=True, reason=reason)


def sampled(run: RunState, item: Object, turn: int) -> bool:
    """Whether this turn, or this run, is among the sample: always the same of the same run. FNV-1a
    of session and turn, as the reference has it; the session is the run's input `session_id`, else
    the run's own name, else the time it began at."""
    share = item.get("sample_percentage", DEFAULT_PERCENTAGE)
    share = share if is_number(share) else DEFAULT_PERCENTAGE
    session = run.inputs.get("session_id") or run.id or f"{run.started_at:.6f}"
    return fnv(f"{session}{turn}") % _BUCKETS < share * (_BUCKETS / 100)


def fnv(text: str) -> int:
    """FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "replace"):
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value
