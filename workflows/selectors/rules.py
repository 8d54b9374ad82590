"""Every rule, for the help pages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workflows.core.dialects import dialects
from workflows.core.pack.findings import Rule
from workflows.core.rules import RULES

ANY_GRAPH = "Any graph"


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePage:
    """One rule. `family` is the dialect's label; `paragraphs` are its help."""

    code: str
    level: str
    title: str
    family: str
    paragraphs: tuple[str, ...]
    profiles: tuple[str, ...]
    """The profiles in which the rule holds; empty for a rule over any graph, which holds in every
    profile."""
    elsewhere: tuple[str, ...]
    """The dialect's other profiles."""
    hint_in: tuple[str, ...]


def rule_pages(query: str = "") -> list[RulePage]:
    """The rules over any graph, then each dialect's own, by code. `query` is matched against code,
    title and help."""
    pages = [_page(each, ANY_GRAPH, ()) for each in RULES]
    for dialect in dialects().values():
        profiles = dialect.profiles
        pages += [_page(each, dialect.label, profiles) for each in _by_code(dialect.rules())]
    wanted = query.strip().casefold()
    return [page for page in pages if wanted in _searched_text(page)]


def rule_page(code: str) -> RulePage | None:
    """The page of one rule; the case of the code is ignored."""
    return next((page for page in rule_pages() if page.code == code.upper()), None)


def _by_code(rules: Iterable[Rule]) -> list[Rule]:
    return sorted(rules, key=lambda each: each.code)


def _page(each: Rule, family: str, profiles: tuple[str, ...]) -> RulePage:
    paragraphs = (" ".join(part.split()) for part in each.help.split("\n\n"))
    return RulePage(
        code=each.code,
        level=each.level,
        title=each.title,
        family=family,
        paragraphs=tuple(paragraphs),
        profiles=tuple(name for name in profiles if each.holds_in(name)),
        elsewhere=tuple(name for name in profiles if not each.holds_in(name)),
        hint_in=each.hint_in,
    )


def _searched_text(page: RulePage) -> str:
    return " ".join((page.code, page.title, *page.paragraphs)).casefold()
