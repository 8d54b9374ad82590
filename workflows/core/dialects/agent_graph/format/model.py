"""The graph of a pack: the parsed JSON with the defaults of the format.

Built from any JSON, valid or not. Values of the wrong shape count as missing, which rules report. A
node without an id, and the second node with the same id, are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, cast

from workflows.core.dialects.agent_graph.format.vocabulary import (
    CLI_MODES,
    DEFAULT_NODES,
    DEFAULT_PROVIDER,
    DEFAULT_STALL_THRESHOLD,
    DEFAULT_TURNS,
    EDGE_TYPES,
    GLOBAL_MODES,
    RUN_MODES,
    SCOPES,
    default_label,
    is_orchestrator,
)
from workflows.core.text.tolerant import as_list, as_str, as_str_list

Scope: TypeAlias = Literal["none", "self", "all"]
CliMode: TypeAlias = Literal["skip", "gated"]
EdgeType: TypeAlias = Literal["handoff", "report"]
RunMode: TypeAlias = Literal["AUTO", "INTERACTIVE"]
GlobalMode: TypeAlias = Literal["PLANNING", "IMPLEMENTATION"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Rights of a node by its own settings. Its template limits them further (permissions.py)."""

    edge_management: Scope = "none"
    run_commands: bool = True
    write_code: bool = True
    write_docs: bool = True
    delegate_only: bool = False

    @classmethod
    def of(cls, value: object, *, orchestrator: bool) -> Capabilities:
        """From a node's `capabilities`, with the defaults of spec page 3.4."""
        fields = mapping(value)
        usual: Scope = "all" if orchestrator else "none"
        return cls(
            edge_management=cast(Scope, among(fields.get("edgeManagement"), SCOPES, usual)),
            run_commands=flag(fields.get("runCommands"), True),
            write_code=flag(fields.get("writeCode"), True),
            write_docs=flag(fields.get("writeDocs"), True),
            delegate_only=flag(fields.get("delegateOnly"), False),
        )

    def to_json(self) -> dict[str, Any]:
        """With the spelling of files and the task payload."""
        return {
            "edgeManagement": self.edge_management,
            "runCommands": self.run_commands,
            "writeCode": self.write_code,
            "writeDocs": self.write_docs,
            "delegateOnly": self.delegate_only,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """Calls of a node that need approval. For roles other than orchestrator, changes of the graph
    always need it, regardless of the file (spec page 4.2)."""

    cli_mode: CliMode = "skip"
    graph_needs_approval: bool = True

    @classmethod
    def of(cls, value: object, *, orchestrator: bool) -> Permissions:
        fields = mapping(value)
        needs_approval = flag(fields.get("agentManagementRequiresApproval"), not orchestrator)
        return cls(
            cli_mode=cast(CliMode, among(fields.get("cliPermissionsMode"), CLI_MODES, "skip")),
            graph_needs_approval=needs_approval or not orchestrator,
        )

    def to_json(self) -> dict[str, Any]:
        """With the spelling of files and the task payload."""
        return {
            "cliPermissionsMode": self.cli_mode,
            "agentManagementRequiresApproval": self.graph_needs_approval,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An agent. `role` names its template. `index` is its position in the file's list of nodes, -1
    for a node that is not in the file."""

    id: str
    role: str
    label: str = ""
    alias: str = ""
    provider: str = DEFAULT_PROVIDER
    model: str = ""
    capabilities: Capabilities = Capabilities()
    permissions: Permissions = Permissions()
    custom_system_prompt: str = ""
    override: str = ""
    instructions: str = ""
    index: int = -1

    @classmethod
    def of(cls, value: object, index: int = -1) -> Node | None:
        """From one element of `nodes`; None without an id."""
        fields = mapping(value)
        id = as_str(fields.get("id"))
        if not id:
            return None
        role = as_str(fields.get("role"))
        orchestrator = is_orchestrator(role)
        return cls(
            id=id,
            role=role,
            label=as_str(fields.get("label")) or id,
            alias=as_str(fields.get("alias")).strip(),
            provider=as_str(fields.get("provider")) or DEFAULT_PROVIDER,
            model=as_str(fields.get("model")),
            capabilities=Capabilities.of(fields.get("capabilities"), orchestrator=orchestrator),
            permissions=Permissions.of(fields.get("permissions"), orchestrator=orchestrator),
            custom_system_prompt=as_str(fields.get("customSystemPrompt")),
            override=as_str(fields.get("override")),
            instructions=as_str(fields.get("instructions")),
            index=index,
        )

    @property
    def is_orchestrator(self) -> bool:
        return is_orchestrator(self.role)

    def to_json(self) -> dict[str, Any]:
        """One element of `nodes` with every field."""
        return {
            "id": self.id,
            "label": self.label,
            "alias": self.alias,
            "role": self.role,
            "provider": self.provider,
            "model": self.model,
            "capabilities": self.capabilities.to_json(),
            "permissions": self.permissions.to_json(),
            "customSystemPrompt": self.custom_system_prompt,
            "override": self.override,
            "instructions": self.instructions,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Permission to hand off from `source` to `target`, and back if two-way. Both are node ids,
    which may not exist."""

    source: str
    target: str
    type: EdgeType = "handoff"
    bidirectional: bool = True
    label: str = "task"
    index: int = -1

    @classmethod
    def of(cls, value: object, index: int = -1) -> Edge | None:
        """From one element of `edges`; None if an end is missing."""
        fields = mapping(value)
        source, target = as_str(fields.get("from")), as_str(fields.get("to"))
        if not source or not target:
            return None
        kind = cast(EdgeType, among(fields.get("type"), EDGE_TYPES, "handoff"))
        return cls(
            source=source,
            target=target,
            type=kind,
            bidirectional=flag(fields.get("bidirectional"), True),
            label=as_str(fields.get("label")) or default_label(kind),
            index=index,
        )

    @property
    def key(self) -> tuple[str, str, str]:
        """The unique key of an edge (spec page 6.1)."""
        return (self.source, self.target, self.type)

    def lets(self, sender: str, receiver: str) -> bool:
        """True if this edge permits a handoff in this direction, regardless of its type."""
        ends = (self.source, self.target)
        return ends == (sender, receiver) or (self.bidirectional and ends == (receiver, sender))

    def to_json(self) -> dict[str, Any]:
        """One element of `edges` with every field."""
        return {
            "from": self.source,
            "to": self.target,
            "type": self.type,
            "bidirectional": self.bidirectional,
            "label": self.label,
        }


@dataclass(frozen=True, kw_only=True)
class AgentGraph:
    """The whole pack."""

    name: str = ""
    goal: str = ""
    definition_of_done: tuple[str, ...] = ()
    run_mode: RunMode = "AUTO"
    global_mode: GlobalMode = "IMPLEMENTATION"
    declared_entry: str = ""
    """`entry` in the file, which may name no node. See `entry`."""
    stall_threshold: int = DEFAULT_STALL_THRESHOLD
    most_nodes: int = DEFAULT_NODES
    most_turns: int = DEFAULT_TURNS
    nodes: Mapping[str, Node] = field(default_factory=dict)
    """By id, in file order."""
    edges: tuple[Edge, ...] = ()
    """In file order, with duplicates."""

    @classmethod
    def of(cls, value: object) -> AgentGraph:
        """From the parsed JSON of any pack, valid or not."""
        fields = mapping(value)
        limits = mapping(fields.get("limits"))
        nodes: dict[str, Node] = {}
        for index, item in enumerate(as_list(fields.get("nodes"))):
            node = Node.of(item, index)
            if node is not None:
                nodes.setdefault(node.id, node)
        made = (Edge.of(item, at) for at, item in enumerate(as_list(fields.get("edges"))))
        return cls(
            name=as_str(fields.get("name")),
            goal=as_str(fields.get("goal")),
            definition_of_done=tuple(as_str_list(fields.get("definition_of_done"))),
            run_mode=cast(RunMode, among(fields.get("run_mode"), RUN_MODES, "AUTO")),
            global_mode=cast(
                GlobalMode, among(fields.get("global_mode"), GLOBAL_MODES, "IMPLEMENTATION")
            ),
            declared_entry=as_str(fields.get("entry")),
            stall_threshold=count(fields.get("stall_threshold"), DEFAULT_STALL_THRESHOLD),
            most_nodes=count(limits.get("nodes"), DEFAULT_NODES),
            most_turns=count(limits.get("turns"), DEFAULT_TURNS),
            nodes=nodes,
            edges=tuple(edge for edge in made if edge is not None),
        )

    @cached_property
    def entry(self) -> str:
        """The node at which a run starts: `entry`, else the first orchestrator, else the first
        node; "" for a pack without nodes."""
        if self.declared_entry in self.nodes:
            return self.declared_entry
        leads = (node.id for node in self.nodes.values() if node.is_orchestrator)
        return next(leads, next(iter(self.nodes), ""))

    @cached_property
    def _aliases(self) -> dict[str, str]:
        ids: dict[str, str] = {}
        for node in self.nodes.values():
            if node.alias:
                ids.setdefault(node.alias.casefold(), node.id)
        return ids

    def resolve(self, name: str) -> Node | None:
        """A node by its exact id, else by its alias in upper or lower case. Labels never match
        (5.4)."""
        return self.nodes.get(name) or self.nodes.get(self._aliases.get(name.casefold(), ""))

    def lets(self, sender: str, receiver: str) -> bool:
        """True if an edge permits a handoff between these two ids, in this direction."""
        return any(edge.lets(sender, receiver) for edge in self.edges)


def mapping(value: object) -> Mapping[str, Any]:
    """The object, or an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def flag(value: object, usual: bool) -> bool:
    return value if isinstance(value, bool) else usual


def among(value: object, choices: tuple[str, ...], usual: str) -> str:
    return value if isinstance(value, str) and value in choices else usual


def count(value: object, usual: int) -> int:
    """A whole number of at least one."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and isinstance(value, int) and value >= 1 else usual
