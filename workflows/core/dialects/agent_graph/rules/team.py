"""Rules over the team as a whole: who leads, who is reached, what there is to do."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.agent_graph.format.model import AgentGraph
from workflows.core.dialects.agent_graph.rules.kit import graph_rule, set_fix
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import AddState, Connect
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix


@graph_rule("AG401", "error", "No agents")
def nobody(source: GraphSource) -> Iterable[Note]:
    """The pack has no agent, so there is nobody who could do anything. Drag one onto the canvas; a
    team mostly begins with an orchestrator."""
    if not source.shape.nodes:
        yield Note(
            message="There are no agents in this pack.",
            pointer=("nodes",) if source.json.has(("nodes",)) else (),
            fix=make_fix("Add an orchestrator", AddState(id="lead", kind="orchestrator")),
        )


@graph_rule("AG402", "error", "Begins with a missing agent")
def missing_entry(source: GraphSource) -> Iterable[Note]:
    """The entry names an id that no agent has: usually one that was renamed or removed, or an alias
    where an id has to stand. A run begins with the first orchestrator instead, or with the first
    agent. Name an agent there is."""
    said, shape = source.shape.said_entry, source.shape
    if said and said not in shape.nodes and shape.nodes:
        meant = shape.resolve(said)
        near = meant.id if meant else closest_name(said, shape.nodes) or shape.entry
        yield Note(
            message=f"A run is to begin with {said!r}, and there is no such agent.",
            pointer=("entry",),
            fix=set_fix(f"Begin with {near}", ("entry",), near),
        )


@graph_rule("AG403", "warning", "Nobody leads in AUTO")
def nobody_leads(source: GraphSource) -> Iterable[Note]:
    """In AUTO an orchestrator is asked again and again until it declares the work complete. This
    pack has none, so after the first messages are dealt with nothing moves on by itself. Give one
    agent the role orchestrator, or let people drive the run in INTERACTIVE."""
    shape = source.shape
    if shape.run_mode != "AUTO" or not shape.nodes:
        return
    if not any(node.is_orchestrator for node in shape.nodes.values()):
        yield Note(
            message="The run mode is AUTO, but no agent is an orchestrator.",
            pointer=("run_mode",) if source.json.has(("run_mode",)) else (),
            hint="Give one agent the role orchestrator, or switch to INTERACTIVE.",
            fix=set_fix("Switch to INTERACTIVE", ("run_mode",), "INTERACTIVE"),
        )


@graph_rule("AG404", "warning", "Agent that nobody can reach")
def unreachable(source: GraphSource) -> Iterable[Note]:
    """No handoff gets to this agent from where a run begins, and no first message waits for it, so
    it stays idle unless a person writes to it or somebody draws an edge while it runs. Draw an edge
    to it, give it a first message, or remove it."""
    shape = source.shape
    reached = _reached(shape)
    for node in shape.nodes.values():
        if node.id not in reached:
            yield Note(
                message=f"No handoff can reach {node.id!r}.",
                pointer=("nodes", node.index),
                hint="Draw an edge to it, or give it a first message.",
                fix=make_fix(
                    f"Let {shape.entry} hand off to it",
                    Connect(source=shape.entry, target=node.id, label="task"),
                ),
            )


def _reached(shape: AgentGraph) -> set[str]:
    """Everybody whom work gets to from the entry and from those who begin by themselves."""
    onward: dict[str, list[str]] = {id: [] for id in shape.nodes}
    for edge in shape.edges:
        ways = [(edge.source, edge.target)]
        ways += [(edge.target, edge.source)] if edge.bidirectional else []
        for begin, end in ways:
            if begin in onward and end in onward:
                onward[begin].append(end)
    found = {node.id for node in shape.nodes.values() if node.instructions.strip()}
    found |= {shape.entry} & set(shape.nodes)
    todo = list(found)
    while todo:
        for id in onward[todo.pop()]:
            if id not in found:
                found.add(id)
                todo.append(id)
    return found


@graph_rule("AG405", "warning", "More agents than the limit")
def too_many(source: GraphSource) -> Iterable[Note]:
    """The file has more agents than its own limit allows, so not a single one can be added while it
    runs. Raise the limit, or remove some."""
    shape = source.shape
    if len(shape.nodes) > shape.most_nodes:
        here = ("limits", "nodes")
        yield Note(
            message=f"There are {len(shape.nodes)} agents, and the limit is {shape.most_nodes}.",
            pointer=here if source.json.has(here) else (),
            fix=set_fix(f"Raise it to {len(shape.nodes)}", here, len(shape.nodes)),
        )


@graph_rule("AG406", "hint", "Nothing to do")
def no_goal(source: GraphSource) -> Iterable[Note]:
    """The pack names no goal and no first message, so a run only gets going when it is started with
    a goal, or when a person writes to an agent. Write the goal down where it is always the same."""
    shape = source.shape
    told = any(node.instructions.strip() for node in shape.nodes.values())
    if shape.nodes and not told and not shape.goal.strip() and shape.run_mode == "AUTO":
        yield Note(
            message="There is neither a goal nor a first message.",
            pointer=("goal",) if source.json.has(("goal",)) else (),
        )
