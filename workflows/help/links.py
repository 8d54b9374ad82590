"""The links of the pages that lead nowhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from workflows.help.markdown import rendered
from workflows.help.pages import files, pages


def broken_links() -> list[str]:
    """One line for each link to a page, part or file that does not exist. Links to other servers
    are not followed."""
    return list(_broken(frozenset(files())))


def _broken(names: frozenset[str]) -> Iterator[str]:
    for address in pages():
        for link in rendered(address).links:
            path, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            target = posixpath.normpath(posixpath.join("/", address, path)).strip("/")
            if target in names and not anchor:
                continue
            if target not in pages():
                yield f"{address or 'index'}: {link} leads to no page"
            elif anchor and anchor not in rendered(target).anchors:
                yield f"{address or 'index'}: {link} leads to no part of its page"
