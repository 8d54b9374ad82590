"""Findings about a pack: data, never raised. Rules are functions with the decorator `@rule`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from workflows.core.plugins import modules_of

if TYPE_CHECKING:
    from workflows.core.pack.edits import Edit
    from workflows.core.pack.graph import Graph

Level: TypeAlias = Literal["error", "warning", "hint"]
LEVELS: tuple[Level, ...] = ("error", "warning", "hint")
MAX_MESSAGE_LENGTH = 240
"""Characters of a message."""
MAX_FINDINGS = 200
"""Findings with one code in one pack; more are left out."""


def one_line(message: str) -> str:
    """A message on one line, shortened in the middle if it names a very long value."""
    flat = " ".join(message.split())
    return (
        flat
        if len(flat) <= MAX_MESSAGE_LENGTH
        else f"{flat[: MAX_MESSAGE_LENGTH - 40]}…{flat[-39:]}"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in the author's files and an element of the canvas.

    `pointer` is a JSON pointer ("" is the whole document), `line` counts from 1 (0: not known yet;
    `check` fills it in through the source), `element` as in `core.forms` ("" is the pack).
    """

    path: str = ""
    pointer: str = ""
    line: int = 0
    element: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A one-click fix: the label of its button and its edits."""

    label: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A diagnostic. `code` is family and number without severity, and is never reused. `message`
    fits a line, names the culprit and makes sense alone; `hint` describes the fix; `walk` is a path
    of transition ids. `cause` is the key of the finding of which this one is a consequence.
    `other_profile`: a hint about the behaviour of another profile."""

    code: str
    level: Level
    message: str
    place: Place
    hint: str = ""
    fix: Fix | None = None
    walk: tuple[str, ...] = ()
    cause: str = ""
    other_profile: bool = False

    @property
    def key(self) -> str:
        """Code, file and pointer: the name of a finding in the `cause` of others."""
        return f"{self.code} {self.place.path}#{self.place.pointer}"

    def to_json(self) -> dict[str, object]:
        """The wire shape, the same in API, command line and page."""
        return {
            "code": self.code,
            "level": self.level,
            "message": self.message,
            "path": self.place.path,
            "pointer": self.place.pointer,
            "line": self.place.line,
            "element": self.place.element,
            "hint": self.hint,
            "fix": None
            if self.fix is None
            else {"label": self.fix.label, "edits": [edit.to_json() for edit in self.fix.edits]},
            "walk": list(self.walk),
            "key": self.key,
            "cause": self.cause,
            "other_profile": self.other_profile,
        }


Check: TypeAlias = "Callable[[Any, Graph], Iterable[Finding]]"


EVERY: tuple[str, ...] = ()
"""The `profiles` of a rule that holds in every profile of its dialect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A check for one kind of problem. The docstring of `check` is its help page.

    `profiles` are those in which the rule holds; in any other, it finds nothing. In those of
    `hint_in`, its findings are hints regardless of its `level`: they describe the behaviour of
    another profile.
    """

    code: str
    level: Level
    title: str
    check: Check
    profiles: tuple[str, ...]
    hint_in: tuple[str, ...] = ()

    def holds_in(self, profile: str) -> bool:
        """True if the rule is checked under this profile."""
        return self.profiles == EVERY or profile in self.profiles

    @property
    def held(self) -> str:
        """The profiles in a word, for tables: `every`, `climpt`, `every; hint in documented`."""
        names = ", ".join(self.profiles) or "every"
        return f"{names}; hint in {', '.join(self.hint_in)}" if self.hint_in else names

    @property
    def help(self) -> str:
        return cleandoc(self.check.__doc__ or "")


def rule(
    code: str,
    level: Level,
    title: str,
    *,
    profiles: tuple[str, ...],
    hint_in: tuple[str, ...] = (),
) -> Callable[[Check], Rule]:
    """Turn a check into a Rule. Raises TypeError for one without a docstring, its help page."""

    def register(check: Check) -> Rule:
        if not check.__doc__:
            raise TypeError(f"Rule {code} has no docstring, and that is its help page.")
        return Rule(
            code=code, level=level, title=title, check=check, profiles=profiles, hint_in=hint_in
        )

    return register


@cache
def rules_in(package: str) -> tuple[Rule, ...]:
    """Every Rule that the modules of a package declare, by code. Raises ValueError where two share
    a code."""
    rules: dict[str, Rule] = {}
    for module in modules_of(package):
        for value in vars(module).values():
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, Rule) and rules.setdefault(one.code, one) is not one:
                    raise ValueError(f"Two rules are called {one.code}.")
    return tuple(rules[code] for code in sorted(rules))
