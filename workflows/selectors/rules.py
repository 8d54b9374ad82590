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


def rule_pages(query: str = "") -> list[RulePage]:
    """The rules over any graph, then each dialect's own, by code. `query` is matched against code,
    title and help."""
    pages = [_page(each, ANY_GRAPH) for each in RULES]
    for dialect in dialects().values():
        pages += [_page(each, dialect.label) for each in _by_code(dialect.rules())]
    wanted = query.strip().casefold()
    return [page for page in pages if wanted in _said(page)]


def rule_page(code: str) -> RulePage | None:
    """The page of one rule; the case of the code is ignored."""
    return next((page for page in rule_pages() if page.code == code.upper()), None)


def _by_code(rules: Iterable[Rule]) -> list[Rule]:
    return sorted(rules, key=lambda each: each.code)


def _page(each: Rule, family: str) -> RulePage:
    paragraphs = (" ".join(part.split()) for part in each.help.split("\n\n"))
    return RulePage(
        code=each.code,
        level=each.level,
        title=each.title,
        family=family,
        paragraphs=tuple(paragraphs),
        profiles=each.profiles,
    )


def _said(page: RulePage) -> str:
    return " ".join((page.code, page.title, *page.paragraphs)).casefold()
