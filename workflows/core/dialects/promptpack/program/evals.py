"""Evals: trigger, measurement and result event (section 4.14).

They change nothing in a run. A result is an event `promptpack.eval`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.criteria import (
    JUDGES,
    PASSING,
    UNSUPPORTED,
    is_judged,
)
from workflows.core.dialects.promptpack.program.measures.base import (
    ALIASES,
    BadParams,
    Measure,
    Measurement,
    Observation,
)
from workflows.core.dialects.promptpack.program.measures.run_history import RUN_MEASURES
from workflows.core.dialects.promptpack.program.outcomes import make_event
from workflows.core.dialects.promptpack.program.scores import (
    condition_met,
    is_passing,
    metric_of,
    wrapped_score,
)
from workflows.core.dialects.promptpack.program.validators import Validators, params_of
from workflows.core.engine.events import Draft
from workflows.core.engine.run import RunState
from workflows.core.text.tolerant import as_object, as_str, as_str_list, indexed_objects, is_number

TURN = ("every_turn", "sample_turns")
SESSION = ("on_session_complete", "on_conversation_complete", "sample_sessions")
STEP = ("on_workflow_step",)
DEFAULT_PERCENTAGE = 5.0
_BUCKETS = 10_000


class EvalSkipped(Exception):
    """The eval is due but cannot run."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class DueEval:
    """An eval whose trigger has fired, with the step that names it, if any."""

    eval: Object
    trigger: str
    step: str = ""

    @property
    def id(self) -> str:
        return as_str(self.eval.get("id"))

    @property
    def kind(self) -> str:
        return as_str(self.eval.get("type"))

    @property
    def needs_model(self) -> bool:
        """True if a model judges the result."""
        return is_judged(self.base_kind)

    @property
    def base_kind(self) -> str:
        """The type, without other names for it."""
        return ALIASES.get(self.kind, self.kind)


@dataclass(frozen=True, kw_only=True)
class Evals:
    """The evals of one pack. PromptKit uses other thresholds and conditions than the schema, and
    never runs evals of single workflow steps."""

    context: PackContext
    validators: Validators

    @cached_property
    def any(self) -> bool:
        return bool(self.context.parts.evals)

    def effective(self, prompt: Object) -> list[Object]:
        """The evals of a prompt: the pack's, each replaced by the prompt's eval with the same id,
        then those that only the prompt has."""
        own = {as_str(item.get("id")): item for _, item in indexed_objects(prompt.get("evals"))}
        packs = [item for _, item in indexed_objects(self.context.parts.tree.get("evals"))]
        ids = {as_str(item.get("id")) for item in packs}
        replaced = [own.get(as_str(item.get("id")), item) for item in packs]
        return [*replaced, *(item for id, item in own.items() if id not in ids)]

    def due(
        self, run: RunState, prompts: Sequence[Object], triggers: Sequence[str], *, turn: int
    ) -> Iterator[DueEval]:
        """The evals of these prompts whose trigger is in `triggers`, each once."""
        items: dict[int, Object] = {}
        for prompt in prompts:
            items |= {id(item): item for item in self.effective(prompt)}
        for item in items.values():
            trigger = as_str(item.get("trigger"))
            if trigger in triggers and item.get("enabled") is not False:
                index = turn if trigger == "sample_turns" else 0
                if not trigger.startswith("sample_") or is_sampled(run, item, index):
                    yield DueEval(eval=item, trigger=trigger)

    def at_step(self, ids: Sequence[str], step: str) -> Iterator[DueEval]:
        """The evals of the pack that a step of a composition names."""
        for _, item in indexed_objects(self.context.parts.tree.get("evals")):
            if as_str(item.get("id")) in ids and item.get("enabled") is not False:
                yield DueEval(eval=item, trigger="step", step=step)

    # -- one eval

    def result(self, due: DueEval, run: RunState, observation: Observation, *, turn: int) -> Draft:
        """The result of an eval that needs no model."""
        try:
            self.check_conditions(due, run, observation, turn=turn)
            return self.result_event(due, self._measurement(due, observation))
        except (EvalSkipped, BadParams) as why:
            return skipped_event(due, why.reason if isinstance(why, EvalSkipped) else why.message)

    def _measurement(self, due: DueEval, observation: Observation) -> Measurement:
        params = params_of(due.eval)
        kind, wrapped = due.kind, None
        if kind in ("assertion", "guardrail"):
            wrapped, inner = params, params.get("eval_params")
            kind = as_str(params.get("eval_type"))
            params = as_object(inner)
        measure = self._measure(kind)
        if measure not in RUN_MEASURES.values() and not observation.text.strip():
            raise EvalSkipped("there is no reply to measure")
        measurement = measure(params, observation)
        return measurement if wrapped is None else wrapped_score(wrapped, measurement)

    def _measure(self, kind: str) -> Measure:
        measure = self.validators.measure(kind) or RUN_MEASURES.get(ALIASES.get(kind, kind))
        if measure is None:
            is_known = kind in UNSUPPORTED or is_judged(ALIASES.get(kind, kind))
            why = "needs a service that is not available" if is_known else "is unknown"
            raise EvalSkipped(f"the type {kind!r} {why}")
        return measure

    def check_conditions(
        self, due: DueEval, run: RunState, observation: Observation, *, turn: int
    ) -> None:
        """Check the conditions of the eval. Raises EvalSkipped or BadParams."""
        for name, wanted in as_object(due.eval.get("when")).items():
            is_met = condition_met(
                name, wanted, run, observation, turn=turn, promptkit=self.context.promptkit
            )
            if is_met is None and not self.context.promptkit:
                raise EvalSkipped(f"the condition {name!r} is unknown")
            if is_met is False:
                raise EvalSkipped(f"the condition {name!r} is not met")

    def result_event(self, due: DueEval, measurement: Measurement) -> Draft:
        """The event of a result."""
        least = PASSING if due.base_kind not in JUDGES and due.needs_model else 1.0
        good = is_passing(
            due.eval, measurement.score, promptkit=self.context.promptkit, least=least
        )
        fields: dict[str, Any] = {**event_fields(due), "score": measurement.score, "passed": good}
        if measurement.why and not good:
            fields["explanation"] = measurement.why
        if measurement.violations and not good:
            fields["violations"] = list(measurement.violations)
        if as_str(due.eval.get("message")):
            fields["message"] = as_str(due.eval.get("message"))
        metric = due.eval.get("metric")
        if isinstance(metric, dict):
            fields["metric"] = metric_of(metric, measurement.score, good)
        return make_event("promptpack.eval", **fields)


def event_fields(due: DueEval) -> dict[str, Any]:
    """The fields that all events of an eval share."""
    fields: dict[str, Any] = {"id": due.id, "kind": due.kind, "trigger": due.trigger}
    if due.step:
        fields["step"] = due.step
    groups = as_str_list(due.eval.get("groups"))
    return {**fields, "groups": groups} if groups else fields


def skipped_event(due: DueEval, reason: str) -> Draft:
    return make_event("promptpack.eval", **event_fields(due), skipped=True, reason=reason)


def is_sampled(run: RunState, item: Object, turn: int) -> bool:
    """Return True if this turn, or this run, is in the sample. The same run always gives the same
    result.

    FNV-1a of session and turn, as in the reference runtime. The session is the run's input
    `session_id`, else the run's id, else its start time.
    """
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
