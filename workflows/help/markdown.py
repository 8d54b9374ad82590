"""Markdown of the pages as HTML, with links between pages that work on a server and in a site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from workflows.help.pages import Page, addresses, pages

LINK = re.compile(r"\[([^\[\]]{0,200})\]\([^()]{0,400}\)|[`*]")
"""A link, of which the text stays, or a mark around a word."""
CODE = re.compile(r"[A-Z]{2}\d{3}")
"""A code of a rule. The row of a table that begins with it is its anchor."""
ROW = re.compile(r"^\| ([A-Z]{2}\d{3}) \|", re.MULTILINE)
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """`parts`: id → text of its second-level headings. `anchors`: all ids. `links`: all links, from
    the page's own address. `dropped`: links that lead out of the pages, which are text."""

    html: str
    parts: Mapping[str, str]
    anchors: frozenset[str]
    links: tuple[str, ...]
    dropped: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the navigation: its title, and the address and title of each page."""

    title: str
    pages: tuple[tuple[str, str], ...]


@cache
def rendered(address: str) -> Rendered:
    """One page. Raises KeyError."""
    return _Rendering(pages()[address]).result()


@cache
def navigation() -> tuple[Section, ...]:
    """The sections of the first page, with all pages that they link to."""
    sections: list[tuple[str, list[tuple[str, str]]]] = []
    tokens = _MARKDOWN.parse(pages()[""].text)
    for before, token in pairwise(tokens):
        if before.type == "heading_open" and before.tag == "h2":
            sections.append((token.content, []))
        for number, child in enumerate(token.children or ()):
            target = _target("docs/index.md", str(child.attrs.get("href", "")))
            if child.type == "link_open" and target in addresses() and sections:
                sections[-1][1].append((addresses()[target], token.children[number + 1].content))  # type: ignore[index]
    return tuple(Section(title=title, pages=tuple(found)) for title, found in sections)


def relative(source: str, target: str) -> str:
    """The link from one address to another."""
    if source == target:
        return "./"
    return posixpath.relpath(f"/{target}", f"/{source}") + "/"


@cache
def rule_addresses() -> Mapping[str, str]:
    """Code of a rule → address of the page with its row."""
    return {code: page.address for page in pages().values() for code in ROW.findall(page.text)}


def _target(source: str, href: str) -> str:
    """The path in the repository that a link of a file leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), href.partition("#")[0]))


class _Rendering:
    """One page on its way to HTML."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._parts: dict[str, str] = {}
        self._anchors: set[str] = set()
        self._links: list[str] = []
        self._dropped: list[str] = []

    def result(self) -> Rendered:
        tokens = _MARKDOWN.parse(self._page.text)
        for number, token in enumerate(tokens):
            token.attrs.pop("style", None)
            match token.type:
                case "heading_open":
                    self._anchor(token, tokens[number + 1].content)
                case "html_block":
                    token.content = self._without_comments(token.content)
                case "tr_open":
                    self._row(token, tokens[number + 2].content)
                case "table_open":
                    token.attrs["class"] = "table"
                case "inline":
                    self._inline(token)
        return Rendered(
            html=str(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})),
            parts=self._parts,
            anchors=frozenset(self._anchors),
            links=tuple(self._links),
            dropped=tuple(self._dropped),
        )

    def _anchor(self, token: Token, text: str) -> None:
        """The id that GitHub gives a heading; in the reference of the API its name."""
        plain = LINK.sub(r"\1", text)
        slug = plain
        if self._page.source or " " in plain:
            slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        unique, number = slug, 0
        while unique in self._anchors:
            number += 1
            unique = f"{slug}-{number}"
        self._anchors.add(unique)
        token.attrs["id"] = unique
        if token.tag == "h2":
            self._parts[unique] = plain

    def _row(self, token: Token, first: str) -> None:
        if CODE.fullmatch(first):
            token.attrs["id"] = first
            self._anchors.add(first)

    def _without_comments(self, html: str) -> str:
        left = html.strip()
        while left.startswith("<!--") and "-->" in left:
            left = left.partition("-->")[2].strip()
        if left:
            raise ValueError(f"{self._page.source} has HTML: {left[:80]}")
        return ""

    def _inline(self, token: Token) -> None:
        """Resolve links and pictures. A link to a file that is no page becomes text."""
        open_links: list[bool] = []
        for child in token.children or ():
            if child.type == "link_open":
                href = self._resolved(str(child.attrs["href"]))
                open_links.append(bool(href))
                if href:
                    child.attrs["href"] = href
                else:
                    child.type, child.tag, child.nesting, child.content = "text", "", 0, ""
            elif child.type == "link_close" and not open_links.pop():
                child.type, child.tag, child.nesting, child.content = "text", "", 0, ""
            elif child.type == "image":
                name = posixpath.basename(str(child.attrs["src"]))
                child.attrs["src"] = relative(self._page.address, name).rstrip("/")
                self._links.append(str(child.attrs["src"]))
            elif child.type == "html_inline":
                child.content = escape(child.content)
            elif child.type == "code_inline" and not open_links:
                self._code_of_rule(child)

    def _code_of_rule(self, token: Token) -> None:
        """Link the code of a rule to its row."""
        address = rule_addresses().get(token.content)
        if address is not None:
            href = f"{relative(self._page.address, address)}#{token.content}"
            self._links.append(href)
            token.type = "html_inline"
            token.content = f'<a href="{href}"><code>{token.content}</code></a>'

    def _resolved(self, href: str) -> str:
        """The link on the page; "" if it leads to no page."""
        if re.match(r"[a-z]+:", href):
            return href
        if not href.startswith("#") and self._page.source:
            target, anchor = _target(self._page.source, href), href.partition("#")[1:]
            if target not in addresses():
                self._dropped.append(href)
                return ""
            href = relative(self._page.address, addresses()[target]) + "".join(anchor)
        self._links.append(href)
        return href
