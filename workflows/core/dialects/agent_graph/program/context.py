"""The context of one position of a run: its state and the collected changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from workflows.core.dialects.agent_graph.format.model import AgentGraph, Edge, Node
from workflows.core.dialects.agent_graph.program.definition import GraphDefinition
from workflows.core.dialects.agent_graph.program.node_state import (
    NodeState,
    initial_state,
    make_message,
)
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Enter, Next, Outcome, Take
from workflows.core.engine.run import Position, RunState

Wake: TypeAlias = dict[str, str]
"""A node to wake: `node`, and the `label` of the transition for a handoff."""


class GraphContext:
    """State and changes of a run. Changes are visible at once; `outcome` passes them to the engine.
    `position` is None for a message from a person to a node without a position."""

    def __init__(
        self, definition: GraphDefinition, run: RunState, position: Position | None = None
    ) -> None:
        self.definition = definition
        self.run = run
        self.position = position
        self._run_memory: dict[str, Any] = {}
        self._position_memory: dict[str, Any] = {}
        self._drafts: list[Draft] = []
        self._moves: list[Take | Enter] = []
        self._woken: list[str] = []

    # State

    @property
    def current_node(self) -> Node:
        """The node at this position."""
        assert self.position is not None
        return self.node(self.position.state)

    def node(self, id: str) -> Node:
        """A node by id, also one that was removed. Raises KeyError for an unknown one."""
        return self._all_nodes()[id]

    @property
    def graph(self) -> AgentGraph:
        """The graph with all additions of this run, without what people removed from it."""
        added, removed = self.run_value("edges", ()), self.run_value("removed_nodes", ())
        kept = self.run_value("kept_edges", None)
        if not (added or removed or kept is not None or self.run_value("nodes", ())):
            return self.definition.graph
        written = self.definition.graph
        base = written.edges if kept is None else _edges(kept)
        nodes = {id: node for id, node in self._all_nodes().items() if id not in removed}
        return replace(written, nodes=nodes, edges=(*base, *_edges(added)))

    def _all_nodes(self) -> dict[str, Node]:
        made = (Node.of(item) for item in self.run_value("nodes", ()))
        more = {node.id: node for node in made if node is not None}
        return {**self.definition.graph.nodes, **more}

    def run_value(self, name: str, usual: Any) -> Any:
        """A value of the run's memory."""
        return (
            self._run_memory[name] if name in self._run_memory else self.run.memory.get(name, usual)
        )

    def set_run_value(self, name: str, value: Any) -> None:
        self._run_memory[name] = value

    def position_value(self, name: str, usual: Any = None) -> Any:
        """A value of this position's memory."""
        if name in self._position_memory:
            return self._position_memory[name]
        return self.position.memory.get(name, usual) if self.position else usual

    def set_position_values(self, **notes: Any) -> None:
        self._position_memory.update(notes)

    def count(self, name: str) -> int:
        """The next number of a counter of this run."""
        number: int = self.run_value("counts", {}).get(name, 0) + 1
        self.set_run_value("counts", {**self.run_value("counts", {}), name: number})
        return number

    def node_state(self, id: str) -> NodeState:
        kept = self.run_value(f"node:{id}", None)
        if kept is not None:
            return NodeState.of(kept)
        message = self.run.inputs.get("message", "") if id == self.definition.graph.entry else ""
        return initial_state(self.node(id), message)

    def set_node_state(self, id: str, node_state: NodeState) -> None:
        self.set_run_value(f"node:{id}", node_state.to_json())

    def queue(self, id: str, **more: Any) -> None:
        """Add to a node's queues: `message` (interruptions go to the front), `envelope` or
        `results`."""
        node_state = self.node_state(id)
        queued = node_state.queued
        message = more.get("message")
        if message is not None and message.get("interrupt"):
            queued = replace(queued, messages=(message, *queued.messages))
        elif message is not None:
            queued = replace(queued, messages=(*queued.messages, message))
        if "envelope" in more:
            queued = replace(queued, inbox=(*queued.inbox, more["envelope"]))
        if "results" in more:
            queued = replace(queued, results=(*queued.results, *more["results"]))
        self.set_node_state(id, replace(node_state, queued=queued))

    @property
    def run_mode(self) -> str:
        mode: str = self.run_value("run_mode", self.definition.graph.run_mode)
        return mode

    @property
    def global_mode(self) -> str:
        mode: str = self.run_value(
            "global_mode", self.definition.mode or self.definition.graph.global_mode
        )
        return mode

    @property
    def goal(self) -> str:
        return self.run.inputs.get("goal", "") or self.definition.graph.goal

    def is_awake(self, id: str) -> bool:
        """True if the node has a position, or gets one with this outcome."""
        return id in self._woken or any(place.state == id for place in self.run.positions)

    def status(self, id: str) -> str:
        """The status of a node: idle, running, blocked (waits for a person), failed, stalled,
        stopped."""
        for place in self.run.positions:
            if place.state == id:
                if self.position is not None and place.id == self.position.id:
                    return "running"
                phase = place.memory.get("phase", "")
                return {"approval": "blocked", "stalled": "blocked", "idle": "idle"}.get(
                    phase, "running"
                )
        return self.node_state(id).standing

    def active_nodes(self) -> list[str]:
        """The active nodes except this one. A removed node is about to leave."""
        mine = self.position.id if self.position else ""
        there = [place.state for place in self.run.positions if place.id != mine]
        removed = self.run_value("removed_nodes", ())
        return [id for id in (*there, *self._woken) if id not in removed]

    # Changes

    def record(self, type: str, **fields: Any) -> None:
        """Add an event of this dialect, `agent_graph.<type>`."""
        self._drafts.append(Draft(type=f"agent_graph.{type}", fields=fields))

    def record_common(self, type: str, **fields: Any) -> None:
        """Add an event that every dialect has."""
        self._drafts.append(Draft(type=type, fields=fields))

    def drafts(self) -> tuple[Draft, ...]:
        """The collected events. The last one has the changes of memory."""
        notes: dict[str, Any] = {}
        if self._run_memory:
            notes["run_memory"] = dict(self._run_memory)
        if self._position_memory:
            notes["memory"] = dict(self._position_memory)
        if not notes:
            return tuple(self._drafts)
        if not self._drafts:
            self._drafts.append(Draft(type="agent_graph.noted"))
        *before, last = self._drafts
        if self.position is not None:
            notes = {"position": self.position.id, "state": self.position.state, **notes}
        return (*before, Draft(type=last.type, fields={**last.fields, **notes}))

    def outcome(self, next: Next) -> Outcome:
        """The outcome with all changes, and with the nodes that `wake_pending` has woken."""
        return Outcome(drafts=self.drafts(), beside=tuple(self._moves), next=next)

    def wake(self, id: str, label: str = "") -> None:
        """Wake a node at the end of this turn, so that it gets all handoffs of one reply at once.
        `label` is the transition's; "" for a spawned node or a message."""
        self.set_position_values(
            wakes=[*self.position_value("wakes", ()), {"node": id, "label": label}]
        )

    def wake_pending(self) -> None:
        """Wake the pending nodes with this outcome, along their transitions. For a node that is
        already awake, only the transition is recorded."""
        wakes: list[Wake] = list(self.position_value("wakes", ()))
        removed = self.run_value("removed_nodes", ())
        for one in sorted(wakes, key=lambda one: not one["label"]):
            id, label = one["node"], one["label"]
            if id in removed:
                continue
            enters = not self.is_awake(id) and self.node_state(id).standing == "idle"
            if label:
                self._moves.append(Take(target=id, label=label, enters=enters))
            elif enters:
                self._moves.append(Enter(state=id))
            if enters:
                self._woken.append(id)
        if wakes:
            self.set_position_values(wakes=[])

    def notify_lead(self, text: str) -> None:
        """Send a message to the orchestrator and wake it."""
        lead = self.lead()
        if lead and lead != (self.position.state if self.position else ""):
            self.queue(lead, message=make_message(text, role="system"))
            self.wake(lead)

    def lead(self) -> str:
        """The orchestrator that gets further turns in AUTO: the entry if it is one, else the first;
        "" without one."""
        nodes = self.graph.nodes
        entry = nodes.get(self.graph.entry)
        if entry is not None and entry.is_orchestrator:
            return entry.id
        return next((node.id for node in nodes.values() if node.is_orchestrator), "")


def _edges(items: Iterable[Any]) -> tuple[Edge, ...]:
    return tuple(edge for edge in (Edge.of(item) for item in items) if edge is not None)
