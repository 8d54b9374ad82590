"""The graph of a pack: the states and events of a workflow, else agents and calls, else prompts.

Every composition is a level of its own (levels.py).
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TypeAlias

from workflows.core.dialects.promptpack.format.agent_states import LEVEL, agent_ids
from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Object, Parts
from workflows.core.dialects.promptpack.graph.cost_bounds import CostBounds, max_total_visits
from workflows.core.dialects.promptpack.graph.levels import Level, level_of, levels
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import Entry, Graph, State, Transition
from workflows.core.prompts.first_line import first_line
from workflows.core.text.json.pointer import escape
from workflows.core.text.tolerant import as_list, as_positive_int, as_str, as_str_list

Costs: TypeAlias = tuple[int | None, int | None]
ORCHESTRATIONS = ("internal", "external", "hybrid", "composition")


def graph(source: PackSource, profile: str) -> Graph:
    """Project the pack. A transition keeps its target even if the target does not exist."""
    parts = source.parts
    if parts.workflow is not None:
        states, transitions = _workflow(source, profile)
        entries = [Entry(state=parts.entry)] if parts.entry in parts.states else []
        members, calls = _agents(source, LEVEL)
        states, transitions = [*states, *members], [*transitions, *calls]
        entries += [Entry(state=member.id, key=LEVEL) for member in members]
    elif parts.members:
        states, transitions = _agents(source)
        entries = _agent_entries(parts)
    else:
        states, transitions = _prompts(source), []
        entries = [Entry(state=key, key=key) for key in parts.prompts]
    steps, links, frames, first, more_transitions = levels(source)
    return Graph(
        dialect="promptpack",
        profile=profile,
        name=as_str(parts.tree.get("name")) or as_str(parts.tree.get("id")),
        entries=(*entries, *first),
        states=(*states, *steps),
        transitions=(*transitions, *links),
        groups=tuple(frames),
        most_visits=max_total_visits(source),
        more_transitions=more_transitions,
    )


def _workflow(source: PackSource, profile: str) -> tuple[list[State], list[Transition]]:
    """All states with their transitions.

    The cached projection of a state is reused while its trees are the same objects, so a small edit
    of a large pack recomputes only the changed states.
    """
    parts, cache, bounds = source.parts, source.projection_cache, CostBounds(source.parts, profile)
    shared, calling = parts.shared_prompts, _callers(parts)
    states: list[State] = []
    transitions: list[Transition] = []
    for name, spec in parts.states.items():
        task, inside = as_str(spec.get("prompt_task")), as_str(spec.get("composition"))
        prompt = parts.prompts.get(task)
        level = Level.of(source, inside) if inside in parts.compositions else None
        opens = level_of(inside) if level else LEVEL if task in calling else ""
        costs = bounds.of(spec)
        users = 0 if spec.get("orchestration") == "composition" else shared.get(task or inside, 0)
        before = cache.get(name)
        if (
            isinstance(before, _CachedState)
            and before.spec is spec
            and before.prompt is prompt
            and before.level is level
            and before.costs == costs
            and before.opens == opens
            and before.path == source.main
        ):
            now = before if before.state.prompt_users == users else before.shared_by(users)
        else:
            now = _CachedState(source.main, name, spec, prompt, level, costs, opens, users)
        if now is not before:
            cache[name] = now
        states.append(now.state)
        transitions.extend(now.transitions)
    return states, transitions


class _CachedState:
    """The projection of one state, and the values it was computed from."""

    __slots__ = ("costs", "level", "opens", "path", "prompt", "spec", "state", "transitions")

    def __init__(
        self,
        path: str,
        name: str,
        spec: Object,
        prompt: Object | None,
        level: Level | None,
        costs: Costs,
        opens: str,
        users: int,
    ) -> None:
        self.path = path
        self.spec = spec
        self.prompt = prompt
        self.level = level
        self.costs = costs
        self.opens = opens
        self.state, self.transitions = _state(path, name, spec, prompt, opens, costs, users)

    def shared_by(self, users: int) -> _CachedState:
        """The same projection with another number of users of the prompt."""
        other = copy(self)
        other.state = replace(self.state, prompt_users=users)
        return other


def _state(
    path: str,
    name: str,
    spec: Object,
    prompt: Object | None,
    opens: str,
    costs: Costs,
    users: int,
) -> tuple[State, list[Transition]]:
    pointer = f"/workflow/states/{escape(name)}"
    events = spec.get("on_event")
    leads = isinstance(events, dict) and any(isinstance(to, str) for to in events.values())
    marked = spec.get("terminal") is True
    kind = spec.get("orchestration", "internal")
    state = State(
        id=name,
        kind=kind if kind in ORCHESTRATIONS else "internal",
        terminal=marked or not leads,
        role=as_str(spec.get("prompt_task")) or as_str(spec.get("composition")),
        counts=_counts(spec, prompt),
        prompt_users=users,
        prompt=f"prompt:{as_str(spec.get('prompt_task'))}" if prompt is not None else "",
        prompt_line=first_line(prompt.get("system_template")) if prompt is not None else "",
        max_visits=as_positive_int(spec.get("max_visits")),
        inside=opens,
        most_calls=costs[0],
        most_tokens=costs[1],
        place=Place(path=path, pointer=pointer, element=f"state:{name}"),
    )
    transitions: list[Transition] = []
    if isinstance(events, dict):
        for event, target in events.items():
            if isinstance(target, str):
                where = Place(
                    path=path,
                    pointer=f"{pointer}/on_event/{escape(event)}",
                    element=f"transition:{name}|{event}|{target}",
                )
                transitions.append(
                    Transition(
                        source=name,
                        target=target,
                        label=event,
                        event=event,
                        inert=marked,
                        place=where,
                    )
                )
    if isinstance(spec.get(ON_MAX_VISITS), str):
        transitions.append(_redirect(path, pointer, name, spec))
    return state, transitions


def _redirect(path: str, pointer: str, name: str, spec: Object) -> Transition:
    target = spec[ON_MAX_VISITS]
    return Transition(
        source=name,
        target=target,
        label=ON_MAX_VISITS,
        kind="redirect",
        inert=as_positive_int(spec.get("max_visits")) is None,
        place=Place(
            path=path,
            pointer=f"{pointer}/{ON_MAX_VISITS}",
            element=f"transition:{name}|{ON_MAX_VISITS}|{target}",
        ),
    )


def _counts(spec: Object, prompt: Object | None) -> dict[str, int]:
    counts: dict[str, int] = {}
    artifacts = spec.get("artifacts")
    if isinstance(artifacts, dict) and artifacts:
        counts["artifacts"] = len(artifacts)
    if prompt is not None:
        for field, name in (("tools", "tools"), ("validators", "checks")):
            value = prompt.get(field)
            if isinstance(value, list) and value:
                counts[name] = len(value)
    return counts


def _agents(source: PackSource, level: str = "") -> tuple[list[State], list[Transition]]:
    """The members as states, with a transition for every member that another one lists as a
    tool."""
    parts = source.parts
    ids = agent_ids(parts)
    states = [
        State(
            id=id,
            kind="agent",
            name=as_str(parts.prompts.get(key, {}).get("name")),
            role=key,
            prompt_users=parts.shared_prompts.get(key, 0),
            counts=_counts({}, parts.prompts.get(key)),
            level=level,
            place=source.place("agents", "members", key, element=f"state:{id}"),
        )
        for key, id in ids.items()
        if id not in parts.states
    ]
    transitions = [
        Transition(
            source=id,
            target=ids[other],
            label=other,
            kind="delegate",
            place=source.place(
                "prompts", key, "tools", index, element=f"transition:{id}|{other}|{ids[other]}"
            ),
        )
        for key, id in ids.items()
        for index, other in delegates(parts, key)
    ]
    return states, transitions


def _agent_entries(parts: Parts) -> list[Entry]:
    """The entry agent first. A run, or another program, can start at each of the others too."""
    entry = as_str((parts.agents or {}).get("entry"))
    others = [Entry(state=key, key=key) for key in parts.members if key != entry]
    return [Entry(state=entry), *others] if entry in parts.members else others


def _callers(parts: Parts) -> set[str]:
    """The prompts that list an agent as a tool."""
    agents = parts.members.keys() - parts.tools.keys()
    if not agents:
        return set()
    return {
        key
        for key, prompt in parts.prompts.items()
        if not agents.isdisjoint(as_str_list(prompt.get("tools")))
    }


def delegates(parts: Parts, key: str) -> list[tuple[int, str]]:
    """The members that this agent can call, with their index in its prompt's tools."""
    tools = parts.prompts.get(key, {}).get("tools")
    indexes: dict[str, int] = {}
    for index, name in enumerate(as_list(tools)):
        if isinstance(name, str) and name in parts.members and name not in parts.tools:
            indexes.setdefault(name, index)
    return [(index, name) for name, index in indexes.items()]


def _prompts(source: PackSource) -> list[State]:
    return [
        State(
            id=key,
            kind="prompt",
            name=as_str(prompt.get("name")),
            stateless=True,
            role=key,
            prompt_users=source.parts.shared_prompts.get(key, 0),
            counts=_counts({}, prompt),
            place=source.place("prompts", key, element=f"state:{key}"),
        )
        for key, prompt in source.parts.prompts.items()
    ]
