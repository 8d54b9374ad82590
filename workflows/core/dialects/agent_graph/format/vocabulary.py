"""The vocabulary of files and messages of an agent graph (spec page section 1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RUN_MODES = ("AUTO", "INTERACTIVE")
GLOBAL_MODES = ("PLANNING", "IMPLEMENTATION")
EDGE_TYPES = ("handoff", "report")
SCOPES = ("none", "self", "all")
"""Edge-management scopes, narrowest first."""
CLI_MODES = ("skip", "gated")
PROVIDERS = ("codex", "claude", "gemini", "custom")
TOOLS = (
    "command",
    "read_file",
    "write_file",
    "list_files",
    "delete_file",
    "spawn_node",
    "create_edge",
    "send_handoff",
    "complete_run",
)
"""The eight tools of the protocol, and Signalbox's own `complete_run`."""
GRAPH_TOOLS = ("spawn_node", "create_edge", "send_handoff")
EXPECTATIONS = ("none", "optional", "required")

ORCHESTRATOR = "orchestrator"
"""The role whose nodes may manage the graph, and which gets further turns in AUTO."""
MARK = "agent_graph"
"""The top-level key that marks a file; its value is the version of the format."""
VERSION = 1

DEFAULT_STALL_THRESHOLD = 3
DEFAULT_NODES = 12
DEFAULT_TURNS = 60
DEFAULT_PROVIDER = "custom"
BINDINGS: Mapping[str, Mapping[str, Any]] = {
    "command": {"kind": "command", "settings": {"timeout": 600}},
    "read_file": {"kind": "files", "settings": {"operation": "read"}},
    "write_file": {"kind": "files", "settings": {"operation": "write"}},
    "list_files": {"kind": "files", "settings": {"operation": "entries"}},
    "delete_file": {"kind": "files", "settings": {"operation": "delete"}},
}
"""Default bindings of the workspace tools: all use the run's own folder."""


def default_label(edge_type: str) -> str:
    """The label of an edge without one (spec page 5.3)."""
    return "report" if edge_type == "report" else "task"


def is_orchestrator(role: str) -> bool:
    """Compares the name only, in upper or lower case, without surrounding spaces (spec page
    3.4)."""
    return role.strip().lower() == ORCHESTRATOR
