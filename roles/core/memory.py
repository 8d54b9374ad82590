"""Memory in prompts: the profile and the remembered facts (section 6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args
from xml.sax.saxutils import escape, quoteattr

Scope = Literal["core", "project", "shared"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
INSTRUCTIONS = (
    'Save durable facts with memory_store. scope "core": expertise useful on every project. '
    'scope "project": facts about this project only. '
    'scope "shared": facts every role on this project should see.'
)
SECTIONS: Mapping[str, str] = {
    "core": "memory-core",
    "project": "memory-summaries",
    "shared": "memory-shared",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One remembered fact. `at`: when it was last stored, in seconds since 1970."""

    id: int
    scope: Scope
    category: str
    fact: str
    confidence: float
    at: float = 0.0


def namespace(scope: Scope, role: int | None, project: str) -> str | None:
    """Namespace of facts of this scope; None without the role or project that the scope needs."""
    match scope:
        case "core":
            return f"agent:{role}:core" if role is not None else None
        case "project":
            return f"proj:{project}:agent:{role}" if project and role is not None else None
        case "shared":
            return f"proj:{project}:shared" if project else None


def profile_block(profile: Mapping[str, Sequence[str]]) -> str:
    """`<memory-profile>`, or "" if every list is empty.

    It is added after rendering, so that no item is read as a placeholder.
    """
    lists = [(name, profile.get(name, ())) for name in _TAGS]
    filled = [(name, items) for name, items in lists if items]
    if not filled:
        return ""
    lines = ["<memory-profile>"]
    for name, items in filled:
        lines.append(f"  <{_TAGS[name]}>")
        lines += [f"    <item>{escape(item)}</item>" for item in items]
        lines.append(f"  </{_TAGS[name]}>")
    lines += [f"  <instructions>{INSTRUCTIONS}</instructions>", "</memory-profile>"]
    return "\n".join(lines)


_TAGS = {
    "core_focus": "core-focus",
    "project_focus": "project-focus",
    "priority_categories": "priority-categories",
}


def remembered_block(facts: Iterable[Fact], priority: Sequence[str] = ()) -> str:
    """`<memory>` with the facts, for `{{ context.memory }}`; "" without any.

    Categories come in the order of `priority`, then by name; within one, by confidence.
    """
    facts = list(facts)
    lines = []
    for scope, tag in SECTIONS.items():
        mine = [one for one in facts if one.scope == scope]
        if not mine:
            continue
        lines.append(f"  <{tag}>")
        for category in in_order({one.category for one in mine}, priority):
            lines.append(f"    <category name={quoteattr(category)}>")
            theirs = [one for one in mine if one.category == category]
            theirs.sort(key=lambda one: (-one.confidence, -one.at, one.id))
            lines += [f"      <fact>{escape(one.fact)}</fact>" for one in theirs]
            lines.append("    </category>")
        lines.append(f"  </{tag}>")
    return "\n".join(["<memory>", *lines, "</memory>"]) if lines else ""


def in_order(categories: Iterable[str], priority: Sequence[str]) -> list[str]:
    """Categories in the order of `priority_categories`, then by name."""
    place = {name: index for index, name in reversed(list(enumerate(priority)))}
    return sorted(categories, key=lambda name: (place.get(name, len(place)), name))


_WORD = re.compile(r"\w+")


def words(text: str) -> frozenset[str]:
    """Search words of a text."""
    return frozenset(_WORD.findall(text.casefold()))


def searched(one: Fact) -> frozenset[str]:
    """The words that a fact is found by."""
    return words(f"{one.category} {one.fact}")


def ranked(facts: Iterable[Fact], query: str, priority: Sequence[str] = ()) -> list[Fact]:
    """The facts that share a word with the query, best first: by number of shared words, then
    category by `priority`, then confidence, then age. A query without words matches all."""
    query_words = words(query)
    scored = [(len(query_words & searched(one)), one) for one in facts]
    order = in_order({one.category for _, one in scored}, priority)
    place = {name: index for index, name in enumerate(order)}
    matches = [(score, one) for score, one in scored if score or not query_words]
    matches.sort(
        key=lambda pair: (
            -pair[0],
            place[pair[1].category] if pair[1].category in priority else len(place),
            -pair[1].confidence,
            -pair[1].at,
            pair[1].id,
        )
    )
    return [one for _, one in matches]
