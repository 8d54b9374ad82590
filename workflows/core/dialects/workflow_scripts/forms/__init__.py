"""Forms of the inspector, outline and palette."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.workflow_scripts.edits.literals import pair_of, shown_template
from workflows.core.dialects.workflow_scripts.edits.places import (
    limits,
    options_node,
    phase_nodes,
    prompt_node,
    resolved,
    state_of,
)
from workflows.core.dialects.workflow_scripts.edits.values import code_range
from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.syntax import (
    arguments,
    number_value,
    short,
    text,
)
from workflows.core.dialects.workflow_scripts.format.vocabulary import OPTIONS
from workflows.core.dialects.workflow_scripts.graph.model import PlanState
from workflows.core.dialects.workflow_scripts.schemas import (
    Schema,
    call_schema,
    computed,
    pack_schema,
    phase_schema,
)
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.pack.findings import Place
from workflows.core.pack.forms import Form, PromptField, Section


def outline(source: ScriptSource) -> tuple[Section, ...]:
    """Declared phases, constants with numbers, agent definitions."""
    phases = tuple((f"phase:{one['title']}", str(one["title"])) for one in source.meta.phases)
    constants = tuple(
        (f"limit:{name}", f"{name} = {text(node)}") for name, node in limits(source).items()
    )
    types = tuple((f"file:{one.path}", one.name) for one in source.definitions.values())
    return (
        Section(kind="phase", title="Phases", items=phases, addable=source.meta.object is not None),
        Section(kind="limit", title="Limits", items=constants),
        Section(kind="file", title="Agent types", items=types),
    )


def fields(source: ScriptSource, element: str, profile: str) -> Form:
    """The form of an element. Raises EditRefused for an unknown one."""
    kind, _, key = (element or "pack").partition(":")
    match kind:
        case "pack" if not key:
            return _pack(source)
        case "state":
            return _state(source, state_of(source, key), profile)
        case "transition":
            return _transition(source, key)
        case "phase":
            return _phase(source, key)
        case "limit" if key in limits(source):
            node = limits(source)[key]
            return _form(
                source,
                element,
                key,
                {"value": {"type": "integer", "title": "Value", "minimum": 0}},
                {"value": number_value(node)},
                source.place(node, element),
            )
        case "code":
            start, end = code_range(source, key)
            line = source.data.count(b"\n", 0, start) + 1
            return _form(
                source,
                element,
                "Code",
                {"text": {"type": "string", "title": "Text", "x-widget": "code"}},
                {"text": source.data[start:end].decode("utf-8", "replace")},
                Place(path=source.main, line=line, element=element),
            )
        case "file" if key in source.files:
            data = source.files[key].decode("utf-8", "replace")
            schema: Schema = {"type": "string", "title": "Text", "readOnly": True}
            place = Place(path=key, line=1, element=element)
            return _form(source, element, key, {"text": schema}, {"text": data}, place)
    raise missing_element(element)


def _form(
    source: ScriptSource,
    element: str,
    title: str,
    properties: Schema,
    shown: dict[str, Any],
    place: Place,
    **more: Any,
) -> Form:
    return Form(
        element=element,
        title=title,
        schema={"type": "object", "properties": properties},
        values=shown,
        place=place,
        **more,
    )


def _pack(source: ScriptSource) -> Form:
    meta = source.meta
    properties = pack_schema()
    for key in meta.value:
        properties.setdefault(key, {"title": key, "x-widget": "json"})
    return _form(
        source,
        "pack",
        source.name,
        properties,
        dict(meta.value),
        source.place(meta.statement, "pack"),
    )


def _state(source: ScriptSource, state: PlanState, profile: str) -> Form:
    element = f"state:{state.id}"
    if state.kind != "agent":
        code: Schema = {"code": computed("Code")}
        shown: dict[str, Any] = {"code": short(state.node, 500)}
        return _form(source, element, state.id, code, shown, source.place(state.use, element))
    titles = [str(one["title"]) for one in source.meta.phases]
    properties = call_schema(titles, list(source.definitions))
    shown = {"count": str(state.count)}
    prompt = None
    try:
        node = prompt_node(source, state)
        shown["prompt"] = shown_template(node)
        prompt = PromptField(element=element, field="/prompt", opening="${", closing="}")
    except EditRefused:
        properties["prompt"] |= {"readOnly": True, "x-widget": "code"}
        nodes = arguments(state.node)
        shown["prompt"] = text(nodes[0]) if nodes else ""
    for key, value in (state.options or {}).items():
        properties.setdefault(key, {"title": key, "x-widget": "json", "x-rare": True})
        literal, locked = _option(source, state, key, value)
        if literal is not None:
            shown[key] = literal
        if locked:
            properties[key] = {**properties[key], "readOnly": True}
            properties[key].pop("enum", None)
    for key in properties:
        allowed = OPTIONS.get(profile, OPTIONS["claude-code"])
        if key in ("effort", "isolation") and key not in allowed:
            properties[key] = {**properties[key], "x-rare": True}
    return _form(
        source,
        element,
        state.id,
        properties,
        shown,
        source.place(state.use, element),
        renamable=True,
        prompt=prompt,
    )


def _option(
    source: ScriptSource, state: PlanState, key: str, value: values.Value
) -> tuple[Any, bool]:
    """The value of an option in its form, and True if it is computed."""
    try:
        options = options_node(source, state)
    except EditRefused:
        options = None
    pair = pair_of(options, key) if options is not None else None
    written = pair.child_by_field_name("value") if pair is not None else None
    if written is not None:
        node = resolved(source, written, state)
        if node.type in ("string", "template_string"):
            return shown_template(node), False
    try:
        return values.static(value), pair is None
    except ValueError:
        return (short(written, 200) if written is not None else None), True


def _transition(source: ScriptSource, key: str) -> Form:
    for arrow in source.plan.arrows:
        if f"{arrow.source}|{arrow.label}|{arrow.target}" == key:
            break
    else:
        raise missing_element(f"transition:{key}")
    element = f"transition:{key}"
    links = [(f"state:{id}", id) for id in (arrow.source, arrow.target) if id]
    return _form(
        source,
        element,
        f"{arrow.label} → {arrow.target or 'end'}",
        {"condition": computed("Condition")},
        {"condition": arrow.label},
        source.place(arrow.node, element),
        links=tuple(links),
    )


def _phase(source: ScriptSource, title: str) -> Form:
    found = next((one for one in source.meta.phases if one["title"] == title), None)
    nodes = phase_nodes(source, title)
    if found is None and not nodes:
        raise missing_element(f"phase:{title}")
    element = f"phase:{title}"
    properties = phase_schema()
    shown = {key: one for key, one in (found or {}).items() if key in properties}
    return _form(
        source,
        element,
        title,
        properties,
        shown,
        source.place(nodes[0] if nodes else None, element),
        renamable=True,
        removable=found is not None,
    )
