"""Rules on the team as a whole: orchestrator, reachability and goal."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.agent_graph.format.model import AgentGraph
from workflows.core.dialects.agent_graph.rules.kit import graph_rule, set_fix
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import AddState, Connect
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name, did_you_mean
from workflows.core.rules.kit import Note, make_fix


@graph_rule("AG401", "error", "No agents", profiles=EVERY)
def nobody(source: GraphSource) -> Iterable[Note]:
    """The pack has no agents. Drag one onto the canvas. Most teams start with an orchestrator."""
    if not source.shape.nodes:
        yield Note(
            message="This pack has no agents.",
            pointer=("nodes",) if source.json.has(("nodes",)) else (),
            fix=make_fix("Add an orchestrator", AddState(id="lead", kind="orchestrator")),
        )


@graph_rule("AG402", "error", "Missing entry", profiles=EVERY)
def missing_entry(source: GraphSource) -> Iterable[Note]:
    """The entry is not the id of an agent: usually an agent that was renamed or removed, or an
    alias instead of an id. A run starts with the first orchestrator instead, or else with the first
    agent. Choose an existing agent."""
    entry, shape = source.shape.declared_entry, source.shape
    if entry and entry not in shape.nodes and shape.nodes:
        match = shape.resolve(entry)
        near = match.id if match else closest_name(entry, shape.nodes) or shape.entry
        yield Note(
            message=f"The entry {entry!r} is not the id of an agent.",
            pointer=("entry",),
            hint=did_you_mean(entry, shape.nodes),
            fix=set_fix(f"Start with {near}", ("entry",), near),
        )


@graph_rule("AG403", "warning", "No orchestrator in AUTO", profiles=EVERY)
def nobody_leads(source: GraphSource) -> Iterable[Note]:
    """In AUTO, an orchestrator gets turns until it declares the work complete. This pack has no
    orchestrator, so work stops after the first messages. Give one agent the role orchestrator, or
    switch to INTERACTIVE so that people direct the run."""
    shape = source.shape
    if shape.run_mode != "AUTO" or not shape.nodes:
        return
    if not any(node.is_orchestrator for node in shape.nodes.values()):
        yield Note(
            message="The run mode is AUTO, but no agent has the role orchestrator.",
            pointer=("run_mode",) if source.json.has(("run_mode",)) else (),
            hint="Give one agent the role orchestrator, or switch to INTERACTIVE.",
            fix=set_fix("Switch to INTERACTIVE", ("run_mode",), "INTERACTIVE"),
        )


@graph_rule("AG404", "warning", "Unreachable agent", profiles=EVERY)
def unreachable(source: GraphSource) -> Iterable[Note]:
    """No handoff can reach this agent from the start of a run, and it has no first message. It
    stays idle unless a person sends it a message or an agent adds an edge during the run. Add an
    edge to it, give it a first message, or remove it."""
    shape = source.shape
    reached = _reached(shape)
    for node in shape.nodes.values():
        if node.id not in reached:
            yield Note(
                message=f"No handoff can reach the agent {node.id!r}.",
                pointer=("nodes", node.index),
                hint="Add an edge to it, or give it a first message.",
                fix=make_fix(
                    f"Add a handoff from {shape.entry}",
                    Connect(source=shape.entry, target=node.id, label="task"),
                ),
            )


def _reached(shape: AgentGraph) -> set[str]:
    """The agents that are reachable from the entry and from agents with a first message."""
    onward: dict[str, list[str]] = {id: [] for id in shape.nodes}
    for edge in shape.edges:
        directions = [(edge.source, edge.target)]
        directions += [(edge.target, edge.source)] if edge.bidirectional else []
        for begin, end in directions:
            if begin in onward and end in onward:
                onward[begin].append(end)
    reached = {node.id for node in shape.nodes.values() if node.instructions.strip()}
    reached |= {shape.entry} & set(shape.nodes)
    todo = list(reached)
    while todo:
        for id in onward[todo.pop()]:
            if id not in reached:
                reached.add(id)
                todo.append(id)
    return reached


@graph_rule("AG405", "warning", "More agents than the limit", profiles=EVERY)
def too_many(source: GraphSource) -> Iterable[Note]:
    """The file has more agents than its own limit, so a run cannot add any. Raise the limit, or
    remove some agents."""
    shape = source.shape
    if len(shape.nodes) > shape.most_nodes:
        here = ("limits", "nodes")
        yield Note(
            message=f"The pack has {len(shape.nodes)} agents; its limit is {shape.most_nodes}.",
            pointer=here if source.json.has(here) else (),
            fix=set_fix(f"Raise the limit to {len(shape.nodes)}", here, len(shape.nodes)),
        )


@graph_rule("AG406", "hint", "No goal and no first message", profiles=EVERY)
def no_goal(source: GraphSource) -> Iterable[Note]:
    """The pack has no goal and no first message. A run does nothing until it gets a goal, or until
    a person sends an agent a message. Set a goal if it is always the same."""
    shape = source.shape
    has_message = any(node.instructions.strip() for node in shape.nodes.values())
    if shape.nodes and not has_message and not shape.goal.strip() and shape.run_mode == "AUTO":
        yield Note(
            message="The pack has neither a goal nor a first message.",
            pointer=("goal",) if source.json.has(("goal",)) else (),
        )
