"""Placeholders in prompt texts: finding, renaming and filling them in (promptpack.md 4.11)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts, as_str, indexed_objects

MAX_PASSES = 10
"""How often the pack's own texts may expand into further placeholders."""
MAX_TEXT = 2_000_000
"""Where an expansion stops: characters of one prompt."""
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_PREFIXES = ("fragments.", "fragment:")


@lru_cache(maxsize=20_000)
def placeholders(text: str) -> tuple[str, ...]:
    """The names between double braces, each once, in order, inner spaces included."""
    if "{{" not in text:
        return ()
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(text)))


def fragment_of(name: str, parts: Parts, declared: Set[str]) -> str:
    """The fragment a placeholder means, "" for none. Three spellings are in use; the bare name is
    a fragment only where the pack has one and the prompt declares no variable of that name."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix) :]
    return name if name in parts.fragments and name not in declared else ""


def declared_variables(prompt: Object) -> set[str]:
    """The variables a prompt declares."""
    return {as_str(item.get("name")) for _, item in indexed_objects(prompt.get("variables"))}


def rename_placeholder(text: str, old: str, new: str, *, bare: bool) -> str:
    """The text with fragment `old` called `new`, in each spelling it is written in."""
    for prefix in _PREFIXES:
        text = text.replace("{{" + prefix + old + "}}", "{{" + prefix + new + "}}")
    return text.replace("{{" + old + "}}", "{{" + new + "}}") if bare else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A filled-in text, and the placeholders that nothing fills."""

    text: str
    unresolved: tuple[str, ...] = ()

    @property
    def error(self) -> str:
        """Upstream's wording, "" where everything was filled in."""
        names = " ".join("{{" + name + "}}" for name in self.unresolved)
        return f"unresolved template placeholders: [{names}]" if names else ""


def render(template: str, texts: Mapping[str, str], values: Mapping[str, str]) -> Rendered:
    """Fill in `texts` (the pack's own: they may hold placeholders again, up to PASSES deep), then
    `values` (the run's: put in once and never looked at again, so what a user or model wrote cannot
    reach for other values)."""
    text = template
    for _ in range(MAX_PASSES):
        step = _fill(text, texts, skip=values)
        if step == text or len(step) > MAX_TEXT:
            break
        text = step
    unresolved = tuple(name for name in placeholders(text) if name not in values)
    return Rendered(text=_fill(text, values, skip={}), unresolved=unresolved)


def _fill(text: str, values: Mapping[str, str], *, skip: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1]
        return match[0] if name in skip else values.get(name, match[0])

    return _PLACEHOLDER.sub(value, text)


def to_text(value: Any) -> str:
    """A value as it stands in a text: words as they are, true/false, JSON for the rest."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def defaults(prompt: Object) -> Iterator[tuple[str, str]]:
    """Variables that have a default, with it; a required one may have one too."""
    for _, item in indexed_objects(prompt.get("variables")):
        if item.get("default") not in (None, ""):
            yield as_str(item.get("name")), to_text(item["default"])


def missing_variables(prompt: Object, values: Mapping[str, str]) -> list[str]:
    """Required variables that neither the run nor a default fills."""
    filled = dict(defaults(prompt))
    return [
        as_str(item.get("name"))
        for _, item in indexed_objects(prompt.get("variables"))
        if item.get("required") is True
        and not values.get(as_str(item.get("name")))
        and as_str(item.get("name")) not in filled
    ]
