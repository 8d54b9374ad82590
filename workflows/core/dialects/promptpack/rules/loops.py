"""Rules over loops, caps, budgets and artifacts of a workflow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from workflows.core.dialects.promptpack.parts import Object, Parts, objects, whole, word
from workflows.core.dialects.promptpack.rules.saying import Say, pack_rule, setting, unsetting
from workflows.core.dialects.promptpack.templates import placeholders

LIMITS = ("max_total_visits", "max_tool_calls", "max_wall_time_sec")


@lru_cache(maxsize=4)
def loops(parts: Parts) -> tuple[tuple[str, ...], ...]:
    """The states that lead to each other in circles, group by group; states marked as ends lead
    nowhere. Kosaraju's two passes, without recursion."""
    onward = {
        name: []
        if parts.states[name].get("terminal") is True
        else [target for target in events.values() if target in parts.states]
        for name, events in parts.events.items()
    }
    back: dict[str, list[str]] = {name: [] for name in onward}
    for name, targets in onward.items():
        for target in targets:
            back[target].append(name)
    seen: set[str] = set()
    order = [name for start in onward for name in _finished(start, onward, seen)]
    seen = set()
    groups = [tuple(_finished(start, back, seen)) for start in reversed(order)]
    return tuple(
        group for group in groups if len(group) > 1 or (group and group[0] in onward[group[0]])
    )


def _finished(start: str, onward: dict[str, list[str]], seen: set[str]) -> Iterator[str]:
    """Everything newly reached from here, in the order in which it is done with."""
    if start in seen:
        return
    seen.add(start)
    path = [(start, iter(onward[start]))]
    while path:
        name, rest = path[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                path.append((target, iter(onward[target])))
                break
        else:
            path.pop()
            yield name


def _cap(state: Object) -> int | None:
    return whole(state.get("max_visits"))


@pack_rule("PP220", "warning", "Loop without a bound")
def unbounded_loop(parts: Parts) -> Iterable[Say]:
    """These states lead to each other in a circle, and neither a cap on one of them nor a budget
    keeps a run from going round for ever. That costs money with a real model. Give one of the
    states a `max_visits`, or the workflow a budget."""
    if any(whole(parts.budget.get(limit)) for limit in LIMITS):
        return
    for group in loops(parts):
        if not any(_cap(parts.states[name]) for name in group):
            names = sorted(group, key=list(parts.states).index) if len(group) < 50 else group
            shown = " → ".join(names[:4]) + (" → …" if len(names) > 4 else "")
            here = ("workflow", "engine", "budget", "max_total_visits")
            yield Say(
                message=f"A run may go round {shown} for ever: no cap and no budget ends it.",
                pointer=("workflow", "states", names[0]),
                fix=setting(parts, "Add a budget of 50 visits", here, 50)
                if (parts.workflow or {}).get("engine") is None
                else None,
            )


@pack_rule("PP221", "warning", "Budget below the sum of the caps")
def small_budget(parts: Parts) -> Iterable[Say]:
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
        yield Say(
            message=f"The budget of {budget} visits is less than the {caps} that caps allow.",
            pointer=here,
            fix=setting(parts, f"Raise it to {caps}", here, caps),
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
def entry_used_up(parts: Parts) -> Iterable[Say]:
    """The entry state may be visited once, and beginning there counts. But a loop leads back to it,
    so the first time round already reaches the cap. Allow one visit more than the loop shall go
    round."""
    state = parts.states.get(parts.entry)
    if state is None or _cap(state) != 1:
        return
    if any(parts.entry in group for group in loops(parts)):
        here = ("workflow", "states", parts.entry, "max_visits")
        yield Say(
            message=f"The run begins in {parts.entry!r}, which uses up its one visit; "
            "the loop back to it never works.",
            pointer=here,
            fix=setting(parts, "Allow 2 visits", here, 2),
        )


@pack_rule("PP223", "warning", "Loop that nobody can stop")
def agent_loop(parts: Parts) -> Iterable[Say]:
    """Every state of this loop has `control: agent`, so the model goes on without ever giving the
    turn back, and no cap ends it. Let one of the states hand over to the user, or give it a
    `max_visits`."""
    for group in loops(parts):
        states = [parts.states[name] for name in group]
        if all(state.get("control") == "agent" and not _cap(state) for state in states):
            yield Say(
                message=f"The loop through {group[0]!r} never gives the turn back to the user.",
                pointer=("workflow", "states", group[0], "control"),
                fix=setting(
                    parts,
                    "Hand over to the user here",
                    ("workflow", "states", group[0], "control"),
                    "user",
                ),
            )


@pack_rule("PP224", "warning", "Control on an end")
def control_on_end(parts: Parts) -> Iterable[Say]:
    """`control: agent` lets the model go on after arriving, but this state ends the run, so there
    is nothing to go on to. Take the field out."""
    for name, state in parts.states.items():
        if state.get("control") == "agent" and state.get("terminal") is True:
            here = ("workflow", "states", name, "control")
            yield Say(
                message=f"{name!r} ends the run, so `control: agent` has no effect.",
                pointer=here,
                fix=unsetting(parts, "Take control out", here),
            )


@pack_rule("PP225", "warning", "Artifact is not declared")
def undeclared_artifact(parts: Parts) -> Iterable[Say]:
    """The prompt of this state reads an artifact that the state does not declare. The value is
    still found if another state sets it, but a reader of the state cannot tell, and where no state
    declares it, nothing ever sets it. Declare it in the state's artifacts."""
    read = {
        key: [name[10:] for name in placeholders(text) if name.startswith("artifacts.")]
        for (_, text, key) in parts.templates
        if key
    }
    for name, state in parts.states.items():
        for artifact in read.get(word(state.get("prompt_task")), ()):
            if artifact in objects(state.get("artifacts")):
                continue
            here = ("workflow", "states", name, "artifacts", artifact)
            slot = dict(parts.artifacts.get(artifact, {"type": "text/plain"}))
            yield Say(
                message=f"The prompt of {name!r} reads the artifact {artifact!r}, "
                "which the state does not declare.",
                pointer=("workflow", "states", name),
                fix=setting(parts, f"Declare {artifact}", here, slot),
            )


@pack_rule("PP226", "warning", "Artifact with two modes")
def artifact_modes(parts: Parts) -> Iterable[Say]:
    """Two states declare the same artifact, one to replace it and the other to append. Which one
    holds in a third state is left to chance by some runtimes. Use one mode everywhere."""
    modes: dict[str, str] = {}
    for name, state in parts.states.items():
        for artifact, slot in objects(state.get("artifacts")).items():
            mode = word(slot.get("mode")) or "replace"
            first = modes.setdefault(artifact, mode)
            if mode != first:
                here = ("workflow", "states", name, "artifacts", artifact, "mode")
                yield Say(
                    message=f"The artifact {artifact!r} is set to {mode} in {name!r}, "
                    f"and to {first} before.",
                    pointer=here[:-1],
                    fix=setting(parts, f"Change to {first}", here, first),
                )


@pack_rule("PP227", "warning", "Skills without skills")
def skills_filter(parts: Parts) -> Iterable[Say]:
    """The state chooses among the pack's skills, but the pack has none, so the choice has no
    effect. Add skills or take the field out."""
    if parts.skills:
        return
    for name, state in parts.states.items():
        if word(state.get("skills")) not in ("", "none"):
            here = ("workflow", "states", name, "skills")
            yield Say(
                message=f"{name!r} chooses among skills, but the pack has none.",
                pointer=here,
                fix=unsetting(parts, "Take the choice out", here),
            )
