"""The file of a template's name: the pack's own, the server's, or one that ships with Signalbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from workflows.core.prompts.role_templates.header import Template, read
from workflows.core.prompts.role_templates.names import SUFFIX, is_name

Origin: TypeAlias = Literal["pack", "server", "shipped"]
Texts: TypeAlias = Mapping[str, str | bytes]
"""Name of a template → its file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A template and its source; `hides` are the sources that have another one of this name."""

    template: Template
    source: Origin
    hides: tuple[Origin, ...] = ()


@cache
def shipped() -> Mapping[str, str]:
    """The templates that ship with Signalbox, by name."""
    folder = files(__package__).joinpath("shipped")
    results = sorted(folder.iterdir(), key=lambda item: item.name)
    return {
        item.name.removesuffix(SUFFIX): item.read_text(encoding="utf-8")
        for item in results
        if item.name.endswith(SUFFIX)
    }


def resolve(name: str, pack: Texts | None = None, stored: Texts | None = None) -> Resolved | None:
    """The template of this name. None if there is none, and for invalid names."""
    if not is_name(name):
        return None
    places: tuple[tuple[Origin, Texts], ...] = (
        ("pack", pack or {}),
        ("server", stored or {}),
        ("shipped", shipped()),
    )
    having = [(origin, texts[name]) for origin, texts in places if name in texts]
    if not having:
        return None
    (origin, data), *hidden = having
    return Resolved(
        template=read(name, data), source=origin, hides=tuple(other for other, _ in hidden)
    )


def resolve_all(pack: Texts | None = None, stored: Texts | None = None) -> tuple[Resolved, ...]:
    """Every available template, sorted by name."""
    names = {*(pack or {}), *(stored or {}), *shipped()}
    results = (resolve(name, pack, stored) for name in sorted(names))
    return tuple(item for item in results if item is not None)
