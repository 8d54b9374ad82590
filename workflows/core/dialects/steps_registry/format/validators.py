"""The validation step of a closure step, and its conditions (section 4.7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workflows.core.dialects.steps_registry.format.vocabulary import CONDITION_SLOTS, VALIDATION_KEY
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.tolerant import as_object, as_str, indexed_objects


def guard_of(source: RegistrySource, step: str, profile: str) -> tuple[str, dict[str, Any]]:
    """(key, validation step) of a closure step; ("", {}) if it has none. Climpt looks it up by
    verdict type, the document by the id of the closure step and then by verdict type (D4)."""
    table = source.table("validationSteps")
    by_verdict = VALIDATION_KEY.get(source.verdict, "")
    keys = (by_verdict,) if profile == "climpt" else (step, by_verdict)
    key = next((key for key in keys if key in table), "")
    return key, table.get(key, {})


def retries(guard: Mapping[str, Any]) -> bool:
    """True if a failed check after the answer of a closure step leads to another attempt."""
    conditions = guard.get("postLLMConditions", guard.get("validationConditions"))
    if not isinstance(conditions, list) or not any(isinstance(item, dict) for item in conditions):
        return False
    failure = as_object(guard.get("onFailure"))
    most = failure.get("maxAttempts")
    once = isinstance(most, int) and not isinstance(most, bool) and most <= 1
    return failure.get("action", "retry") not in ("abort", "skip") and not once


def conditions_of(value: Mapping[str, Any]) -> Iterator[tuple[tuple[str, int], str]]:
    """((slot, index), validator) of every condition of a validation step, in all of its lists."""
    for slot in CONDITION_SLOTS:
        for index, entry in indexed_objects(value.get(slot)):
            yield (slot, index), as_str(entry.get("validator"))
