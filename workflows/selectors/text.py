"""The text of a pack and its elements: their ranges, a check while typing, find."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from workflows.core.pack.edits import EditRefused, WriteFile
from workflows.core.pack.files import BadFiles
from workflows.core.pack.find import AREAS, FindResult, Query
from workflows.core.pack.find import find as find_in
from workflows.core.pack.replacement import Replacement, replacement
from workflows.core.pack.text_ranges import PackRanges
from workflows.errors import NotThere, Refused
from workflows.models import Pack
from workflows.selectors.revisions import file_differences
from workflows.selectors.sources import view
from workflows.selectors.work_limits import limited

MAX_MATCHES = 500


def ranges(pack: Pack, path: str, number: int | None = None) -> list[dict[str, object]]:
    """The text of each element in one file. Raises NotThere."""
    pack_view = view(pack, number)
    if path not in pack_view.source.files:
        raise NotThere(f"This pack has no file {path!r}.", where="path")
    ranges_of = PackRanges(pack_view.dialect, pack_view.source, pack_view.graph).of
    found = limited(
        "Finding the elements of this file", pack_view.source.files.size, lambda: ranges_of(path)
    )
    return [one.to_json() for one in found]


def check_text(pack: Pack, path: str, text: str) -> dict[str, Any]:
    """Return True if the pack can be drawn with this text, and the errors of reading the file.

    Raises Refused for a text that the file cannot have."""
    pack_view = view(pack)
    write = partial(pack_view.dialect.apply, pack_view.source, WriteFile(path=path, text=text))
    try:
        after = limited("Reading this text", pack_view.source.files.size + len(text), write)
    except (EditRefused, BadFiles) as refused:
        raise Refused(refused.message, hint=refused.hint, where=path) from refused
    errors = [
        finding
        for finding in after.findings
        if finding.level == "error" and finding.place.path == path
    ]
    codes = {finding.code for finding in pack_view.source.findings if finding.place.path == path}
    broken = not after.readable or any(finding.code not in codes for finding in errors)
    return {"readable": not broken, "findings": [finding.to_json() for finding in errors]}


def find(pack: Pack, params: Mapping[str, Any]) -> dict[str, Any]:
    """Matches of a query, the edits that replace them, and what the edits change. Edits that are
    not possible are left out, with the reason in `refused`."""
    pack_view = view(pack)
    dialect, source, graph = pack_view.dialect, pack_view.source, pack_view.graph
    query = Query(
        text=params["query"],
        replacement=params.get("replacement"),
        match_case=params.get("match_case", False),
        whole_words=params.get("whole_words", False),
        areas=tuple(params.get("areas") or AREAS),
        only=frozenset(params["only"]) if params.get("only") is not None else None,
    )

    def found() -> tuple[FindResult, Replacement, list[dict[str, Any]]]:
        result = find_in(dialect, source, graph, query)
        plan = replacement(dialect, source, result)
        return result, plan, file_differences(source.files, plan.files)

    result, plan, files = limited("Finding this text", pack_view.source.files.size, found)
    return {
        "revision": pack.head,
        "matches": [match.to_json() for match in result.matches[:MAX_MATCHES]],
        "truncated": len(result.matches) > MAX_MATCHES,
        "edits": [edit.to_json() for edit in plan.edits],
        "refused": list(plan.problems),
        "files": files,
    }
