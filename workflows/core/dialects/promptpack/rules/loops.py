"""Rules over loops, caps and budgets of a workflow."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from workflows.core.dialects.promptpack.format.parts import Object, Parts, whole, word
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.findings import MOST_FINDINGS, Finding, one_line, rule
from workflows.core.pack.graph import Graph
from workflows.core.rules.graph_structure import shape
from workflows.core.rules.kit import Note
from workflows.core.rules.loops import endless, walk_around
from workflows.core.rules.strong_components import circles

LIMITS = ("max_total_visits", "max_tool_calls", "max_wall_time_sec")


@lru_cache(maxsize=4)
def loops(parts: Parts) -> list[list[str]]:
    """The states that lead to each other in circles, group by group; states marked as ends lead
    nowhere."""
    onward = {
        name: []
        if parts.states[name].get("terminal") is True
        else [target for target in events.values() if target in parts.states]
        for name, events in parts.events.items()
    }
    return circles(onward)


def _cap(state: Object) -> int | None:
    return whole(state.get("max_visits"))


@rule("PP220", "warning", "Loop without a bound")
def unbounded_loop(source: PackSource, graph: Graph) -> Iterable[Finding]:
    """These states lead to each other in a circle, and neither a cap nor a budget keeps a run from
    going round for ever. That costs money with a real model. A cap does not help where the way out
    of it leads back into the circle, because on that way the next cap is not looked at. Give one of
    the states a `max_visits`, or the workflow a budget. The walk shown leads there and around."""
    parts = source.parts
    if any(whole(parts.budget.get(limit)) for limit in LIMITS):
        return
    found = shape(graph)
    rank = {name: number for number, name in enumerate(parts.states)}
    rounds = [sorted(loop, key=rank.__getitem__) for loop in endless(found) if loop[0] in rank]
    for names in rounds[:MOST_FINDINGS]:
        shown = " → ".join(names[:4]) + (" → …" if len(names) > 4 else "")
        here = ("workflow", "engine", "budget", "max_total_visits")
        yield Finding(
            code="PP220",
            level="warning",
            message=one_line(f"A run may go round {shown} for ever: no cap and no budget ends it."),
            place=found.states[names[0]].place,
            fix=set_fix(parts, "Add a budget of 50 visits", here, 50)
            if (parts.workflow or {}).get("engine") is None
            else None,
            walk=walk_around(found, names),
        )


@pack_rule("PP221", "warning", "Budget below the sum of the caps")
def small_budget(parts: Parts) -> Iterable[Note]:
    """The budget of visits is used up before the states could have all the visits their caps allow.
    Then the run ends with its budget used up instead of taking the ways out that were planned.
    Raise the budget or lower the caps."""
    budget = whole(parts.budget.get("max_total_visits"))
    if budget is None:
        return
    reached = _reached(parts)
    caps = sum(_cap(state) or 0 for name, state in parts.states.items() if name in reached)
    if budget < caps:
        here = ("workflow", "engine", "budget", "max_total_visits")
        yield Note(
            message=f"The budget of {budget} visits is less than the {caps} that caps allow.",
            pointer=here,
            fix=set_fix(parts, f"Raise it to {caps}", here, caps),
        )


def _reached(parts: Parts) -> set[str]:
    """Every state some arrow or redirect leads to from the entry."""
    seen: set[str] = set()
    waiting = [parts.entry]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in parts.states:
            continue
        seen.add(name)
        waiting += parts.events[name].values()
        waiting.append(word(parts.states[name].get("on_max_visits")))
    return seen


@pack_rule("PP222", "warning", "Entry that can only be entered once")
def entry_used_up(parts: Parts) -> Iterable[Note]:
    """The entry state may be visited once, and beginning there counts. But a loop leads back to it,
    so the first time round already reaches the cap. Allow one visit more than the loop shall go
    round."""
    state = parts.states.get(parts.entry)
    if state is None or _cap(state) != 1:
        return
    if any(parts.entry in group for group in loops(parts)):
        here = ("workflow", "states", parts.entry, "max_visits")
        yield Note(
            message=f"The run begins in {parts.entry!r}, which uses up its one visit; "
            "the loop back to it never works.",
            pointer=here,
            fix=set_fix(parts, "Allow 2 visits", here, 2),
        )


@pack_rule("PP223", "warning", "Loop that nobody can stop")
def agent_loop(parts: Parts) -> Iterable[Note]:
    """Every state of this loop has `control: agent`, so the model goes on without ever giving the
    turn back. No cap ends it, and it leads to no end and to no state that hands over. Let one of
    the states hand over to the user, or give it a `max_visits`."""
    if not any(state.get("control") == "agent" for state in parts.states.values()):
        return
    handed = _handed_over(parts)
    for group in loops(parts):
        if group[0] not in handed and not any(_cap(parts.states[name]) for name in group):
            yield Note(
                message=f"The loop through {group[0]!r} never gives the turn back to the user.",
                pointer=("workflow", "states", group[0], "control"),
                fix=set_fix(
                    parts,
                    "Hand over to the user here",
                    ("workflow", "states", group[0], "control"),
                    "user",
                ),
            )


def _handed_over(parts: Parts) -> set[str]:
    """The states from which a run can get to an end, or to a state that hands over to the user."""
    into: dict[str, list[str]] = {}
    for name, events in parts.events.items():
        for target in (*events.values(), word(parts.states[name].get("on_max_visits"))):
            into.setdefault(target, []).append(name)
    waiting = [
        name
        for name, state in parts.states.items()
        if parts.ends(name) or state.get("control") != "agent"
    ]
    found = set(waiting)
    while waiting:
        fresh = [name for name in into.get(waiting.pop(), ()) if name not in found]
        found.update(fresh)
        waiting += fresh
    return found


@pack_rule("PP224", "warning", "Control on an end")
def control_on_end(parts: Parts) -> Iterable[Note]:
    """`control: agent` lets the model go on after arriving, but this state ends the run, so there
    is nothing to go on to. Take the field out."""
    for name, state in parts.states.items():
        if state.get("control") == "agent" and state.get("terminal") is True:
            here = ("workflow", "states", name, "control")
            yield Note(
                message=f"{name!r} ends the run, so `control: agent` has no effect.",
                pointer=here,
                fix=unset_fix(parts, "Take control out", here),
            )
