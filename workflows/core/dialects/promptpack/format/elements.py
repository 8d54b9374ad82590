"""Conversion between elements and pointers: `prompt:review` ↔ /prompts/review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workflows.core.dialects.promptpack.format.agent_states import agent_at
from workflows.core.dialects.promptpack.format.parts import ON_MAX_VISITS, Parts, Pointer
from workflows.core.dialects.promptpack.graph.levels import step_at, step_state_id
from workflows.core.text.tolerant import as_object_map, as_str

SINGLETONS = {
    "pack": ((), "Pack"),
    "workflow": (("workflow",), "Workflow"),
    "budget": (("workflow", "engine", "budget"), "Budget"),
    "agents": (("agents",), "Agents"),
}
MAPS = {
    "prompt": (("prompts",), "Prompt"),
    "tool": (("tools",), "Tool"),
    "fragment": (("fragments",), "Fragment"),
    "agent": (("agents", "members"), "Agent"),
    "composition": (("compositions",), "Composition"),
}
STEP = "Step"
"""The schema definition of a composition's step. Its `kind` determines its fields."""
LISTS: dict[str, Pointer] = {
    "eval": ("evals",),
    "skill": ("skills",),
    "provider": ("requires", "providers"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementLocation:
    """The pointer of an element, and the schema definition that it follows."""

    pointer: Pointer
    definition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StateTransition:
    """A transition of the workflow: source, event ("" for the redirect of a cap) and target."""

    source: str
    event: str
    target: str

    @property
    def id(self) -> str:
        return f"{self.source}|{self.event or ON_MAX_VISITS}|{self.target}"

    @property
    def pointer(self) -> Pointer:
        base: Pointer = ("workflow", "states", self.source)
        return (*base, "on_event", self.event) if self.event else (*base, ON_MAX_VISITS)


def locate_element(parts: Parts, element: str) -> ElementLocation | None:
    """The location of this element; None if the pack has no such element."""
    kind, _, key = element.partition(":")
    if kind in SINGLETONS and not key:
        pointer, definition = SINGLETONS[kind]
        return ElementLocation(pointer=pointer, definition=definition)
    if kind == "state":
        return _state_location(parts, key)
    if kind in MAPS:
        base, definition = MAPS[kind]
        by_kind: Mapping[str, Mapping[str, object]] = {
            "prompt": parts.prompts,
            "tool": parts.tools,
            "fragment": parts.fragments,
            "agent": parts.members,
            "composition": parts.compositions,
        }
        return (
            ElementLocation(pointer=(*base, key), definition=definition)
            if key in by_kind[kind]
            else None
        )
    if kind == "artifact":
        slots = artifact_slots(parts, key)
        return ElementLocation(pointer=slots[0], definition="Artifact") if slots else None
    return _list_location(parts, kind, key)


def artifact_slots(parts: Parts, name: str) -> list[Pointer]:
    """The pointers of all declarations of this artifact. States share its value but each declares
    it."""
    return [
        ("workflow", "states", state, "artifacts", name)
        for state, spec in parts.states.items()
        if name in as_object_map(spec.get("artifacts"))
    ]


def _state_location(parts: Parts, key: str) -> ElementLocation | None:
    """The location of a canvas state: a state, a step of a composition, or, in a pack without a
    workflow, a prompt or an agent."""
    if key in parts.states:
        return ElementLocation(pointer=("workflow", "states", key), definition="State")
    place = step_at(parts, key)
    if place is not None:
        return ElementLocation(pointer=place[1].pointer, definition=STEP)
    if parts.workflow is None and key in parts.prompts:
        return ElementLocation(pointer=("prompts", key), definition="Prompt")
    agent = agent_at(parts, key)
    if agent:
        return ElementLocation(pointer=("agents", "members", agent), definition="Agent")
    return None


def _list_location(parts: Parts, kind: str, key: str) -> ElementLocation | None:
    match kind:
        case "eval":
            for pointer, item in parts.evals:
                if len(pointer) == 2 and item.get("id") == key:
                    return ElementLocation(pointer=pointer, definition="Eval")
        case "skill" if key in parts.skills:
            index = parts.skills[key]
            return ElementLocation(
                pointer=("skills", index), definition=_skill_definition(parts, index)
            )
        case "provider" if key in parts.providers:
            index, _ = parts.providers[key]
            return ElementLocation(
                pointer=("requires", "providers", index), definition="ProviderNeed"
            )
    return None


def _skill_definition(parts: Parts, index: int) -> str:
    value = parts.tree["skills"][index]
    return "SkillInline" if isinstance(value, dict) and "path" not in value else "SkillPath"


def find_transition(parts: Parts, transition: str) -> StateTransition | None:
    """The transition with this id. Names can contain `|`, so every split is tried."""
    pieces = transition.split("|")
    for first in range(1, len(pieces) - 1):
        source = "|".join(pieces[:first])
        state = parts.states.get(source)
        if state is None:
            continue
        for second in range(first + 1, len(pieces)):
            label, target = "|".join(pieces[first:second]), "|".join(pieces[second:])
            if parts.events[source].get(label) == target:
                return StateTransition(source=source, event=label, target=target)
            if label == ON_MAX_VISITS and state.get(ON_MAX_VISITS) == target:
                return StateTransition(source=source, event="", target=target)
    return None


def element_at(parts: Parts, pointer: Pointer) -> str:
    """The innermost element that contains a pointer; "pack" if there is no other."""
    match pointer:
        case ("workflow", "states", str(state), "on_event", str(event)):
            target = parts.events.get(state, {}).get(event, "")
            return f"transition:{state}|{event}|{target}"
        case ("workflow", "states", str(state), "on_max_visits"):
            target = as_str(parts.states.get(state, {}).get(ON_MAX_VISITS))
            return f"transition:{state}|{ON_MAX_VISITS}|{target}"
        case ("workflow", "states", str(state), *_):
            return f"state:{state}"
        case ("workflow", "engine", "budget", *_):
            return "budget"
        case ("workflow", *_):
            return "workflow"
        case ("agents", "members", str(key), *_):
            return f"agent:{key}"
        case ("agents", *_):
            return "agents"
        case ("compositions", str(name), "steps", int(), *_):
            return _step_element(parts, name, pointer)
        case ("prompts" | "tools" | "fragments" | "compositions" as base, str(key), *_):
            return f"{base[:-1]}:{key}"
        case ("evals" | "skills" as base, int(index), *_):
            return _list_element(parts, base, index)
        case ("requires", "providers", int(index), *_):
            names = [key for key, (at, _) in parts.providers.items() if at == index]
            return f"provider:{names[0]}" if names else "pack"
    return "pack"


def _step_element(parts: Parts, composition: str, pointer: Pointer) -> str:
    """The innermost step that contains this pointer."""
    step = parts.flow(composition).step_around(pointer)
    if step is None:
        return f"composition:{composition}"
    id = step_state_id(composition, step.name)
    place = step_at(parts, id)
    drawn = place is not None and place[1].pointer == step.pointer
    return f"state:{id}" if drawn else f"composition:{composition}"


def _list_element(parts: Parts, base: str, index: int) -> str:
    if base == "skills":
        names = [label for label, at in parts.skills.items() if at == index]
        return f"skill:{names[0]}" if names else "pack"
    names = [as_str(item.get("id")) for at, item in parts.evals if at == (base, index)]
    return f"eval:{names[0]}" if names and names[0] else "pack"
