"""Validators: checks of every reply, and the consequences of a failed check (promptpack.md section
4.13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from workflows.core.dialects.promptpack.format.parts import Object, Parts, as_str, indexed_objects
from workflows.core.dialects.promptpack.format.profiles import DEFAULT, Behaviour
from workflows.core.dialects.promptpack.program.criteria import PASSING, criteria_of, is_judged
from workflows.core.dialects.promptpack.program.measures.base import (
    ALIASES,
    UNKNOWN_TO_PROMPTKIT,
    BadParams,
    Measure,
    Measurement,
    Observation,
    number,
)
from workflows.core.dialects.promptpack.program.measures.text import TEXT_MEASURES
from workflows.core.dialects.promptpack.program.outcomes import make_event
from workflows.core.dialects.promptpack.program.replies import reply_text
from workflows.core.engine.events import Draft
from workflows.core.engine.run import Position
from workflows.core.engine.signals import Reply

REFUSAL = "Sorry, we can't provide this response as it would violate our content policy."
"""The replacement of a blocked reply if the validator has no message."""

Direction: TypeAlias = Literal["input", "output"]
SCORES = "scores"
"""Key of a visit's memory: what judges found about the reply, by the index of the validator."""
JUDGES_OFF = "needs a model to judge; start the run with the input promptpack.judges = yes"
NO_SCORES: Mapping[str, Mapping[str, Any]] = {}
PROMPTKIT_TYPES = frozenset({"toxicity", "bias", "pii_leakage", "role_violation", "topic_policy"})
"""Judged types that PromptKit has too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The checked text, with the events of the checks."""

    text: str
    drafts: tuple[Draft, ...] = ()
    blocked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedReply:
    """A checked reply; a blocked one has no tool calls."""

    reply: Reply
    drafts: tuple[Draft, ...] = ()
    blocked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """The validators of one pack. PromptKit never counts sentences, and its first generation skips
    validators without `enabled`."""

    parts: Parts
    behaviour: Behaviour = DEFAULT

    def check_reply(
        self, prompt: Object, reply: Reply, scores: Mapping[str, Mapping[str, Any]] = NO_SCORES
    ) -> CheckedReply:
        """Check the model's reply. A reply without text is not checked. `scores` are those of
        judges, by the index of their validator."""
        text = reply_text(reply)
        if not text.strip() or reply.error:
            return CheckedReply(reply=reply)
        verdict = self.check(prompt, text, "output", scores)
        if not verdict.blocked:
            return CheckedReply(reply=reply, drafts=verdict.drafts)
        blocked = replace(reply, text=verdict.text, structured=None, tool_calls=())
        return CheckedReply(reply=blocked, drafts=verdict.drafts, blocked=True)

    def check(
        self,
        prompt: Object,
        text: str,
        direction: Direction,
        scores: Mapping[str, Mapping[str, Any]] = NO_SCORES,
    ) -> Verdict:
        """Run the prompt's validators for this direction in order. After one that cuts, the others
        read the text that is left; after one that replaces it, they read the model's own words,
        and their message does not replace the first. PromptKit stops at one that blocks."""
        drafts: list[Draft] = []
        shown, blocked, replaced = text, False, False
        for index, validator in indexed_objects(prompt.get("validators")):
            if not self.is_on(validator) or direction not in directions(validator):
                continue
            about = _event_fields(validator, direction)
            try:
                measurement = self._measured(validator, text, scores.get(str(index)))
            except BadParams as bad:
                drafts.append(make_event("promptpack.check.skipped", **about, reason=bad.message))
                continue
            least = 1.0 if str(index) not in scores else PASSING
            if not fires(validator, measurement, least=least):
                drafts.append(make_event("check.passed", **about, score=measurement.score))
                continue
            enforced = self.enforces(validator)
            if enforced and not replaced:
                shown, replaced = _replacement(validator, text), not _truncates(validator)
                text = text if replaced else shown
            blocked = blocked or enforced
            drafts.append(
                make_event(
                    "check.failed",
                    **about,
                    score=measurement.score,
                    message=measurement.why,
                    violations=list(measurement.violations),
                    action=("replaced" if replaced else "cut") if enforced else "noted",
                    **({"text": shown} if enforced else {}),
                )
            )
            if blocked and self.behaviour.promptkit:
                break
        return Verdict(text=shown, drafts=tuple(drafts), blocked=blocked)

    def unknown(self) -> str:
        """The first type of an enabled validator that PromptKit does not know."""
        for _, validator in self.parts.validators:
            kind = as_str(validator.get("type"))
            is_known = kind in PROMPTKIT_TYPES or (self.measure(kind) is not None)
            if self.is_on(validator) and not is_known:
                return kind
        return ""

    def enforces(self, validator: Object) -> bool:
        """Return True if a failed check changes the reply: with `fail_on_violation: true`, as in
        the format's document, regardless of `$schema`. PromptKit changes it always."""
        return self.behaviour.promptkit or validator.get("fail_on_violation") is True

    def measure(self, kind: str) -> Measure | None:
        """The measure of this type, None if it is unknown."""
        if self.behaviour.promptkit and kind in UNKNOWN_TO_PROMPTKIT:
            return None
        if self.behaviour.promptkit and ALIASES.get(kind, kind) == "sentence_count":
            return _always_passes
        return TEXT_MEASURES.get(kind) or TEXT_MEASURES.get(ALIASES.get(kind, ""))

    def is_on(self, validator: Object) -> bool:
        return validator.get("enabled", not self.behaviour.needs_enabled) is True

    def _measured(
        self, validator: Object, text: str, judged: Mapping[str, Any] | None
    ) -> Measurement:
        kind = as_str(validator.get("type"))
        if judged is not None:
            if "error" in judged:
                raise BadParams(str(judged["error"]))
            return Measurement(score=judged["score"], why=judged["why"])
        params = params_of(validator)
        measure = self.measure(kind)
        if measure is None:
            if not is_judged(kind):
                raise BadParams(f"{kind!r} is unknown")
            why = JUDGES_OFF if criteria_of(validator, kind) else "has no criteria to judge by"
            raise BadParams(f"{kind!r} {why}")
        return measure(params, Observation(text=text))


def scores_at(position: Position) -> Mapping[str, Mapping[str, Any]]:
    """The results of judges for the reply that is handled at this position."""
    return position.memory.get(SCORES) or NO_SCORES


def _always_passes(params: Object, observation: Observation) -> Measurement:
    """PromptKit accepts any number of sentences."""
    return Measurement(score=1.0)


def params_of(item: Object) -> Object:
    params = item.get("params")
    return params if isinstance(params, dict) else {}


def directions(validator: Object) -> tuple[Direction, ...]:
    """The texts that a validator checks: output, unless `direction` has a known other value."""
    match params_of(validator).get("direction"):
        case "input":
            return ("input",)
        case "both":
            return ("input", "output")
    return ("output",)


def fires(validator: Object, measurement: Measurement, *, least: float = 1.0) -> bool:
    """Return True if the score is outside the allowed range: below `least` by default."""
    params = params_of(validator)
    lowest, most = number(params, "min_score"), number(params, "max_score")
    if lowest is None and most is None:
        return measurement.score < least
    low = lowest is not None and measurement.score < lowest
    return low or (most is not None and measurement.score > most)


def _event_fields(validator: Object, direction: Direction) -> dict[str, str]:
    kind = as_str(validator.get("type"))
    return {"name": as_str(validator.get("id")) or kind, "kind": kind, "direction": direction}


def _truncates(validator: Object) -> bool:
    kind = as_str(validator.get("type"))
    most = number(params_of(validator), "max", "max_characters", "max_chars")
    return ALIASES.get(kind, kind) == "max_length" and most is not None and most >= 0


def _replacement(validator: Object, text: str) -> str:
    """The replacement of a blocked reply: the text cut to its length, else a message."""
    params = params_of(validator)
    if _truncates(validator):
        return text[: int(number(params, "max", "max_characters", "max_chars") or 0)]
    return as_str(validator.get("message")) or as_str(params.get("message")) or REFUSAL
