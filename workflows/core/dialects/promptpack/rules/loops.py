"""Rules about loops, visit caps and budgets of a workflow."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.findings import EVERY, MAX_FINDINGS, Finding, one_line, rule
from workflows.core.pack.graph import Graph
from workflows.core.rules.graph_structure import structure_of
from workflows.core.rules.kit import Note
from workflows.core.rules.loops import endless, walk_around
from workflows.core.rules.strong_components import cyclic_components
from workflows.core.text.tolerant import as_positive_int, as_str

LIMITS = ("max_total_visits", "max_tool_calls", "max_wall_time_sec")


@lru_cache(maxsize=4)
def loops(parts: Parts) -> list[list[str]]:
    """The cycles of the workflow, each as a list of states. States marked as ends have no
    successors."""
    onward = {
        name: []
        if parts.states[name].get("terminal") is True
        else [target for target in events.values() if target in parts.states]
        for name, events in parts.events.items()
    }
    return cyclic_components(onward)


def _cap(state: Object) -> int | None:
    return as_positive_int(state.get("max_visits"))


@rule("PP220", "warning", "Loop without a bound", profiles=EVERY)
def unbounded_loop(source: PackSource, graph: Graph) -> Iterable[Finding]:
    """These states form a cycle, and neither a visit cap nor a budget ends it. With a real model,
    such a run costs money until it is stopped. A cap does not help if its redirect leads back into
    the cycle, because the next cap is not checked after a redirect. Set `max_visits` on one of the
    states, or a budget on the workflow. The path from the entry through the cycle is shown."""
    parts = source.parts
    if any(as_positive_int(parts.budget.get(limit)) for limit in LIMITS):
        return
    structure = structure_of(graph)
    rank = {name: number for number, name in enumerate(parts.states)}
    rounds = [sorted(loop, key=rank.__getitem__) for loop in endless(structure) if loop[0] in rank]
    for names in rounds[:MAX_FINDINGS]:
        shown = " → ".join(names[:4]) + (" → …" if len(names) > 4 else "")
        here = ("workflow", "engine", "budget", "max_total_visits")
        yield Finding(
            code="PP220",
            level="warning",
            message=one_line(f"The loop {shown} has no bound: no cap and no budget ends it."),
            place=structure.states[names[0]].place,
            fix=set_fix(parts, "Add a budget of 50 visits", here, 50)
            if (parts.workflow or {}).get("engine") is None
            else None,
            walk=walk_around(structure, names),
        )


@pack_rule("PP221", "warning", "Visit budget is less than the sum of the caps", profiles=EVERY)
def small_budget(parts: Parts) -> Iterable[Note]:
    """The visit budget is spent before the states reach their caps. The run then ends with its
    budget exhausted instead of taking the redirects of the caps. Raise the budget or lower the
    caps."""
    budget = as_positive_int(parts.budget.get("max_total_visits"))
    if budget is None:
        return
    reached = _reachable(parts)
    caps = sum(_cap(state) or 0 for name, state in parts.states.items() if name in reached)
    if budget < caps:
        here = ("workflow", "engine", "budget", "max_total_visits")
        yield Note(
            message=f"The budget allows {budget} visits, the caps together allow {caps}.",
            pointer=here,
            fix=set_fix(parts, f"Raise the budget to {caps}", here, caps),
        )


def _reachable(parts: Parts) -> set[str]:
    """The states that are reachable from the entry by transitions and redirects."""
    visited: set[str] = set()
    waiting = [parts.entry]
    while waiting:
        name = waiting.pop()
        if name in visited or name not in parts.states:
            continue
        visited.add(name)
        waiting += parts.events[name].values()
        waiting.append(as_str(parts.states[name].get("on_max_visits")))
    return visited


@pack_rule("PP222", "warning", "Loop back to an entry with a cap of 1", profiles=EVERY)
def entry_used_up(parts: Parts) -> Iterable[Note]:
    """The entry state allows one visit, and the start of the run counts as one. A loop leads back
    to it, so its first iteration already reaches the cap. Allow one visit more than the number of
    iterations."""
    state = parts.states.get(parts.entry)
    if state is None or _cap(state) != 1:
        return
    if any(parts.entry in group for group in loops(parts)):
        here = ("workflow", "states", parts.entry, "max_visits")
        yield Note(
            message=f"The start of the run uses the only visit of {parts.entry!r}, "
            "so the loop back to it is never taken.",
            pointer=here,
            fix=set_fix(parts, "Allow 2 visits", here, 2),
        )


@pack_rule("PP223", "warning", "Loop without a turn for the user", profiles=EVERY)
def agent_loop(parts: Parts) -> Iterable[Note]:
    """Every state of this loop has `control: agent`, so the model continues without giving the turn
    to the user. The loop has no cap, and no end or state with `control: user` is reachable from it.
    Set `control: user` or `max_visits` on one of the states."""
    if not any(state.get("control") == "agent" for state in parts.states.values()):
        return
    handed = _reaches_user(parts)
    for group in loops(parts):
        if group[0] not in handed and not any(_cap(parts.states[name]) for name in group):
            yield Note(
                message=f"The loop through {group[0]!r} never gives the turn to the user.",
                pointer=("workflow", "states", group[0], "control"),
                fix=set_fix(
                    parts,
                    "Set control to user",
                    ("workflow", "states", group[0], "control"),
                    "user",
                ),
            )


def _reaches_user(parts: Parts) -> set[str]:
    """The states from which an end or a state with `control: user` is reachable."""
    into: dict[str, list[str]] = {}
    for name, events in parts.events.items():
        for target in (*events.values(), as_str(parts.states[name].get("on_max_visits"))):
            into.setdefault(target, []).append(name)
    waiting = [
        name
        for name, state in parts.states.items()
        if parts.ends(name) or state.get("control") != "agent"
    ]
    visited = set(waiting)
    while waiting:
        fresh = [name for name in into.get(waiting.pop(), ()) if name not in visited]
        visited.update(fresh)
        waiting += fresh
    return visited


@pack_rule("PP224", "warning", "Control on an end", profiles=EVERY)
def control_on_end(parts: Parts) -> Iterable[Note]:
    """`control: agent` lets the model continue after the state is entered, but this state ends the
    run. Remove the field."""
    for name, state in parts.states.items():
        if state.get("control") == "agent" and state.get("terminal") is True:
            here = ("workflow", "states", name, "control")
            yield Note(
                message=f"State {name!r} ends the run, so `control: agent` has no effect.",
                pointer=here,
                fix=unset_fix(parts, "Remove control", here),
            )
