"""The inspector's forms and the outline. Both come from the schema: one text checks and helps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from workflows.core.dialects.promptpack.edits.objects import ADDABLE, names
from workflows.core.dialects.promptpack.elements import STEP, arrow, element_at, spot
from workflows.core.dialects.promptpack.levels import link_at
from workflows.core.dialects.promptpack.link_form import link_form
from workflows.core.dialects.promptpack.parts import Parts, word
from workflows.core.dialects.promptpack.references import references
from workflows.core.dialects.promptpack.schema import definitions, resolved, with_kind
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.edits import EditRefused
from workflows.core.forms import Form, Json, Section

KEPT = (
    "type", "title", "description", "default", "examples", "enum", "minimum", "maximum",
    "minLength", "maxLength", "pattern", "required", "x-widget", "x-choices", "x-element",
    "x-order",
)  # fmt: skip
ELSEWHERE = (
    "prompts", "tools", "fragments", "evals", "workflow", "agents", "skills", "compositions",
)  # fmt: skip
"""Parts of the root that have elements, and so forms, of their own."""
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
MOST_LINKS = 50
MOST_CHOICES = 500
DEEPEST = 6


def form(source: PackSource, element: str) -> Form:
    """The form of one element. Raises EditRefused for one that is not there."""
    if not source.readable:
        raise EditRefused("This file is not a readable pack.", hint="Open the text view.")
    if element.startswith("transition:"):
        return _arrow_form(source, element)
    found = spot(source.parts, element)
    if found is None:
        raise EditRefused(f"There is no {element!r} in this pack.", where=element)
    kind, _, key = element.partition(":")
    value = source.json.get(found.pointer, {})
    return Form(
        element=element,
        title=key or found.definition,
        schema=_schema_of(source.parts, found.definition, value),
        values=_values(found.definition, value),
        place=source.place(*found.pointer, element=element),
        links=_links(source, kind, key),
        removable=kind not in ("pack", "workflow") and source.has(found.pointer),
        renamable=kind in RENAMABLE,
    )


def _values(definition: str, value: Any) -> dict[str, Json]:
    """What the file has, as the form's fields."""
    match definition, value:
        case "Fragment", str(text):
            return {"text": text}
        case "SkillPath", str(path):
            return {"path": path}
        case "ProviderNeed", str(key):
            return {"key": key}
        case "Pack", dict():
            return {name: item for name, item in value.items() if name not in ELSEWHERE}
        case "Workflow" | "Agents", dict():
            inside = ("states", "members")
            return {name: item for name, item in value.items() if name not in inside}
        case _, dict():
            return dict(value)
    return {}


def _schema_of(parts: Parts, definition: str, value: Any) -> Mapping[str, object]:
    """The schema of this very value: which fields a step has depends on its kind."""
    if definition != STEP:
        return _schema(parts, definition)
    kind = word(value.get("kind")) if isinstance(value, dict) else ""
    return _with_choices(_drawn_step(kind), parts)


@cache
def _drawn_step(kind: str) -> Mapping[str, Any]:
    """Its branches are boxes of their own, and its id is renamed like any box's."""
    whole = {**with_kind(definitions()[STEP], kind), "x-widget": None}
    schema = _plain(whole, 0)
    for name in ("id", "branches"):
        schema["properties"].pop(name, None)
        if name in schema["required"]:
            schema["required"].remove(name)
    return {key: item for key, item in schema.items() if item is not None}


def _schema(parts: Parts, definition: str) -> Mapping[str, object]:
    schema = dict(_drawn(definition))
    return _with_choices(schema, parts)


@cache
def _drawn(definition: str) -> Mapping[str, Any]:
    """One definition in the subset of JSON Schema that forms are drawn from."""
    schema = _plain(definitions()[definition], 0)
    hidden = {"Pack": ELSEWHERE, "Workflow": ("states",), "Agents": ("members",)}
    for name in hidden.get(definition, ()):
        schema["properties"].pop(name, None)
    if "required" in schema:
        schema["required"] = [name for name in schema["required"] if name in schema["properties"]]
    return schema


def _plain(schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
    whole = resolved(schema)
    drawn = {key: whole[key] for key in KEPT if key in whole}
    if isinstance(drawn.get("type"), list):
        drawn["type"] = drawn["type"][0]
    if drawn.get("x-widget") == "json" or depth > DEEPEST:
        return {**drawn, "x-widget": "json"}
    if "properties" in whole:
        drawn["properties"] = {
            name: _plain(item, depth + 1) for name, item in whole["properties"].items()
        }
    if isinstance(whole.get("items"), Mapping):
        drawn["items"] = _plain(whole["items"], depth + 1)
    rest = whole.get("additionalProperties")
    if isinstance(rest, Mapping) and "oneOf" not in rest:
        drawn["additionalProperties"] = _plain(rest, depth + 1)
    if "oneOf" in whole:
        drawn["x-widget"] = "json"
    return drawn


def _with_choices(schema: Mapping[str, Any], parts: Parts) -> dict[str, Any]:
    """The schema with the names that exist in this pack offered where a field wants one."""
    drawn = dict(schema)
    kind = drawn.get("x-element")
    if isinstance(kind, str):
        known = list(parts.states) if kind == "state" else names(parts, kind)
        drawn["x-choices"] = known[:MOST_CHOICES]
    for key in ("properties", "items", "additionalProperties"):
        inner = drawn.get(key)
        if key == "properties" and isinstance(inner, Mapping):
            drawn[key] = {name: _with_choices(item, parts) for name, item in inner.items()}
        elif isinstance(inner, Mapping):
            drawn[key] = _with_choices(inner, parts)
    return drawn


def _arrow_form(source: PackSource, element: str) -> Form:
    parts, transition = source.parts, element.removeprefix("transition:")
    found = arrow(parts, transition)
    if found is None and link_at(parts, transition):
        return link_form(source, element)
    if found is None:
        return _delegation_form(source, element)
    values: dict[str, Json] = {"target": found.target}
    if found.event:
        values["event"] = found.event
    elif "max_visits" in parts.states[found.source]:
        values["max_visits"] = parts.states[found.source]["max_visits"]
    return Form(
        element=element,
        title=found.event or "When the cap is reached",
        schema=_schema(parts, "Transition" if found.event else "Redirect"),
        values=values,
        place=source.place(*found.pointer, element=element),
        links=(
            (f"state:{found.source}", f"from {found.source}"),
            (f"state:{found.target}", f"to {found.target}"),
        ),
        removable=True,
        renamable=bool(found.event),
    )


def _delegation_form(source: PackSource, element: str) -> Form:
    """An agent that may call another: there is nothing to fill in but the two ends."""
    agent, _, rest = element.removeprefix("transition:").partition("|")
    other = rest.rpartition("|")[2]
    if source.parts.workflow is not None or agent not in source.parts.members:
        raise EditRefused(f"There is no {element!r} in this pack.", where=element)
    return Form(
        element=element,
        title=f"{agent} may call {other}",
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
    """What this element names, and who names it."""
    parts = source.parts
    found: dict[str, str] = {}
    if kind == "state" and key in parts.states:
        task = word(parts.states[key].get("prompt_task"))
        if task in parts.prompts:
            found[f"prompt:{task}"] = f"Prompt {task}"
    if kind == "prompt" and key in parts.members:
        found[f"agent:{key}"] = f"Agent {key}"
    if kind == "agent" and key in parts.prompts:
        found[f"prompt:{key}"] = f"Prompt {key}"
    for mention in references(parts, kind, key):
        element = element_at(parts, mention.pointer)
        if element not in ("pack", f"{kind}:{key}"):
            found.setdefault(element, f"Used by {element.partition(':')[2] or element}")
        if len(found) >= MOST_LINKS:
            break
    return tuple(found.items())


def outline(source: PackSource) -> tuple[Section, ...]:
    """Everything of the pack that is no box: its own data first, then the objects by kind."""
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
        items = tuple((f"{kind}:{key}", _label(parts, kind, key)) for key in names(parts, kind))
        sections.append(Section(kind=kind, title=title, items=items, addable=kind in ADDABLE))
    return tuple(sections)


def _label(parts: Parts, kind: str, key: str) -> str:
    if kind == "prompt":
        return word(parts.prompts[key].get("name")) or key
    return key
