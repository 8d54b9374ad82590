"""The pages of the documentation, and the files next to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workflows.help.api_reference import api_pages
from workflows.installation import PAGES, ROOT

DOCS = PAGES / "docs"
DIALECTS = ROOT / "workflows" / "core" / "dialects"
OPENAPI = DOCS / "openapi.yaml"
OTHERS = {"CHANGELOG.md": "changes", "CONTRIBUTING.md": "contributing", "SECURITY.md": "reporting"}
"""Files next to the folder `docs`, and their addresses."""
_HEADING = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """`address`: words with slashes, "" for the first page. `source`: path in the repository, from
    which its links are resolved; "" for a generated page."""

    address: str
    source: str
    text: str

    @property
    def title(self) -> str:
        heading = _HEADING.search(self.text)
        return heading[1].replace("`", "") if heading else self.address


@cache
def pages() -> Mapping[str, Page]:
    """All pages by address. Raises OSError."""
    found = {page.address: page for page in (*_written(), *_generated())}
    return dict(sorted(found.items()))


@cache
def addresses() -> Mapping[str, str]:
    """Path in the repository → address of its page. The document of the API leads to its list."""
    return {page.source: page.address for page in pages().values() if page.source} | {
        "docs/openapi.yaml": "api/operations"
    }


def files() -> Mapping[str, bytes]:
    """Files by address: pictures, the document of the API, the Markdown of each page, and a list
    of them for models."""
    beside = {path.name: path.read_bytes() for path in [OPENAPI, *DOCS.glob("*.png")]}
    texts = {f"{page.address or 'index'}.md": page.text.encode() for page in pages().values()}
    return beside | texts | {"llms.txt": llms_text().encode()}


def llms_text() -> str:
    """The list of pages in the format of llmstxt.org."""
    about = "See, edit, check, rehearse and run agent workflows that exist as files."
    rows = [f"- [{page.title}]({page.address or 'index'}.md)" for page in pages().values()]
    return "\n".join(["# Signalbox", "", f"> {about}", "", "## Documentation", "", *rows, ""])


def search(words: str) -> list[Page]:
    """Pages with all of these words, regardless of case; those with a word in the title first."""
    wanted = words.casefold().split()
    found = [page for page in pages().values() if all(w in page.text.casefold() for w in wanted)]
    return sorted(found, key=lambda page: not any(w in page.title.casefold() for w in wanted))


def _written() -> Iterator[Page]:
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).as_posix()
        address = name.removesuffix(".md")
        address = address.removesuffix("README").removesuffix("index").rstrip("/")
        yield _page(path, f"docs/{name}", address)
    for name, address in OTHERS.items():
        yield _page(PAGES / name, name, address)
    for path in sorted(DIALECTS.glob("*/README.md")):
        source = path.relative_to(ROOT).as_posix()
        yield _page(path, source, f"dialects/{path.parent.name}")


def _page(path: Path, source: str, address: str) -> Page:
    return Page(address=address, source=source, text=path.read_text(encoding="utf-8"))


def _generated() -> Iterator[Page]:
    for address, text in api_pages(OPENAPI.read_text(encoding="utf-8")).items():
        yield Page(address=address, source="", text=text)
