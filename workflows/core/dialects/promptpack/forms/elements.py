"""Inspector forms and the outline. Both are generated from the schema that also checks the pack."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.promptpack.edits.objects import ADDABLE, object_keys
from workflows.core.dialects.promptpack.format.agent_states import agent_at
from workflows.core.dialects.promptpack.format.elements import (
    STEP,
    element_at,
    find_transition,
    locate_element,
)
from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.format.references import references
from workflows.core.dialects.promptpack.forms.prompt_field import prompt_field
from workflows.core.dialects.promptpack.forms.schema_subset import HIDDEN, form_schema
from workflows.core.dialects.promptpack.forms.step_transitions import link_form
from workflows.core.dialects.promptpack.graph.levels import link_at
from workflows.core.dialects.promptpack.schemas.versions import FORMAT, describe_versions
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.pack.forms import ElementPlace, Form, Json, Section
from workflows.core.pack.shared_prompts import shared_note, with_note
from workflows.core.text.tolerant import as_str

SECTIONS = (
    ("prompt", "Prompts"),
    ("tool", "Tools"),
    ("fragment", "Fragments"),
    ("artifact", "Artifacts"),
    ("eval", "Evals"),
    ("agent", "Agents"),
    ("skill", "Skills"),
    ("composition", "Compositions"),
    ("provider", "Providers"),
)
RENAMABLE = (
    "state",
    "prompt",
    "tool",
    "fragment",
    "artifact",
    "eval",
    "agent",
    "composition",
    "provider",
)
MAX_LINKS = 50
FORMAT_FIELD = {
    "type": "string",
    "title": "Version of the format",
    "x-computed": True,
    "readOnly": True,
    "description": "The oldest published version that accepts this pack. It is computed from the "
    "content; the file does not contain it.",
}


def form(source: PackSource, element: str) -> Form:
    """The form of one element. Raises EditRefused for an element that does not exist."""
    if not source.readable:
        raise EditRefused("This file is not a readable pack.", hint="Open the text view.")
    if element.startswith("transition:"):
        return _transition_form(source, element)
    location = locate_element(source.parts, element)
    if location is None:
        raise missing_element(element)
    kind, _, key = element.partition(":")
    value = source.json.get(location.pointer, {})
    step = as_str(value.get("kind")) if location.definition == STEP else ""
    schema = form_schema(source.parts, location.definition, step)
    values = _values(location.definition, value)
    _say_shared(source.parts, schema, kind, key, value)
    if location.definition == "Pack":
        schema["properties"][FORMAT] = FORMAT_FIELD
        values[FORMAT] = describe_versions(source.parts.tree)
    return Form(
        element=element,
        title=key or location.definition,
        schema=schema,
        values=values,
        place=source.place(*location.pointer, element=element),
        links=_links(source, kind, key),
        removable=kind not in ("pack", "workflow") and source.has(location.pointer),
        renamable=kind in RENAMABLE,
        prompt=prompt_field(source.parts, kind, key, value),
    )


def element_place(source: PackSource, element: str) -> ElementPlace:
    """The place in the form of an element of the outline. Raises EditRefused for an unknown one."""
    location = locate_element(source.parts, element) if source.readable else None
    if location is None:
        raise missing_element(element)
    return ElementPlace(
        place=source.place(*location.pointer, element=element),
        renamable=element.partition(":")[0] in RENAMABLE,
    )


def _say_shared(parts: Parts, schema: dict[str, Any], kind: str, key: str, value: Any) -> None:
    """Name the other states at the field of a shared prompt, in the forms of its users and in its
    own."""
    if kind not in ("prompt", "state") or not isinstance(value, dict):
        return
    task = key if kind == "prompt" else as_str(value.get("prompt_task"))
    field = "system_template" if kind == "prompt" else "prompt_task"
    if task not in parts.prompts or field not in schema.get("properties", {}):
        return
    note = shared_note(parts.shown_users.get(task, []), "" if kind == "prompt" else key)
    if note:
        properties = schema["properties"]
        fields = {"description": with_note(properties[field].get("description"), note)}
        schema["properties"] = {**properties, field: {**properties[field], **fields}}


def _values(definition: str, value: Any) -> dict[str, Json]:
    """The values of an element in the file, by form field."""
    match definition, value:
        case "Fragment", str(text):
            return {"text": text}
        case "SkillPath", str(path):
            return {"path": path}
        case "ProviderNeed", str(key):
            return {"key": key}
        case _, dict():
            elsewhere = HIDDEN.get(definition, ())
            return {name: item for name, item in value.items() if name not in elsewhere}
    return {}


def _transition_form(source: PackSource, element: str) -> Form:
    parts, transition = source.parts, element.removeprefix("transition:")
    state_transition = find_transition(parts, transition)
    if state_transition is None and link_at(parts, transition):
        return link_form(source, element)
    if state_transition is None:
        return _delegation_form(source, element)
    values: dict[str, Json] = {"target": state_transition.target}
    if state_transition.event:
        values["event"] = state_transition.event
    elif "max_visits" in parts.states[state_transition.source]:
        values["max_visits"] = parts.states[state_transition.source]["max_visits"]
    return Form(
        element=element,
        title=state_transition.event or "Redirect at the cap",
        schema=form_schema(parts, "Transition" if state_transition.event else "Redirect"),
        values=values,
        place=source.place(*state_transition.pointer, element=element),
        links=(
            (f"state:{state_transition.source}", f"from {state_transition.source}"),
            (f"state:{state_transition.target}", f"to {state_transition.target}"),
        ),
        removable=True,
        renamable=bool(state_transition.event),
    )


def _delegation_form(source: PackSource, element: str) -> Form:
    """The form of a call from one agent to another. Only its two ends are shown."""
    start, _, rest = element.removeprefix("transition:").partition("|")
    agent, other = agent_at(source.parts, start), agent_at(source.parts, rest.rpartition("|")[2])
    if not agent:
        raise missing_element(element)
    return Form(
        element=element,
        title=f"{agent} can call {other}",
        schema={
            "type": "object",
            "title": "Delegation",
            "properties": {"target": {"type": "string", "title": "Calls", "readOnly": True}},
        },
        values={"target": other},
        place=source.place("prompts", agent, "tools", element=element),
        links=((f"prompt:{agent}", agent), (f"prompt:{other}", other)),
        removable=True,
    )


def _links(source: PackSource, kind: str, key: str) -> tuple[tuple[str, str], ...]:
    """Elements that this element refers to, and elements that refer to it."""
    parts = source.parts
    links: dict[str, str] = {}
    if kind == "state" and key in parts.states:
        task = as_str(parts.states[key].get("prompt_task"))
        if task in parts.prompts:
            links[f"prompt:{task}"] = f"Prompt {task}"
    if kind == "prompt" and key in parts.members:
        links[f"agent:{key}"] = f"Agent {key}"
    if kind == "agent" and key in parts.prompts:
        links[f"prompt:{key}"] = f"Prompt {key}"
    for mention in references(parts, kind, key):
        element = element_at(parts, mention.pointer)
        if element not in ("pack", f"{kind}:{key}"):
            links.setdefault(element, f"Used by {element.partition(':')[2] or element}")
        if len(links) >= MAX_LINKS:
            break
    return tuple(links.items())


def outline(source: PackSource) -> tuple[Section, ...]:
    """Every object of the pack that is not a state: the pack's own data first, then objects by
    kind."""
    if not source.readable:
        return ()
    parts = source.parts
    head = [("pack", "Pack")]
    if parts.workflow is not None:
        head += [("workflow", "Workflow"), ("budget", "Budget")]
    if parts.agents is not None:
        head.append(("agents", "Agents"))
    sections = [Section(kind="pack", title="Pack", items=tuple(head))]
    for kind, title in SECTIONS:
        items = tuple(
            (f"{kind}:{key}", _label(parts, kind, key)) for key in object_keys(parts, kind)
        )
        sections.append(Section(kind=kind, title=title, items=items, addable=kind in ADDABLE))
    return tuple(sections)


def _label(parts: Parts, kind: str, key: str) -> str:
    if kind == "prompt":
        return as_str(parts.prompts[key].get("name")) or key
    return key
