"""Measurements and the facts that they measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from workflows.core.dialects.promptpack.format.parts import Object

ALIASES = {
    "banned_words": "content_excludes",
    "length": "max_length",
    "max_sentences": "sentence_count",
    "required_fields": "field_presence",
    "regex_match": "regex",
    "content_includes": "contains",
    "content_includes_any": "contains_any",
    "content_matches": "regex",
    "content_not_includes": "content_excludes",
    "is_valid_json": "json_valid",
    "valid_json": "json_valid",
    "tool_called": "tools_called",
    "llm_judge_conversation": "llm_judge",
}
"""Other names of types → the type."""

UNKNOWN_TO_PROMPTKIT = frozenset({"regex_match"})
"""Names that the documents show and PromptKit does not have."""


class BadParams(Exception):
    """The parameters do not define a measurement."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A score from 0 (bad) to 1 (good), the reason, and the violations."""

    score: float
    why: str = ""
    violations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The measurable facts of a turn or of a whole run so far, in the order in which they happened.

    `calls` have `name`, `arguments`, `result`, `error` and `state`; `replies` have `text` and
    `state`; `moves` have `from`, `event` and `to`; `checks` have `type`, `direction` and `fired`;
    `steps` are the results of steps by id.
    """

    text: str = ""
    replies: tuple[Object, ...] = ()
    calls: tuple[Object, ...] = ()
    moves: tuple[Object, ...] = ()
    skills: tuple[str, ...] = ()
    checks: tuple[Object, ...] = ()
    steps: Mapping[str, Object] = field(default_factory=dict)
    outputs: tuple[Any, ...] = ()
    state: str = ""
    entry: str = ""
    ended: bool = False
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


Measure: TypeAlias = Callable[[Object, Observation], Measurement]
"""Measures one fact. Raises BadParams."""


def pass_or_fail(good: bool, why: str = "", *violations: str) -> Measurement:
    """A score of 1 or 0."""
    return Measurement(score=1.0 if good else 0.0, why=why, violations=() if good else violations)


def share_present(wanted: list[str], present: list[str], what: str) -> Measurement:
    """The fraction of `wanted` that is in `present`."""
    lacking = [item for item in wanted if item not in present]
    score = 1.0 if not wanted else (len(wanted) - len(lacking)) / len(wanted)
    why = f"{what}: {', '.join(lacking)}" if lacking else ""
    return Measurement(score=score, why=why, violations=tuple(lacking))


def number(params: Object, *names: str) -> float | None:
    """The first of these parameters that is a number."""
    for name in names:
        value = params.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return None


def text_list(params: Object, *names: str) -> list[str]:
    """The first of these parameters that is a list of strings, or one string. Raises BadParams."""
    for name in names:
        value = params.get(name)
        if isinstance(value, str):
            return [value]
        if isinstance(value, list):
            return [item for item in value if isinstance(item, str)]
    raise BadParams(f"requires {names[0]!r}: a list of strings")
