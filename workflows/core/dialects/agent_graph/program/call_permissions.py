"""Permissions of calls (agent-graph page 4.1, and section 12 for open points).

Two points are stricter than upstream: commands do not run in PLANNING, and a path outside the
workspace is an ordinary refusal.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from workflows.core.dialects.agent_graph.format.model import Capabilities, Node
from workflows.core.dialects.agent_graph.format.vocabulary import GRAPH_TOOLS
from workflows.core.dialects.agent_graph.program.call_arguments import SHAPES, Refused
from workflows.core.engine.effects import ToolSpec
from workflows.core.tools.call_approvals import CallApproval

WORKSPACE_TOOLS = ("command", "read_file", "write_file", "list_files", "delete_file")
NEEDS_APPROVAL = ("spawn_node", "create_edge")
DOCS = "docs"


def check(
    name: str, request: Mapping[str, Any], rights: Capabilities, global_mode: str, *, leads: bool
) -> None:
    """Check a call against a node's rights. `leads`: the node is an orchestrator. Raises Refused.
    The ends of an edge are checked when it is added."""
    match name:
        case "command":
            _may_command(request, rights, global_mode)
        case "write_file" | "delete_file":
            _may_write(request["path"], rights, global_mode)
        case "read_file" | "list_files":
            inside(request["path"])
        case "spawn_node" if rights.edge_management != "all":
            raise Refused("edgeManagement=all required to spawn nodes")
        case "create_edge" if rights.edge_management == "none":
            raise Refused("edgeManagement capability is disabled")
        case "complete_run" if not leads:
            raise Refused("Only an orchestrator declares the run complete.")


def _may_command(request: Mapping[str, Any], rights: Capabilities, global_mode: str) -> None:
    if not rights.run_commands:
        raise Refused("runCommands capability is disabled")
    if rights.delegate_only:
        raise Refused("delegateOnly is enabled")
    if global_mode == "PLANNING":
        raise Refused("commands are not run in PLANNING mode")
    inside(request.get("cwd", "."))


def _may_write(path: str, rights: Capabilities, global_mode: str) -> None:
    if rights.delegate_only:
        raise Refused("delegateOnly is enabled")
    docs = inside(path).startswith(f"{DOCS}/")
    if global_mode == "PLANNING" and not docs:
        raise Refused("write restricted to docs/ in PLANNING mode")
    if docs and not rights.write_docs:
        raise Refused("writeDocs capability is disabled")
    if not docs and not rights.write_code:
        raise Refused("writeCode capability is disabled")


def inside(path: str) -> str:
    """The normalised path in the workspace. Raises Refused for a path outside of it. The runner
    resolves links, because it has the files."""
    real = posixpath.normpath(path)
    if path.startswith("/") or "\0" in path or real == ".." or real.startswith("../"):
        raise Refused(f"Path escapes repo root: {path}")
    return real


def within(name: str, rights: Capabilities, global_mode: str) -> str:
    """The folder in which a call may write after links are resolved; "" for the whole workspace."""
    writes = name in ("write_file", "delete_file")
    return DOCS if writes and (global_mode == "PLANNING" or not rights.write_code) else ""


def needs_approval(name: str, node: Node) -> bool:
    """True if a person must approve the call. Changes of the graph always need approval, except
    those of an orchestrator without that setting."""
    if node.permissions.cli_mode == "gated":
        return True
    careful = node.permissions.graph_needs_approval or not node.is_orchestrator
    return name in NEEDS_APPROVAL and careful


def declared_approvals(
    nodes: Iterable[Node], rights: Callable[[Node], Capabilities]
) -> tuple[CallApproval, ...]:
    """The calls of these nodes that a person must approve. `rights`: the effective rights of a
    node."""
    listed = tuple(nodes)
    gated = tuple(node.id for node in listed if node.permissions.cli_mode == "gated")
    approvals = [
        CallApproval(
            tool=name,
            states=tuple(
                node.id
                for node in listed
                if node.id not in gated and needs_approval(name, node) and may(rights(node))
            ),
            reason="changes the graph, so a person approves each call",
        )
        for name, may in _CHANGES_OF_GRAPH.items()
    ]
    if gated:
        reason = "may call tools only after a person approved each call"
        approvals.insert(0, CallApproval(tool="", states=gated, reason=reason))
    return tuple(one for one in approvals if one.states)


_CHANGES_OF_GRAPH: Mapping[str, Callable[[Capabilities], bool]] = {
    "spawn_node": lambda rights: rights.edge_management == "all",
    "create_edge": lambda rights: rights.edge_management != "none",
}


def offered(rights: Capabilities, global_mode: str, *, leads: bool) -> tuple[ToolSpec, ...]:
    """The tools that a node may use, for models with native calls."""
    writes = rights.write_docs or (rights.write_code and global_mode != "PLANNING")
    runs = rights.run_commands and global_mode != "PLANNING"
    useless = {
        "command": rights.delegate_only or not runs,
        "write_file": rights.delegate_only or not writes,
        "delete_file": rights.delegate_only or not writes,
        "spawn_node": rights.edge_management != "all",
        "create_edge": rights.edge_management == "none",
        "complete_run": not leads,
    }
    return tuple(spec(name) for name in SHAPES if not useless.get(name))


def spec(name: str) -> ToolSpec:
    """The specification of one tool."""
    description, properties, required = SHAPES[name]
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(name=name, description=description, parameters=parameters)


def workspace_specs() -> tuple[ToolSpec, ...]:
    """The tools that the runner executes."""
    return tuple(spec(name) for name in SHAPES if name in WORKSPACE_TOOLS)


assert set(GRAPH_TOOLS) <= set(SHAPES)
