"""Placeholders in prompt texts: find, rename and fill them in (promptpack.md 4.11)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.text.placeholders import Filled, fill
from workflows.core.text.tolerant import as_str, indexed_objects

MAX_PASSES = 10
"""Limit of nested expansions of the pack's own texts."""
RUN_VARIABLES = {
    "workflow_context": "The text that the last transition handed over.",
    "input": "The input of the run or of the step.",
}
"""Placeholders that every run fills: name → help."""
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_PREFIXES = ("fragments.", "fragment:")


@lru_cache(maxsize=20_000)
def placeholders(text: str) -> tuple[str, ...]:
    """The names between double braces, each once, in order, including inner spaces."""
    if "{{" not in text:
        return ()
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))


def fragment_of(name: str, parts: Parts, declared: Set[str]) -> str:
    """The fragment that a placeholder refers to, "" for none.

    Three spellings are in use. A bare name is a fragment only if the pack has one of that name and
    the prompt declares no variable of that name.
    """
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name if name in parts.fragments and name not in declared else ""


def declared_variables(prompt: Object) -> set[str]:
    """The variables that a prompt declares."""
    return {as_str(item.get("name")) for _, item in indexed_objects(prompt.get("variables"))}


def rename_placeholder(text: str, old: str, new: str, *, bare: bool) -> str:
    """The text with fragment `old` renamed to `new`, in each of its spellings."""
    for prefix in _PREFIXES:
        text = text.replace("{{" + prefix + old + "}}", "{{" + prefix + new + "}}")
    return text.replace("{{" + old + "}}", "{{" + new + "}}") if bare else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A filled-in text, and the placeholders without a value."""

    text: str
    unresolved: tuple[str, ...] = ()

    @property
    def error(self) -> str:
        """The error message of the reference runtime; "" if every placeholder was filled."""
        names = " ".join("{{" + name + "}}" for name in self.unresolved)
        return f"unresolved template placeholders: [{names}]" if names else ""


def render(template: str, texts: Mapping[str, str], values: Mapping[str, str]) -> Rendered:
    """Fill in `texts`, then `values`.

    `texts` are the pack's own and can contain placeholders, up to MAX_PASSES levels deep. `values`
    are the run's: they are inserted once and never scanned, so text written by a user or model
    cannot refer to other values. Placeholders whose values would make the text longer than MAX_TEXT
    stay in it, and are unresolved.
    """
    text = template
    for _ in range(MAX_PASSES):
        step = _fill(text, texts, skip=values)
        if step.text == text or step.stop is not None:
            break
        text = step.text
    filled = _fill(text, values, skip={})
    stop = len(text) if filled.stop is None else filled.stop
    unresolved = dict.fromkeys(
        match[1]
        for match in _PLACEHOLDER.finditer(text)
        if match[1] not in values or match.start() >= stop
    )
    return Rendered(text=filled.text, unresolved=tuple(unresolved))


def _fill(text: str, values: Mapping[str, str], *, skip: Mapping[str, str]) -> Filled:
    return fill(
        _PLACEHOLDER, text, lambda match: None if match[1] in skip else values.get(match[1])
    )


def to_text(value: Any) -> str:
    """A value as prompt text: strings unchanged, other values as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def defaults(prompt: Object) -> Iterator[tuple[str, str]]:
    """Variables with a default, and the default. A required variable can have one too."""
    for _, item in indexed_objects(prompt.get("variables")):
        if item.get("default") not in (None, ""):
            yield as_str(item.get("name")), to_text(item["default"])


def missing_variables(prompt: Object, values: Mapping[str, str]) -> list[str]:
    """Required variables without a value in the run and without a default."""
    filled = dict(defaults(prompt))
    return [
        as_str(item.get("name"))
        for _, item in indexed_objects(prompt.get("variables"))
        if item.get("required") is True
        and not values.get(as_str(item.get("name")))
        and as_str(item.get("name")) not in filled
    ]
