"""The text of a pack and its elements: their ranges, a check while typing, find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.pack.edits import Edit, EditRefused, WriteFile
from workflows.core.pack.files import BadFiles
from workflows.core.pack.find import AREAS, Query
from workflows.core.pack.find import find as find_in
from workflows.core.pack.text_ranges import text_ranges
from workflows.errors import NotThere, Refused
from workflows.models import Pack
from workflows.selectors.revisions import file_differences
from workflows.selectors.sources import view

MAX_MATCHES = 500


def ranges(pack: Pack, path: str, number: int | None = None) -> list[dict[str, object]]:
    """The text of each element in one file. Raises NotThere."""
    seen = view(pack, number)
    if path not in seen.source.files:
        raise NotThere(f"This pack has no file {path!r}.", where="path")
    return [one.to_json() for one in text_ranges(seen.dialect, seen.source, seen.graph, path)]


def check_text(pack: Pack, path: str, text: str) -> dict[str, Any]:
    """Return True if the pack can be drawn with this text, and the errors of reading the file.

    Raises Refused for a text that the file cannot have."""
    seen = view(pack)
    try:
        after = seen.dialect.apply(seen.source, WriteFile(path=path, text=text))
    except (EditRefused, BadFiles) as refused:
        raise Refused(refused.message, hint=refused.hint, where=path) from refused
    errors = [
        finding
        for finding in after.findings
        if finding.level == "error" and finding.place.path == path
    ]
    known = {finding.code for finding in seen.source.findings if finding.place.path == path}
    broken = not after.readable or any(finding.code not in known for finding in errors)
    return {"readable": not broken, "findings": [finding.to_json() for finding in errors]}


def find(pack: Pack, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Matches of a query, the edits that replace them, and what the edits change. Edits that are
    not possible are left out, with the reason in `refused`."""
    seen = view(pack)
    query = Query(
        text=asked["query"],
        replacement=asked.get("replacement"),
        match_case=asked.get("match_case", False),
        whole_words=asked.get("whole_words", False),
        areas=tuple(asked.get("areas") or AREAS),
        only=frozenset(asked["only"]) if asked.get("only") is not None else None,
    )
    found = find_in(seen.dialect, seen.source, seen.graph, query)
    after = seen.source
    edits: list[Edit] = []
    problems: list[str] = []
    for edit in found.edits:
        try:
            after = seen.dialect.apply(after, edit)
        except (EditRefused, BadFiles) as refused:
            problems.append(refused.message)
        else:
            edits.append(edit)
    return {
        "revision": pack.head,
        "matches": [match.to_json() for match in found.matches[:MAX_MATCHES]],
        "truncated": len(found.matches) > MAX_MATCHES,
        "edits": [edit.to_json() for edit in edits],
        "refused": problems,
        "files": file_differences(seen.source.files, after.files),
    }
