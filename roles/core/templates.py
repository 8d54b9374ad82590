"""The prompt language: plain substitution, and Jinja for texts with a statement.

Section 7 of the specification: a placeholder is `{{`, spaces or tabs, a dotted name, spaces or
tabs, `}}`, and anything else is text. Texts are rendered in one pass, and values are never scanned
again; a missing variable is empty and reported; objects are compact JSON; null is empty; nothing is
escaped. A backslash directly before a placeholder is dropped, and the placeholder is printed.

A text with a Jinja statement (`{% … %}`) is a program. Only a renderer passed by the caller runs
it, because it needs a process of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from roles.core.variables import ALIASES

PLACEHOLDER = re.compile(
    r"(?P<escape>\\?)\{\{[ \t]*"
    r"(?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"
    r"[ \t]*\}\}"
)
STATEMENT = "{%"
MAX_TEXT = 2_000_000
"""Maximum length of the texts of a prompt with their values, in characters."""
TOO_LONG = (
    f"With all its values, the prompt would have more than {MAX_TEXT:,} characters. "
    "Use fewer or smaller values."
)
Variables = Mapping[str, Any]
"""Flat: dotted name → JSON value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """`unknown`: names without a value, each once, in order of appearance."""

    text: str
    unknown: tuple[str, ...] = ()


Renderer = Callable[[str, Variables], Rendered]
"""Renders a program. Raises TemplateStopped."""


class TemplateStopped(Exception):
    """A text could not be rendered; the message is for its author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A placeholder of a plain text: its name and character offsets."""

    name: str
    start: int
    end: int


def is_program(text: str) -> bool:
    """Return True if the text has a Jinja statement, which makes the whole text a Jinja
    template."""
    return STATEMENT in text


def render(text: str, variables: Variables, renderer: Renderer | None = None) -> Rendered:
    """The text with its variables filled in. Without a renderer every text is plain.

    Raises TemplateStopped.
    """
    if renderer is not None and is_program(text):
        return renderer(text, variables)
    return substitute(text, variables)


def substitute(text: str, variables: Variables) -> Rendered:
    """Plain substitution. Raises TemplateStopped for a text that is too long with its values."""
    unknown: dict[str, None] = {}
    pieces: list[str] = []
    size, at = len(text), 0
    for match in PLACEHOLDER.finditer(text):
        value = _value_of(match, variables, unknown)
        grows = len(value) - len(match[0])
        size += grows
        if grows > 0 and size > MAX_TEXT:
            raise TemplateStopped(TOO_LONG)
        pieces += [text[at : match.start()], value]
        at = match.end()
    return Rendered(text="".join([*pieces, text[at:]]), unknown=tuple(unknown))


def _value_of(match: re.Match[str], variables: Variables, unknown: dict[str, None]) -> str:
    if match["escape"]:
        return match[0][1:]
    there, value = looked_up(match["name"], variables)
    if not there:
        unknown[match["name"]] = None
    return written(value)


def looked_up(name: str, variables: Variables) -> tuple[bool, Any]:
    """True and the value of a variable if it exists. Keys of an object can be named too."""
    name = ALIASES.get(name, name)
    if name in variables:
        return True, variables[name]
    above, _, key = name.rpartition(".")
    if not above:
        return False, None
    there, value = looked_up(above, variables)
    if there and isinstance(value, Mapping) and key in value:
        return True, value[key]
    return False, None


def written(value: Any) -> str:
    """A value as text in a prompt."""
    match value:
        case None:
            return ""
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def mentions(text: str) -> Iterator[Mention]:
    """The placeholders of a plain text, without escaped ones."""
    for match in PLACEHOLDER.finditer(text):
        if not match["escape"]:
            yield Mention(name=match["name"], start=match.start(), end=match.end())


def flat(sections: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Flat variables from `{section: {name: value}}`."""
    return {
        f"{section}.{name}": value
        for section, values in sections.items()
        for name, value in values.items()
    }


def nested(variables: Variables) -> dict[str, Any]:
    """The reverse, for programs: `ticket.title` becomes `ticket` with a `title`. Aliases are
    included. If a variable is also the prefix of others, the others win."""
    tree: dict[str, Any] = {}
    named = dict(variables)
    for alias, meant in ALIASES.items():
        if meant in named:
            named.setdefault(alias, named[meant])
    for name in sorted(named):
        *above, last = name.split(".")
        at = tree
        for step in above:
            below = at.get(step)
            at[step] = dict(below) if isinstance(below, dict) else {}
            at = at[step]
        at[last] = named[name]
    return tree
