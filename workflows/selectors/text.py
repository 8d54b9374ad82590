"""The text of a pack and its elements: their ranges, a check while typing, find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.pack.edits import EditRefused
from workflows.core.pack.files import BadFiles
from workflows.core.pack.find import AREAS, Query
from workflows.errors import Refused
from workflows.models import Pack
from workflows.opened_packs.pack_work import on_pack
from workflows.selectors.sources import opened


def check_text(pack: Pack, path: str, text: str) -> dict[str, Any]:
    """Return True if the pack can be drawn with this text, and the errors of reading the file.

    Raises Refused for a text that the file cannot have."""
    here = opened(pack)
    try:
        readable, errors = on_pack(
            "Reading this text", "typed", here.dialect, here.files, path, text
        )
    except (EditRefused, BadFiles) as refused:
        raise Refused(refused.message, hint=refused.hint, where=path) from refused
    codes = {finding.code for finding in here.drawn.problems if finding.place.path == path}
    broken = not readable or any(finding.code not in codes for finding in errors)
    return {"readable": not broken, "findings": [finding.to_json() for finding in errors]}


def find(pack: Pack, params: Mapping[str, Any]) -> dict[str, Any]:
    """Matches of a query, the edits that replace them, and what the edits change. Edits that are
    not possible are left out, with the reason in `refused`."""
    here = opened(pack)
    query = Query(
        text=params["query"],
        replacement=params.get("replacement"),
        match_case=params.get("match_case", False),
        whole_words=params.get("whole_words", False),
        areas=tuple(params.get("areas") or AREAS),
        only=frozenset(params["only"]) if params.get("only") is not None else None,
    )
    result = on_pack("Finding this text", "found", here.dialect, here.files, pack.profile, query)
    return {"revision": pack.head, **result}
