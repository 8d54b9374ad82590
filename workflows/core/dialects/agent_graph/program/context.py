"""One look at a run from one of its positions, with what is to be changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

from workflows.core.dialects.agent_graph.format.model import AgentGraph, Edge, Node
from workflows.core.dialects.agent_graph.program.definition import Play
from workflows.core.dialects.agent_graph.program.node_state import Desk, fresh, spoken
from workflows.core.engine.events import Draft
from workflows.core.engine.program import Enter, Next, Outcome, Take
from workflows.core.engine.run import Position, RunState

Wake: TypeAlias = dict[str, str]
"""Who is to be woken: `node`, and for a handoff the `label` of the arrow that it goes along."""


class Scene:
    """Changes are kept here and seen at once by whoever asks; `out` hands them to the engine.
    `position` None: somebody outside is looking, and no position is theirs."""

    def __init__(self, play: Play, run: RunState, position: Position | None = None) -> None:
        self.play = play
        self.run = run
        self.position = position
        self._kept: dict[str, Any] = {}
        self._noted: dict[str, Any] = {}
        self._drafts: list[Draft] = []
        self._beside: list[Take | Enter] = []
        self._begun: list[str] = []

    # What there is

    @property
    def here(self) -> Node:
        """The node that works at this position."""
        assert self.position is not None
        return self.node(self.position.state)

    def node(self, id: str) -> Node:
        """Raises KeyError for one that is not in the graph (any more)."""
        return self.graph.nodes[id]

    @property
    def graph(self) -> AgentGraph:
        """The graph as it has grown so far."""
        nodes, edges = self.kept("nodes", ()), self.kept("edges", ())
        if not nodes and not edges:
            return self.play.graph
        written = self.play.graph
        more = [node for node in (Node.of(item) for item in nodes) if node is not None]
        drawn = [edge for edge in (Edge.of(item) for item in edges) if edge is not None]
        return replace(
            written,
            nodes={**written.nodes, **{node.id: node for node in more}},
            edges=(*written.edges, *drawn),
        )

    def kept(self, name: str, usual: Any) -> Any:
        """Something of the run's memory."""
        return self._kept[name] if name in self._kept else self.run.memory.get(name, usual)

    def keep(self, name: str, value: Any) -> None:
        self._kept[name] = value

    def noted(self, name: str, usual: Any = None) -> Any:
        """Something of this position's memory."""
        if name in self._noted:
            return self._noted[name]
        return self.position.memory.get(name, usual) if self.position else usual

    def note(self, **notes: Any) -> None:
        self._noted.update(notes)

    def count(self, name: str) -> int:
        """The next number of something that this run counts."""
        number: int = self.kept("counts", {}).get(name, 0) + 1
        self.keep("counts", {**self.kept("counts", {}), name: number})
        return number

    def desk(self, id: str) -> Desk:
        kept = self.kept(f"node:{id}", None)
        if kept is not None:
            return Desk.of(kept)
        message = self.run.inputs.get("message", "") if id == self.play.graph.entry else ""
        return fresh(self.node(id), message)

    def set_desk(self, id: str, desk: Desk) -> None:
        self.keep(f"node:{id}", desk.to_json())

    def queue(self, id: str, **more: Any) -> None:
        """Put something into a node's queues: `message` (interruptions go to the front), `envelope`
        or `results`."""
        desk = self.desk(id)
        queued = desk.queued
        message = more.get("message")
        if message is not None and message.get("interrupt"):
            queued = replace(queued, messages=(message, *queued.messages))
        elif message is not None:
            queued = replace(queued, messages=(*queued.messages, message))
        if "envelope" in more:
            queued = replace(queued, inbox=(*queued.inbox, more["envelope"]))
        if "results" in more:
            queued = replace(queued, results=(*queued.results, *more["results"]))
        self.set_desk(id, replace(desk, queued=queued))

    @property
    def run_mode(self) -> str:
        mode: str = self.kept("run_mode", self.play.graph.run_mode)
        return mode

    @property
    def global_mode(self) -> str:
        mode: str = self.kept("global_mode", self.play.mode or self.play.graph.global_mode)
        return mode

    @property
    def goal(self) -> str:
        return self.run.inputs.get("goal", "") or self.play.graph.goal

    def awake(self, id: str) -> bool:
        """Whether a position is this node's, or one begins with this outcome."""
        return id in self._begun or any(place.state == id for place in self.run.positions)

    def status(self, id: str) -> str:
        """Of a node: idle, running, blocked (a person has to answer), failed, stalled, stopped."""
        for place in self.run.positions:
            if place.state == id:
                if self.position is not None and place.id == self.position.id:
                    return "running"
                phase = place.memory.get("phase", "")
                return {"approval": "blocked", "stalled": "blocked", "idle": "idle"}.get(
                    phase, "running"
                )
        return self.desk(id).standing

    def others_awake(self) -> list[str]:
        """The nodes at work besides this one."""
        mine = self.position.id if self.position else ""
        there = [place.state for place in self.run.positions if place.id != mine]
        return [*there, *self._begun]

    # What is to happen

    def tell(self, type: str, **fields: Any) -> None:
        """An event of this dialect, `agent_graph.<type>`."""
        self._drafts.append(Draft(type=f"agent_graph.{type}", fields=fields))

    def write(self, type: str, **fields: Any) -> None:
        """An event that every dialect has."""
        self._drafts.append(Draft(type=type, fields=fields))

    def drafts(self) -> tuple[Draft, ...]:
        """What happened, with what is to be remembered on the last event."""
        notes: dict[str, Any] = {}
        if self._kept:
            notes["run_memory"] = dict(self._kept)
        if self._noted:
            notes["memory"] = dict(self._noted)
        if not notes:
            return tuple(self._drafts)
        if not self._drafts:
            self._drafts.append(Draft(type="agent_graph.noted"))
        *before, last = self._drafts
        if self.position is not None:
            notes = {"position": self.position.id, "state": self.position.state, **notes}
        return (*before, Draft(type=last.type, fields={**last.fields, **notes}))

    def out(self, next: Next) -> Outcome:
        """Everything so far, with whom `rouse` has woken."""
        return Outcome(drafts=self.drafts(), beside=tuple(self._beside), next=next)

    def wake(self, id: str, label: str = "") -> None:
        """Have a node begin a turn once this one waits or ends, so that all that is handed to it in
        one reply is there. `label`: the arrow's, "" where it was spawned or spoken to."""
        self.note(wakes=[*self.noted("wakes", ()), {"node": id, "label": label}])

    def rouse(self) -> None:
        """Wake them with this outcome, over an arrow where there is one. Who is awake already only
        sees the arrow taken."""
        wakes: list[Wake] = list(self.noted("wakes", ()))
        for one in sorted(wakes, key=lambda one: not one["label"]):
            id, label = one["node"], one["label"]
            enters = not self.awake(id) and self.desk(id).standing == "idle"
            if label:
                self._beside.append(Take(target=id, label=label, enters=enters))
            elif enters:
                self._beside.append(Enter(state=id))
            if enters:
                self._begun.append(id)
        if wakes:
            self.note(wakes=[])

    def warn_lead(self, text: str) -> None:
        """Tell the orchestrator something that it would not hear otherwise, and wake it."""
        lead = self.lead()
        if lead and lead != (self.position.state if self.position else ""):
            self.queue(lead, message=spoken(text, role="system"))
            self.wake(lead)

    def lead(self) -> str:
        """The orchestrator that AUTO asks again: the entry if it is one, else the first; "" where
        there is none."""
        nodes = self.graph.nodes
        entry = nodes.get(self.graph.entry)
        if entry is not None and entry.is_orchestrator:
            return entry.id
        return next((node.id for node in nodes.values() if node.is_orchestrator), "")
