"""Short JSON of packs for a model that reads it: nothing that is empty, and lists up to a limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workflows.consequences.consequences import Consequences
from workflows.core.compare.difference import Changes, Difference
from workflows.core.compare.json_values import ABSENT
from workflows.core.pack.findings import Finding
from workflows.core.pack.graph import Graph, Offer
from workflows.core.rules.worst_case import WorstCase
from workflows.core.text.json.document import pointer_text

MOST = 60
"""Entries of one list in an answer."""
LONGEST = 400
"""Characters of a text in an answer."""
LONGEST_ERROR = 4_000
REQUESTED = frozenset({"value", "fix", "diff", "help"})
"""Members of answers with whole texts."""
MOST_CHOICES = 12

IN_WORST_CASE = ("GR114", "WS605")
"""Codes of hints that repeat the worst case."""

Json = Any


def without_empty(body: Mapping[str, Json]) -> dict[str, Json]:
    """The entries with a value. 0 and false are values."""
    return {key: value for key, value in body.items() if value not in (None, "", [], {}, ())}


def listed(name: str, items: Iterable[Json]) -> dict[str, Json]:
    """A list, and the number of entries that are left out."""
    whole = list(items)
    return without_empty({name: whole[:MOST], f"more_{name}": max(len(whole) - MOST, 0) or None})


def graph_json(graph: Graph, levels: Sequence[str]) -> dict[str, Json]:
    """States by kind, transitions as `source|label|target`."""
    shown = graph.states[:MOST]
    kinds: dict[str, list[str]] = {}
    for state in shown:
        kinds.setdefault(state.kind, []).append(state.id)
    ids = {state.id for state in shown}
    transitions = [one for one in graph.transitions if one.source in ids]
    return without_empty(
        {
            "entries": [entry.state for entry in graph.entries],
            "states": kinds,
            "more_states": len(graph.states) - len(shown) or None,
            "ends": [state.id for state in shown if state.terminal],
            "max_visits": {one.id: one.max_visits for one in shown if one.max_visits is not None},
            "opens_level": {one.id: one.inside for one in shown if one.inside},
            "levels": [level for level in levels if level],
            **listed("transitions", (one.id for one in transitions)),
            "never_taken": [one.id for one in transitions if one.inert][:MOST],
        }
    )


def near(graph: Graph, states: Iterable[str], depth: int) -> Graph:
    """The part of a graph at most `depth` transitions away from these states."""
    ids = set(states)
    for _ in range(depth):
        ids |= {
            end
            for one in graph.transitions
            for end in (one.source, one.target)
            if one.source in ids or one.target in ids
        }
    return replace(
        graph,
        states=tuple(one for one in graph.states if one.id in ids),
        transitions=tuple(
            one for one in graph.transitions if one.source in ids and one.target in ids | {""}
        ),
        entries=tuple(one for one in graph.entries if one.state in ids),
    )


def finding_json(finding: Finding, *, fix: bool = False) -> dict[str, Json]:
    """A finding with its proof."""
    edits = [edit.to_json() for edit in finding.fix.edits] if fix and finding.fix else []
    return without_empty(
        {
            "code": finding.code,
            "level": finding.level,
            "message": finding.message,
            "line": finding.place.line or None,
            "element": finding.place.element,
            "hint": finding.hint,
            "walk": list(finding.walk[-MOST_CHOICES:]),
            "fix": edits,
        }
    )


def offer_json(offer: Offer) -> dict[str, Json]:
    targets = "any state" if offer.targets is None else list(offer.targets[:MOST_CHOICES])
    return without_empty(
        {
            "label": offer.label or "any new name",
            "kind": "" if offer.kind == "event" else offer.kind,
            "targets": targets or "none",
            "rule": offer.rule,
            "reason": offer.reason,
        }
    )


def fields_json(schema: Mapping[str, Any], prefix: str = "", depth: int = 2) -> dict[str, Json]:
    """Pointer → type or choices, of the fields that can be set."""
    found: dict[str, Json] = {}
    properties = schema.get("properties")
    for name, about in (properties if isinstance(properties, Mapping) else {}).items():
        if about.get("readOnly") or about.get("x-computed"):
            continue
        pointer = prefix + pointer_text((name,))
        if depth and about.get("type") == "object" and about.get("properties"):
            found |= fields_json(about, pointer, depth - 1)
            continue
        choices = about.get("enum") or about.get("x-choices")
        found[pointer] = list(choices[:MOST_CHOICES]) if choices else about.get("type", "any")
    return found


def shortened(value: Json, most: int = LONGEST) -> Json:
    """A value with its long texts cut, but those that a caller has requested by name."""
    match value:
        case str() if len(value) > most:
            return f"{value[:most]}… ({len(value):,} characters)"
        case dict():
            return {
                shortened(key): one if key in REQUESTED else shortened(one, most)
                for key, one in value.items()
            }
        case list():
            return [shortened(one, most) for one in value]
        case _:
            return value


def difference_json(found: Difference, *, values: bool) -> dict[str, Json]:
    """Changes by kind. `values`: with the old and new value of each field."""
    kinds = {"states": found.states, "transitions": found.transitions, "objects": found.objects}
    fields: dict[str, Json] = {}
    for element in found.elements:
        for change in element.fields:
            name = f"{element.element} {pointer_text(change.pointer)}".rstrip()
            fields[name] = [_value(change.was), _value(change.now)]
    for file in found.files:
        for change in file.fields:
            name = f"file:{file.path} {pointer_text(change.pointer)}".rstrip()
            fields[name] = [_value(change.was), _value(change.now)]
    return without_empty(
        {
            **{name: _changes(changes) for name, changes in kinds.items()},
            "entries": [[one.key, one.was, one.now] for one in found.entries],
            "fields": dict(list(fields.items())[:MOST]) if values else list(fields)[:MOST],
            "more_fields": max(len(fields) - MOST, 0) or None,
            "reformatted": list(found.reformatted),
        }
    )


def _changes(changes: Changes) -> dict[str, Json]:
    body = changes.to_json()
    body["renamed"] = [list(pair) for pair in changes.renamed]
    del body["changed"]  # `fields` has the changes.
    parts = [listed(name, items) for name, items in body.items() if isinstance(items, list)]
    return {name: value for part in parts for name, value in part.items()}


def _value(value: Any) -> Json:
    return None if value is ABSENT else value


def consequences_json(found: Consequences, *, diff: bool) -> dict[str, Json]:
    """Consequences of a proposal, without the parts that stay the same."""
    was, now = (_bounds(worst) for worst in found.worst)
    new, fixed = (
        [one for one in findings if one.code not in IN_WORST_CASE]
        for findings in (found.findings_new, found.findings_fixed)
    )
    body: dict[str, Json] = {
        "readable": None if found.readable else False,
        "parts": [list(part) for part in found.parts] if len(found.parts) > 1 else None,
        "changes": difference_json(found.difference, values=False) if found.difference else None,
        "lines": {one["path"]: _lines(one["diff"]) for one in found.files},
        **listed("findings_new", map(finding_json, new)),
        **listed("findings_fixed", (f"{one.code} {one.message}" for one in fixed)),
        "worst_case": None if was == now else {"before": was, "after": now},
    }
    if found.coverage is not None:
        body["coverage"] = [
            one.problem or f"{len(one.taken)} of {len(one.all)}" for one in found.coverage
        ]
        body |= listed("no_longer_taken", found.lost)
    if found.diverging_runs is not None:
        body["runs_replayed"] = found.runs
        runs = ({"run": one.run, "first_event": one.message} for one in found.diverging_runs)
        body |= listed("diverging_runs", runs)
    if found.cases:
        body["cases"] = len(found.cases)
        breaking = ({"case": one.case, "why": one.message} for one in found.breaking)
        body |= listed("cases_that_break", breaking)
        body |= listed("cases_that_hold_now", (one.case for one in found.cases if one.mended))
    if diff:
        body["diff"] = "".join(one["diff"] for one in found.files)
    return without_empty(body)


def _lines(diff: str) -> str:
    """The number of added and removed lines."""
    lines = [line for line in diff.splitlines() if not line.startswith(("+++", "---"))]
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"+{added} -{removed}"


def _bounds(worst: WorstCase | None) -> dict[str, Json] | None:
    return None if worst is None else worst_json(worst)


def worst_json(worst: WorstCase) -> dict[str, Json]:
    """The most of one run; "no bound" if the files set none."""
    names = {"states": worst.visits, "model_calls": worst.calls, "tokens_written": worst.tokens}
    return {name: "no bound" if most is None else most for name, most in names.items()}
