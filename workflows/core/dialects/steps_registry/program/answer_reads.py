"""Values that the machine reads of a step's answer: intent, target, and those of conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step, target_mode
from workflows.core.dialects.steps_registry.program.gate import target_intents
from workflows.core.dialects.steps_registry.program.texts import as_text, nested, value_at
from workflows.core.engine.rehearsal.answer_gaps import ANY, Gap, gap
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_values import value_for
from workflows.core.pack.graph import DEFAULT
from workflows.core.text.json.pointer import Pointer

CLOSURE_FIELD = "next_action.action"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRead:
    """A value at a dotted path of the answer. `value` is ANY if the machine reads any. `pointer` is
    the place in the step that reads it, `reader` its name in a message."""

    path: str
    value: Any
    pointer: Pointer
    reader: str


def answer_reads(step: Step, profile: str) -> Iterator[AnswerRead]:
    """Every value without which a transition of the step is never taken."""
    gate = step.gate
    if gate is None:
        return
    field = intent_field(step, profile)
    for intent in step.allowed:
        at = ("structuredGate", "intentField" if "intentField" in gate else "allowedIntents")
        yield AnswerRead(path=field, value=intent, pointer=at, reader="gate")
    targets = set(target_intents(step, profile)) & set(step.allowed)
    if targets and isinstance(gate.get("targetField"), str):
        at = ("structuredGate", "targetField")
        yield AnswerRead(path=gate["targetField"], value=ANY, pointer=at, reader="targetField")
    for intent, rule in step.rules.items():
        path = condition_path(step, rule)
        if intent not in step.allowed or not path or not is_conditional(step, rule, profile):
            continue
        for value in rule["targets"]:
            if value != DEFAULT:
                pointer = ("transitions", intent, "targets", value)
                reader = f"condition of {intent!r}"
                yield AnswerRead(path=path, value=value, pointer=pointer, reader=reader)


def intent_field(step: Step, profile: str) -> str:
    """The path of the intent in the answer. It is fixed for closure steps in Climpt (D12)."""
    if profile == "climpt" and step.kind == "closure":
        return CLOSURE_FIELD
    return str((step.gate or {}).get("intentField") or CLOSURE_FIELD)


def is_conditional(step: Step, rule: Mapping[str, Any], profile: str) -> bool:
    """True if a run selects the target of this rule by a value of the answer."""
    plain = "target" in rule and target_mode(step, profile) != "conditional"
    return isinstance(rule.get("targets"), dict) and not plain


def condition_path(step: Step, rule: Mapping[str, Any]) -> str:
    """The path of the value that a condition reads; "" for one that is not handed over."""
    condition = str(rule.get("condition"))
    paths = (path for path in step.handoff_fields if path.rpartition(".")[2] == condition)
    return next(paths, "")


def spellings(text: str) -> Iterator[Any]:
    """The values that a condition reads as this text."""
    yield text
    if text in ("true", "false"):
        yield text == "true"
    elif text.removeprefix("-").isdecimal():
        yield int(text)


def answer_with(schema: Any, path: str, text: str, base: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with a value that a condition reads as `text`, in the spelling that the schema has."""
    answers = [nested(path, value, dict(base)) for value in spellings(text)]
    return next((answer for answer in answers if gap(schema, answer) is None), answers[0])


def other_answer(
    schema: Any, path: str, listed: Mapping[str, Any], base: Mapping[str, Any]
) -> dict[str, Any] | None:
    """`base` with a value at `path` that is none of the listed ones, or without one. None if the
    schema allows no such answer."""
    free = nested(path, DEFAULT, dict(base))
    missing = gap(schema, free)
    allowed = missing.allowed if missing is not None else (DEFAULT,)
    for value in (*allowed, None, True, False, 0):
        answer = nested(path, value, dict(base))
        matched = value is not None and as_text(value) in listed and value != DEFAULT
        if not matched and gap(schema, answer) is None:
            return answer
    without = value_for(schema, Rng(DEFAULT), fixed=dict(base))
    return dict(base) if value_at(without, path) is None else None


def refused(schema: Any, read: AnswerRead) -> Gap | None:
    """The gap of a read value, None if the schema lets a model give it in some spelling."""
    values = (ANY,) if read.value is ANY else tuple(spellings(read.value))
    gaps = [gap(schema, nested(read.path, value)) for value in values]
    return None if None in gaps else gaps[0]
