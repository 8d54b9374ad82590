"""Rules of prose, read from rules.toml, and the alerts that they raise."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scripts.prose.fragments import KINDS, Fragment

SENTENCE = r"(?:\A[\s'\"(*_#-]*|(?<=[.!?]\s)|(?<=[.!?]['\")*]\s))"


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern, and the words to use instead."""

    id: str
    pattern: re.Pattern[str]
    kinds: frozenset[str]
    message: str
    instead: str


@dataclass(frozen=True, slots=True)
class Alert:
    """One match of a rule, at its line."""

    rule: Rule
    fragment: Fragment
    line: int
    found: str

    def __str__(self) -> str:
        return (
            f"{self.fragment.path}:{self.line}: error: {self.rule.message} “{self.found}”"
            f" [{self.rule.id}] Write: {self.rule.instead}."
        )


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in the order of the file. Raises ValueError for one that is incomplete."""
    table = tomllib.loads(Path(__file__).with_name("rules.toml").read_text(encoding="utf-8"))
    return tuple(map(_rule, table["rule"]))


def _rule(entry: dict[str, object]) -> Rule:
    fields = {"id", "pattern", "message", "instead"}
    if not fields <= set(entry) <= fields | {"kinds"}:
        raise ValueError(f"Rule {entry.get('id')!r} needs exactly {sorted(fields)} (and kinds).")
    kinds = entry.get("kinds", KINDS)
    if not isinstance(kinds, list | tuple) or not set(kinds) <= set(KINDS):
        raise ValueError(f"Rule {entry['id']!r} names a kind that does not exist.")
    return Rule(
        id=str(entry["id"]),
        pattern=compiled(str(entry["pattern"])),
        kinds=frozenset(map(str, kinds)),
        message=str(entry["message"]),
        instead=str(entry["instead"]),
    )


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern with `<s>`, `^` and spaces in their meanings of rules.toml."""
    pattern = re.sub(r"(?<![\[\\])\^", lambda _: r"\A[\s'\"(*_#-]*", pattern)
    pattern = pattern.replace("<s>", SENTENCE).replace("$", r"\Z")
    # A look-behind needs one width, so its space stays one character.
    spaced = re.sub(r" (?![^()]*\)(?<=\(\?<!)[^)]*)", r"\\s+", _keep_look_behinds(pattern))
    return re.compile(spaced.replace("\0", r"\s"), re.IGNORECASE)


def _keep_look_behinds(pattern: str) -> str:
    return re.sub(r"\(\?<[!=][^)]*\)", lambda found: found[0].replace(" ", "\0"), pattern)


def alerts(fragments: Iterable[Fragment]) -> Iterator[Alert]:
    """Every match of every rule, fragment by fragment. Of two at one place the first counts."""
    for fragment in fragments:
        taken: set[int] = set()
        for rule in rules():
            if fragment.kind not in rule.kinds:
                continue
            for match in rule.pattern.finditer(fragment.text):
                if match.start() not in taken:
                    taken.add(match.start())
                    found = " ".join(match[0].split())
                    yield Alert(rule, fragment, fragment.line_of(match.start()), found[:80])
