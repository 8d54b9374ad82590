"""Placeholders in stage bodies: parsing and rendering (stages.md 4).

    placeholder := "{{" space* root step+ space* "}}"      space: space or tab
    root        := "ctx" | "stage"
    step        := "." [A-Za-z_][A-Za-z0-9_]*  |  "[" digits "]"

`{{` after `$` belongs to another syntax (`${{ github.sha }}`). Spans count characters of the body;
lines are counted from 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from workflows.core.dialects.stages.format.js_values import to_js_string
from workflows.core.pack.forms import Json
from workflows.core.text.placeholders import TOO_LONG, fill

CORE_FIELDS = ("upstream", "workflowRunId", "stageExecutionId")
"""Fields of ctx that every stage has and that a body may name."""
HIDDEN_FIELDS = ("attempts", "host")
"""Fields of ctx that a body may not name."""
RESERVED_FIELDS = (*CORE_FIELDS, *HIDDEN_FIELDS)
"""Names that `setup` may not use for its own fields."""
STAGE_FIELDS = ("id", "name")
"""Fields of `stage`."""

Step: TypeAlias = str | int
_BREAK = re.compile(r"\r\n|\n|\r")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]+)\]")
_PLACEHOLDER = re.compile(
    r"(?<!\$)\{\{[ \t]*(ctx|stage)((?:\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\])+)[ \t]*\}\}"
)
_BRACES = re.compile(r"(?<!\$)\{\{([^{}\r\n]*)\}\}")
_SOURCE = re.compile(r"\$\{ctx\.([A-Za-z_][A-Za-z0-9_]*)\}")
_INDEX_LIMIT = 10**18
"""Value of an index with more than 18 digits: outside any list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placeholder:
    """`{{ctx.upstream[0].parsed}}`: `root` is `ctx`, `steps` are `("upstream", 0, "parsed")`."""

    text: str
    span: tuple[int, int]
    line: int
    root: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """Other text between double braces, which is not replaced. `inside` is trimmed."""

    text: str
    span: tuple[int, int]
    line: int
    inside: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReference:
    """`${ctx.name}`: the placeholder syntax of stud-cli's source code. Files do not use it."""

    text: str
    span: tuple[int, int]
    line: int
    name: str


@lru_cache(maxsize=4_096)
def placeholders(body: str) -> tuple[Placeholder, ...]:
    """All placeholders of a body, in order, with repetitions."""
    line_at = _lines(body)
    return tuple(
        Placeholder(
            text=match[0],
            span=match.span(),
            line=line_at(match.start()),
            root=match[1],
            steps=_steps(match[2]),
        )
        for match in _PLACEHOLDER.finditer(body)
    )


@lru_cache(maxsize=4_096)
def leftovers(body: str) -> tuple[Leftover, ...]:
    """Texts between double braces on one line that are not placeholders."""
    line_at = _lines(body)
    return tuple(
        Leftover(
            text=match[0], span=match.span(), line=line_at(match.start()), inside=match[1].strip()
        )
        for match in _BRACES.finditer(body)
        if not _PLACEHOLDER.match(body, match.start())
    )


@lru_cache(maxsize=4_096)
def source_references(body: str) -> tuple[SourceReference, ...]:
    """Every `${ctx.name}`. Deeper paths are not references in stud-cli either (stages.md 2, D2)."""
    line_at = _lines(body)
    return tuple(
        SourceReference(
            text=match[0], span=match.span(), line=line_at(match.start()), name=match[1]
        )
        for match in _SOURCE.finditer(body)
    )


def convert_references(body: str) -> str:
    """The body with every `${ctx.name}` written as `{{ctx.name}}`."""
    return _SOURCE.sub(lambda match: "{{ctx." + match[1] + "}}", body)


def render(
    body: str, ctx: Mapping[str, Json], stage: Mapping[str, Json]
) -> tuple[str, tuple[str, ...]]:
    """The body with its placeholders filled in, and a warning for each that has no value.

    One pass: inserted values are never scanned again. None and a missing value are both rendered
    as an empty text; only a missing value gives a warning. From the first value on that would make
    the text longer than MAX_TEXT, placeholders stay in the text, with one warning for all.
    """
    roots: Mapping[str, Mapping[str, Json]] = {"ctx": ctx, "stage": stage}
    found = {placeholder.span[0]: placeholder for placeholder in placeholders(body)}
    warnings: list[str] = []

    def value_of(match: re.Match[str]) -> str:
        placeholder = found[match.start()]
        present, value = resolve(roots[placeholder.root], placeholder.steps)
        if not present:
            warnings.append(
                f"{placeholder.text} on line {placeholder.line} has no value and was left empty."
            )
        return to_js_string(value)

    filled = fill(_PLACEHOLDER, body, value_of)
    if filled.stop is not None:
        first = found[filled.stop]
        warnings.append(
            f"{first.text} on line {first.line} and all later placeholders were left in the "
            f"prompt. {TOO_LONG}."
        )
    return filled.text, tuple(warnings)


def resolve(value: Json | Mapping[str, Json], steps: tuple[Step, ...]) -> tuple[bool, Json]:
    """Follow a path. Returns True and the value, or False and None."""
    here: Any = value
    for step in steps:
        if not _has_step(here, step):
            return False, None
        here = here[step]
    return True, here


def _has_step(value: Any, step: Step) -> bool:
    if isinstance(step, str):
        return isinstance(value, Mapping) and step in value
    return isinstance(value, list | tuple) and step < len(value)


def _steps(path: str) -> tuple[Step, ...]:
    return tuple(
        match[1] or (int(match[2]) if len(match[2]) <= 18 else _INDEX_LIMIT)
        for match in _STEP.finditer(path)
    )


def _lines(body: str) -> Callable[[int], int]:
    ends = [match.end() for match in _BREAK.finditer(body)]
    return lambda offset: bisect_right(ends, offset) + 1
