"""The rule kit: checks of a dialect return notes, and the kit turns them into findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
from itertools import islice
from textwrap import dedent
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from jsonschema_rs import Draft202012Validator

from workflows.core.pack.edits import Edit
from workflows.core.pack.findings import (
    EVERY,
    LEVELS,
    MAX_FINDINGS,
    Finding,
    Fix,
    Level,
    Place,
    Rule,
    one_line,
    rule,
)
from workflows.core.pack.graph import Graph
from workflows.core.text.json.pointer import Pointer, pointer_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A finding before it has a code and a level.

    `pointer` leads into the file at `path`, which is the main file if empty; `place` overrides
    both. `element` is the element on the canvas; if it is empty, the dialect derives it from the
    pointer. `owner` is the element whose check yields the note, if the note is at the place of
    another one. `walk` is a path of transition ids that proves the finding.
    """

    message: str
    pointer: Pointer = ()
    path: str = ""
    element: str = ""
    owner: str = ""
    place: Place | None = None
    hint: str = ""
    fix: Fix | None = None
    walk: tuple[str, ...] = ()

    def at(self, pointer: Pointer, element: str) -> Note:
        """The same note at another place of the main file."""
        return replace(self, pointer=pointer, element=element)


Notes: TypeAlias = Iterable[Note]


TYPE_STEPS = {
    "boolean": "Write true or false, without quotes.",
    "integer": "Write a whole number, without quotes.",
    "number": "Write a number, without quotes.",
    "string": "Write a text in double quotes.",
    "array": "Write a list: [ … ].",
    "object": 'Write an object: { "name": … }.',
}
"""Type of JSON Schema → what to write."""


Problem: TypeAlias = tuple[Pointer, dict[str, Any]]
"""A violation of a schema: the pointer, and the keyword with its expected value."""

MAX_PROBLEMS = 500
"""Limit of reported schema violations. A file with more is probably not a pack."""


def schema_problems(validator: Draft202012Validator, tree: Any) -> tuple[Problem, ...]:
    """The violations of a compiled schema, at most MAX_PROBLEMS."""
    if validator.is_valid(tree):
        return ()
    return tuple(
        (tuple(error.instance_path), {"name": error.kind.name, **error.kind.as_dict()})
        for error in islice(validator.iter_errors(tree), MAX_PROBLEMS)
    )


def type_step(types: Iterable[str], description: str = "") -> str:
    """The next step for a value of another type than one of `types`, and what the value is for."""
    first = next(iter(types), "")
    return f"{TYPE_STEPS.get(first, '')} {description}".strip()


def reported(table: str) -> tuple[Rule, ...]:
    """Rules whose findings a reader or an export reports. Rows of the table: `CODE level title`,
    and below it, indented, the help page."""
    rules = []
    for row in re.split(r"\n(?=\S)", table.strip()):
        head, _, text = row.partition("\n")
        code, name, title = head.split(" ", 2)
        (level,) = (one for one in LEVELS if one == name)

        def check(source: object, graph: Graph) -> Iterable[Finding]:
            return ()

        check.__doc__ = dedent(text)
        rules.append(rule(code, level, title, profiles=EVERY)(check))
    return tuple(rules)


class CheckedSource(Protocol):
    """The part of a source that the kit reads."""

    @property
    def main(self) -> str: ...


S = TypeVar("S", bound=CheckedSource)
V = TypeVar("V")


def _no_element(view: object, pointer: Pointer) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class RuleKit(Generic[S, V]):
    """The rules of one dialect: `view` is what its checks read of a source."""

    view: Callable[[S], V]
    element_at: Callable[[V, Pointer], str] = _no_element
    """The element on the canvas to which a value of the main file belongs."""
    applies: Callable[[S], bool] = lambda source: True
    """True for a source of the shape that the rules expect. Others have no findings."""

    def rule(
        self,
        code: str,
        level: Level,
        title: str,
        *,
        profiles: tuple[str, ...],
        hint_in: tuple[str, ...] = (),
    ) -> Callable[[Callable[[V], Notes]], Rule]:
        """Turn a check into a rule. The docstring of the check is the help page of the rule.

        `profiles` and `hint_in` are described at `Rule`. At most MAX_FINDINGS notes of a check
        become findings.
        """
        decorate = self.profile_rule(code, level, title, profiles=profiles, hint_in=hint_in)

        def register(check: Callable[[V], Notes]) -> Rule:
            @wraps(check)
            def under_any(view: V, profile: str) -> Notes:
                return check(view)

            return decorate(under_any)

        return register

    def profile_rule(
        self,
        code: str,
        level: Level,
        title: str,
        *,
        profiles: tuple[str, ...],
        hint_in: tuple[str, ...] = (),
    ) -> Callable[[Callable[[V, str], Notes]], Rule]:
        """As `rule`, for a check whose second argument is the profile, because its findings depend
        on it."""

        def register(check: Callable[[V, str], Notes]) -> Rule:
            @wraps(check)
            def findings(source: S, graph: Graph) -> Iterator[Finding]:
                profile = graph.profile
                if not self.applies(source) or (profiles != EVERY and profile not in profiles):
                    return
                view = self.view(source)
                for note in islice(check(view, profile), MAX_FINDINGS):
                    yield Finding(
                        code=code,
                        level="hint" if profile in hint_in else level,
                        other_profile=profile in hint_in,
                        message=one_line(note.message),
                        place=self._place(source, view, note),
                        hint=note.hint,
                        fix=note.fix,
                        walk=note.walk,
                    )

            return rule(code, level, title, profiles=profiles, hint_in=hint_in)(findings)

        return register

    def _place(self, source: S, view: V, note: Note) -> Place:
        if note.place is not None:
            return note.place
        return Place(
            path=note.path or source.main,
            pointer=pointer_text(note.pointer),
            element=note.element or self.element_at(view, note.pointer),
        )


def make_fix(label: str, *edits: Edit) -> Fix:
    """A one-click fix."""
    return Fix(label=label, edits=edits)


def short_list(names: Iterable[str], most: int = 4) -> str:
    """A list for a message: `a, b, c, d and 3 more`."""
    items = list(names)
    text = ", ".join(items[:most])
    return f"{text} and {len(items) - most} more" if len(items) > most else text


def quoted_list(names: Iterable[str], most: int = 4) -> str:
    """A list of quoted names for a message: `'a', 'b' and 3 more`."""
    return short_list(map(repr, names), most)


def count_of(count: int, one: str, many: str = "") -> str:
    """A count with its noun: `1 sibling`, `2 siblings`."""
    return f"{count} {one if count == 1 else many or one + 's'}"
