"""Additions of a run, written into the author's file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.agent_graph.packs import pack
from workflows.core.dialects.agent_graph.edits.run_additions import with_additions
from workflows.core.engine.events import Event
from workflows.core.pack.edits import EditRefused

TEXT = """{
    "agent_graph" : 1,   "mine": [1,2],
    "nodes": [
        {"id": "lead", "role": "orchestrator"}
    ]
}
"""


def events(*added: dict[str, Any]) -> list[Event]:
    types = {"node": "agent_graph.node_added", "edge": "agent_graph.edge_added"}
    return [
        Event(n=n, at=1.0, type=types[next(iter(fields))], fields=fields)
        for n, fields in enumerate(added, start=1)
    ]


WRITER = {
    "id": "writer",
    "label": "Writer",
    "alias": "w",
    "role": "implementer",
    "provider": "codex",
    "model": "",
    "capabilities": {
        "edgeManagement": "none",
        "runCommands": False,
        "writeCode": True,
        "writeDocs": True,
        "delegateOnly": False,
    },
    "permissions": {"cliPermissionsMode": "skip", "agentManagementRequiresApproval": True},
    "customSystemPrompt": "",
    "override": "",
    "instructions": "",
}
EDGE = {"from": "lead", "to": "writer", "type": "handoff", "bidirectional": True, "label": "task"}
REPORT = {**EDGE, "from": "writer", "to": "lead", "type": "report", "bidirectional": False}


def test_agents_and_edges_are_written_in_the_files_own_style_and_all_else_stays() -> None:
    source = pack(TEXT)
    after = with_additions(source, events({"node": WRITER}, {"edge": EDGE}, {"edge": REPORT}))
    written = after.files[source.main]
    rest = iter(written)
    assert all(byte in rest for byte in TEXT.encode()), "nothing of the author's is taken away"
    assert json.loads(written)["nodes"][1] == {
        "id": "writer",
        "label": "Writer",
        "alias": "w",
        "role": "implementer",
        "provider": "codex",
        "capabilities": {"runCommands": False},
    }
    assert json.loads(written)["edges"] == [
        {"from": "lead", "to": "writer"},
        {"from": "writer", "to": "lead", "type": "report", "bidirectional": False, "label": "task"},
    ]
    assert b'\n        {"id": "lead", "role": "orchestrator"},\n        {' in written
    assert after.shape.nodes["writer"].to_json() == WRITER
    assert [edge.to_json() for edge in after.shape.edges] == [EDGE, REPORT]


def test_existing_nodes_and_edges_are_not_added_twice() -> None:
    once = with_additions(pack(TEXT), events({"node": WRITER}, {"edge": EDGE}))
    more = with_additions(once, events({"node": WRITER}, {"edge": EDGE}, {"edge": REPORT}))
    assert list(more.shape.nodes) == ["lead", "writer"]
    assert len(more.shape.edges) == 2
    with pytest.raises(EditRefused, match="added no agents and no edges"):
        with_additions(more, events({"node": WRITER}, {"edge": EDGE}, {"edge": REPORT}))


def test_a_file_that_is_no_graph_takes_nothing() -> None:
    with pytest.raises(EditRefused, match="not a readable agent graph"):
        with_additions(pack("{"), events({"node": WRITER}))


def test_removals_are_written_too() -> None:
    source = pack(TEXT)
    removed = [
        Event(
            n=8,
            at=1.0,
            type="agent_graph.edge_removed",
            fields={"edge": EDGE, "transition": "writer|task|lead"},
        ),
    ]
    after = with_additions(source, [*events({"node": WRITER}, {"edge": EDGE}), *removed])
    assert list(after.transitions) == ["lead|task|writer"]
    gone = Event(n=9, at=1.0, type="agent_graph.node_removed", fields={"node": "writer"})
    last = with_additions(source, [*events({"node": WRITER}, {"edge": EDGE}), *removed, gone])
    assert json.loads(last.files[source.main]) == {**json.loads(TEXT), "edges": []}
