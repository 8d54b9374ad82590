"""Compositions as levels of the canvas: one state per step, one transition per link of its flow.

The state of a step has the id `<composition>/<step id>`; its level is `composition:<composition>`.
If a state of the top level has the same id, the id belongs to that state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.graph.composition_flow import Flow, Link, Step
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import MAX_TRANSITIONS, Entry, Group, State, Transition
from workflows.core.text.json.document import pointer_text
from workflows.core.text.tolerant import as_object, as_positive_int, as_str, as_str_list

LEVEL_KIND = "composition"
STEP_KINDS = ("prompt", "agent", "tool", "branch", "parallel")


def level_of(composition: str) -> str:
    """The level of a composition's canvas."""
    return f"{LEVEL_KIND}:{composition}"


def step_state_id(composition: str, step: str) -> str:
    """The id of a step's state on the canvas."""
    return f"{composition}/{step}"


def composition_of(parts: Parts, id: str) -> str | None:
    """The composition whose canvas contains this id, or would contain it; None for the top level.
    If two names match, the longer one wins."""
    name, slash, _ = id.rpartition("/")
    while slash and name not in parts.compositions:
        name, slash, _ = name.rpartition("/")
    return name if slash and id not in top_level_states(parts) else None


def top_level_states(parts: Parts) -> Mapping[str, Object]:
    """The states of the pack's own canvas by id."""
    if parts.workflow is not None:
        return parts.states
    return parts.members or parts.prompts


def step_at(parts: Parts, id: str) -> tuple[Flow, Step] | None:
    """The step behind a canvas state, and its composition."""
    composition = composition_of(parts, id)
    if composition is None:
        return None
    flow = parts.flow(composition)
    step = flow.steps.get(id.removeprefix(f"{composition}/"))
    return None if step is None else (flow, step)


def link_at(parts: Parts, transition: str) -> tuple[Flow, Link] | None:
    """The drawn transition of a level with this id."""
    for name in parts.compositions:
        if not transition.startswith(f"{name}/"):
            continue
        for link in _links_by_id(parts, name).get(transition, ()):
            if _is_drawn(parts, name, link.source):
                return parts.flow(name), link
    return None


def _links_by_id(parts: Parts, name: str) -> dict[str, list[Link]]:
    """The drawn links of a composition by the id of their transition."""
    links = parts.links_by_id.get(name)
    if links is None:
        links = parts.links_by_id[name] = {}
        for link in parts.flow(name).first_links(MAX_TRANSITIONS)[0]:
            links.setdefault(transition_id(name, link), []).append(link)
    return links


def transition_id(composition: str, link: Link) -> str:
    """The id of a link on the canvas: `source|label|target`."""
    source, target = (step_state_id(composition, step) for step in (link.source, link.target))
    return f"{source}|{link.label}|{target}"


def _is_drawn(parts: Parts, composition: str, step: str) -> bool:
    return composition_of(parts, step_state_id(composition, step)) == composition


class Level:
    """The projection of one composition, and the values it was computed from."""

    __slots__ = (
        "entries",
        "groups",
        "more_transitions",
        "path",
        "shared",
        "spec",
        "states",
        "transitions",
    )

    def __init__(self, path: str, flow: Flow, shared: Mapping[str, int]) -> None:
        name = flow.name
        self.path = path
        self.spec = flow.spec
        self.shared = shared
        links, self.more_transitions = flow.first_links(MAX_TRANSITIONS)
        sources = {link.source for link in links}
        self.states = [
            _step_state(path, flow, step, sources, shared) for step in flow.steps.values()
        ]
        self.transitions = [_transition(path, name, link) for link in links]
        self.groups = [_group(flow, step) for step in flow.branches]
        first = flow.order[:1]
        self.entries = [
            Entry(state=step_state_id(name, step), key=level_of(name)) for step in first
        ]

    @classmethod
    def of(cls, source: PackSource, name: str) -> Level:
        """The cached level if its tree is the same object and the same prompts are shared, else a
        new one."""
        spec, shared = source.parts.compositions[name], source.parts.shared_prompts
        kept = source.projection_cache.get(level_of(name))
        if (
            isinstance(kept, Level)
            and kept.spec is spec
            and kept.path == source.main
            and kept.shared == shared
        ):
            return kept
        level = cls(source.main, source.parts.flow(name), shared)
        source.projection_cache[level_of(name)] = level
        return level


def levels(
    source: PackSource,
) -> tuple[list[State], list[Transition], list[Group], list[Entry], int]:
    """The projections of all compositions of the pack, including those that no state runs, and the
    number of transitions that are left out."""
    parts = source.parts
    states: dict[str, State] = {}
    transitions: list[Transition] = []
    groups: list[Group] = []
    entries: list[Entry] = []
    more_transitions = 0
    for name in parts.compositions:
        level = Level.of(source, name)
        own = {state.id for state in level.states if _is_drawn(parts, name, _step_name(state))}
        states.update({state.id: state for state in level.states if state.id in own})
        transitions += [link for link in level.transitions if link.source in own]
        more_transitions += level.more_transitions
        groups += level.groups
        entries += [entry for entry in level.entries if entry.state in own]
    return list(states.values()), transitions, groups, entries, more_transitions


def _step_name(state: State) -> str:
    return state.id.removeprefix(f"{state.level.removeprefix(f'{LEVEL_KIND}:')}/")


def _step_state(
    path: str, flow: Flow, step: Step, sources: set[str], shared: Mapping[str, int]
) -> State:
    id = step_state_id(flow.name, step.name)
    role = as_str(step.spec.get("prompt_task")) or as_str(step.spec.get("tool"))
    return State(
        id=id,
        kind=step.kind or "step",
        name=as_str(step.spec.get("description")),
        terminal=step.name not in sources,
        group=step_state_id(flow.name, step.parent) if step.parent else None,
        role=role,
        prompt_users=0 if step.kind in ("composition", "tool") else shared.get(role, 0),
        counts=_counts(step.spec),
        level=level_of(flow.name),
        most_calls=max_calls(step.spec),
        place=Place(path=path, pointer=pointer_text(step.pointer), element=f"state:{id}"),
    )


def _counts(spec: Object) -> dict[str, int]:
    more: Mapping[str, Any] = as_object(spec.get("modifiers"))
    counts = {
        "tools": len(as_str_list(spec.get("tools"))),
        "checks": len(as_str_list(more.get("eval"))),
        "retries": _max_attempts(spec) - 1,
    }
    return {name: count for name, count in counts.items() if count}


def _max_attempts(spec: Object) -> int:
    retry = as_object(spec.get("modifiers")).get("retry")
    return (as_positive_int(retry.get("max_attempts")) if isinstance(retry, dict) else None) or 1


def max_calls(spec: Object) -> int | None:
    """The maximum number of model calls of a step, including retries. None for an agent step that
    only a tool call ends."""
    match spec.get("kind"):
        case "prompt":
            return _max_attempts(spec)
        case "agent":
            ending = spec.get("termination")
            steps = as_positive_int(ending.get("max_steps")) if isinstance(ending, dict) else None
            return None if steps is None else steps * _max_attempts(spec)
    return 0


def _transition(path: str, composition: str, link: Link) -> Transition:
    return Transition(
        source=step_state_id(composition, link.source),
        target=step_state_id(composition, link.target),
        label=link.label,
        kind=link.kind,
        place=Place(
            path=path,
            pointer=pointer_text(link.pointer),
            element=f"transition:{transition_id(composition, link)}",
        ),
    )


def _group(flow: Flow, step: str) -> Group:
    parent = flow.steps[step].parent
    return Group(
        id=step_state_id(flow.name, step),
        name=step,
        kind="parallel",
        parent=step_state_id(flow.name, parent) if parent else None,
    )
