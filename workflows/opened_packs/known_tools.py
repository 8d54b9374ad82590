"""The tools that a pack names, compared with those that exist where it is opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.findings import Finding
from workflows.core.tools.availability import NamedTool, missing, missing_tools_reason
from workflows.core.tools.availability import findings_with_tools as with_tools
from workflows.errors import CannotStart
from workflows.opened_packs.view import View

PER_RULE = 50
"""Findings of one rule that a page gets with a graph or an edit."""
Known: TypeAlias = Callable[[], Mapping[str, ToolSpec]]
"""The tools besides the standard ones; called only for packs that name tools."""


def check_available(named: Collection[NamedTool], available: Collection[str]) -> None:
    """Raise CannotStart if a named tool is neither standard nor known."""
    reason, remedy = missing_tools_reason(missing(named, available))
    if reason:
        raise CannotStart(reason, hint=remedy)


def findings_with_tools(pack_view: View, known: Known) -> tuple[Finding, ...]:
    """The findings of a view, with those about tools as they are known here."""
    named = pack_view.drawn.named_tools
    if not named:
        return pack_view.findings
    return with_tools(pack_view.findings, named, known(), lambda place: place)


def findings_json(findings: Iterable[Finding], *, most: int | None = None) -> list[dict[str, Any]]:
    """Findings as JSON.

    With `most`, at most that number of findings per rule; the last one has `more`, the number of
    those left out.
    """
    listed = list(findings)
    if most is None:
        return [finding.to_json() for finding in listed]
    totals = Counter(finding.code for finding in listed)
    counts: Counter[str] = Counter()
    shown = []
    for finding in listed:
        counts[finding.code] += 1
        if counts[finding.code] > most:
            continue
        left_out = totals[finding.code] - most if counts[finding.code] == most else 0
        shown.append(finding.to_json() | ({"more": left_out} if left_out > 0 else {}))
    return shown


def with_tool_names(schema: Any, known: Known) -> Any:
    """A form's schema with the names of the known tools in every field for tools."""
    return _completed(schema, list(known())) if _has_tools(schema) else schema


def _has_tools(schema: Any) -> bool:
    match schema:
        case dict():
            return schema.get("x-tools") is True or any(map(_has_tools, schema.values()))
        case list():
            return any(map(_has_tools, schema))
        case _:
            return False


def _completed(schema: Any, names: list[str]) -> Any:
    match schema:
        case dict():
            whole = {key: _completed(value, names) for key, value in schema.items()}
            if whole.get("x-tools") is True:
                whole["x-choices"] = list(dict.fromkeys([*whole.get("x-choices", ()), *names]))
            return whole
        case list():
            return [_completed(item, names) for item in schema]
        case _:
            return schema
