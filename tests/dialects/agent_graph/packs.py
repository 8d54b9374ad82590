"""Small packs to try things on, and what an edit makes of them."""

from __future__ import annotations

import json
from typing import Any

from workflows.core.dialects import dialects
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding
from workflows.core.pack.graph import Graph
from workflows.core.rules.check import check

DIALECT = dialects()["agent_graph"]
MAIN = "team.agents.json"
TEAM = """\
{
  "agent_graph": 1,
  "goal": "Ship \\u00e9 it",
  "entry": "lead",
  "nodes": [
    {"id": "lead", "role": "orchestrator", "x-own": [1, 2.50]},
    {"id": "coder", "alias": "impl", "role": "implementer"},
    {"id": "checker", "role": "reviewer"}
  ],
  "edges": [
    {"from": "lead", "to": "coder"},
    {"from": "coder", "to": "checker", "bidirectional": false, "label": "diff"},
    {"from": "checker", "to": "lead", "type": "report", "bidirectional": false}
  ]
}
"""


def pack(text: str = TEAM, **templates: str) -> GraphSource:
    """A pack with this main file, and templates by name."""
    beside = {f"docs/templates/{name}.md": body.encode() for name, body in templates.items()}
    return DIALECT.read(Files.of({MAIN: text.encode(), **beside}))


def team(**changes: Any) -> GraphSource:
    """A minimal pack with two agents, some of it changed."""
    whole: dict[str, Any] = {
        "agent_graph": 1,
        "goal": "Do it.",
        "nodes": [{"id": "a", "role": "orchestrator"}, {"id": "b", "role": "implementer"}],
        "edges": [{"from": "a", "to": "b"}],
    }
    whole.update(changes)
    return pack(json.dumps({key: item for key, item in whole.items() if item is not ...}))


def node(**fields: Any) -> dict[str, Any]:
    return {"id": "b", "role": "implementer", **fields}


def graph_of(source: GraphSource) -> Graph:
    return DIALECT.graph(source, "documented")


def transitions_of(source: GraphSource) -> list[str]:
    return [arrow.id for arrow in graph_of(source).transitions]


def ids_of(source: GraphSource) -> list[str]:
    return [state.id for state in graph_of(source).states]


def findings_of(source: GraphSource) -> tuple[Finding, ...]:
    return check(DIALECT, source, "documented")


def codes_of(source: GraphSource) -> list[str]:
    return sorted({finding.code for finding in findings_of(source)})


def applied(source: GraphSource, *edits: Edit) -> GraphSource:
    """The source after these edits, which must equal a fresh source of its files."""
    for edit in edits:
        source = DIALECT.apply(source, edit)
    again = DIALECT.read(source.files)
    assert graph_of(again) == graph_of(source)
    return source


def changed(before: GraphSource, after: GraphSource) -> tuple[list[str], list[str]]:
    """Lines of the main file that went and came."""
    old, new = (one.files[MAIN].decode().splitlines() for one in (before, after))
    return [line for line in old if line not in new], [line for line in new if line not in old]
