"""The inspector's forms and the outline."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.agent_graph.edits.templates import KIND
from workflows.core.dialects.agent_graph.format.model import Capabilities, Node
from workflows.core.dialects.agent_graph.format.vocabulary import PROVIDERS
from workflows.core.dialects.agent_graph.graph.projection import rights_at
from workflows.core.dialects.agent_graph.graph.transitions import EdgeTransition
from workflows.core.dialects.agent_graph.program.call_arguments import SHAPES
from workflows.core.dialects.agent_graph.schemas import definition
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.pack.findings import Place
from workflows.core.pack.forms import ElementPlace, Form, Json, PromptField, Section, tool_names
from workflows.core.pack.shared_prompts import shared_note, with_note
from workflows.core.prompts.role_templates.header import Header, read
from workflows.core.prompts.role_templates.permissions import badges_of
from workflows.core.prompts.role_templates.resolve import shipped
from workflows.core.text.tolerant import as_object

IN_PACK = ("agent_graph", "nodes", "edges")
"""Keys of the file that the form of the pack omits because the canvas shows them."""
MAX_CHOICES = 200
COMPUTED = {
    "type": "string",
    "readOnly": True,
    "x-computed": True,
    "x-group": "Rights",
    "x-widget": "text",
}


def form(source: GraphSource, element: str) -> Form:
    """The form of one element. Raises EditRefused for an unknown element."""
    if not source.readable:
        raise EditRefused("This file is not a readable agent graph.", hint="Open the text view.")
    kind, _, key = element.partition(":")
    if element == "pack":
        return _pack_form(source)
    if kind == "state" and key in source.shape.nodes:
        return _node_form(source, source.shape.nodes[key])
    if kind == "transition" and key in source.transitions:
        return _transition_form(source, source.transitions[key])
    if kind == KIND and source.role(key):
        return _template_form(source, key)
    raise missing_element(element)


def element_place(source: GraphSource, element: str) -> ElementPlace:
    """The place in the form of an element of the outline. Raises EditRefused for an unknown one."""
    kind, _, name = element.partition(":")
    if source.readable and element == "pack":
        return ElementPlace(place=source.place(element="pack"))
    if not source.readable or kind != KIND or name not in source.template_files:
        raise missing_element(element)
    return ElementPlace(place=_template_place(source, name), renamable=True)


def _template_place(source: GraphSource, name: str) -> Place:
    path = source.template_files.get(name, source.main)
    return Place(path=path, line=1, element=f"{KIND}:{name}")


def outline(source: GraphSource) -> tuple[Section, ...]:
    """The pack's own data and its role templates."""
    if not source.readable:
        return ()
    own = tuple((f"{KIND}:{name}", name) for name in source.template_files)
    return (
        Section(kind="pack", title="Pack", items=(("pack", "Agent graph"),)),
        Section(kind=KIND, title="Role templates", items=own, addable=True),
    )


def _pack_form(source: GraphSource) -> Form:
    schema = definition("Pack")
    for key in IN_PACK:
        del schema["properties"][key]
    del schema["required"]
    _choose(schema, "entry", list(source.shape.nodes))
    values = {key: item for key, item in _file_values(source, ()).items() if key not in IN_PACK}
    return Form(
        element="pack",
        title=source.shape.name or "Agent graph",
        schema=schema,
        values=values,
        place=source.place(element="pack"),
        links=tuple((f"state:{id}", id) for id in (source.shape.entry,) if id),
    )


def _node_form(source: GraphSource, node: Node) -> Form:
    schema = definition("Node")
    del schema["properties"]["id"]
    schema["required"] = ["role"]
    _choose(schema, "role", list(source.role_names))
    if note := shared_note(_users(source, node.role), node.id):
        role = schema["properties"]["role"]
        role["description"] = with_note(role.get("description"), note)
    _choose(schema, "provider", list(PROVIDERS))
    template_entry = source.role(node.role)
    rights, declares = (
        schema["properties"],
        template_entry.template.header if template_entry else None,
    )
    rights["declares"] = {**COMPUTED, "title": "Its template", "description": DECLARES}
    rights["rights"] = {**COMPUTED, "title": "So it may", "description": RIGHTS}
    values = _file_values(source, ("nodes", node.index))
    values.pop("id", None)
    values["declares"] = _declared(declares, template_entry.source if template_entry else "")
    values["rights"] = describe_rights(rights_at(source, node))
    return Form(
        element=f"state:{node.id}",
        title=node.id,
        schema=schema,
        values=values,
        place=source.place("nodes", node.index, element=f"state:{node.id}"),
        links=_links(source, node),
        removable=True,
        renamable=True,
        prompt=PromptField(
            element=f"{KIND}:{node.role}",
            field="/text",
            tools=tool_names({name: SHAPES[name][0] for name in SHAPES}),
        )
        if template_entry
        else None,
    )


DECLARES = "Rights that the header of the role's template declares, and the origin of the template."
SHIPPED = "Add a template of this name in the outline to replace it in this pack."
RIGHTS = "Rights that both the template declares and the settings allow."


def _declared(header: Header | None, origin: str) -> str:
    if not origin:
        return "No such template, so only the settings apply."
    where = {"pack": "The pack's own", "shipped": "Shipped with Signalbox"}[origin]
    if header is None:
        return f"{where}. It declares nothing, so only the settings apply."
    words = ", ".join(badge.word for badge in badges_of(header)) or "nothing"
    return f"{where}. It declares {words}."


def describe_rights(rights: Capabilities) -> str:
    """A one-line description of a node's rights."""
    able = []
    if not rights.delegate_only:
        able += ["write code"] if rights.write_code else []
        able += ["write documents"] if rights.write_docs else []
        able += ["run commands"] if rights.run_commands else []
    scope = {"none": [], "self": ["add edges to itself"], "all": ["add agents and edges"]}
    able += scope[rights.edge_management]
    return ", ".join(["read", "hand off", *able])


def _links(source: GraphSource, node: Node) -> tuple[tuple[str, str], ...]:
    links: dict[str, str] = {}
    if node.role in source.templates:
        links[f"{KIND}:{node.role}"] = f"Template {node.role}"
    for transition in source.transitions.values():
        if transition.source == node.id:
            links.setdefault(
                f"transition:{transition.id}", f"{transition.label} to {transition.target}"
            )
    return tuple(links.items())[:MAX_CHOICES]


def _transition_form(source: GraphSource, transition: EdgeTransition) -> Form:
    schema = definition("Edge")
    properties: dict[str, Any] = schema["properties"]
    begin, end = properties.pop("from"), properties.pop("to")
    schema["properties"] = {"source": begin, "target": end, **properties}
    schema["required"] = ["source", "target"]
    for key in ("source", "target"):
        _choose(schema, key, list(source.shape.nodes))
    fields = _file_values(source, ("edges", transition.edge.index))
    values = {key: item for key, item in fields.items() if key not in ("from", "to")}
    return Form(
        element=f"transition:{transition.id}",
        title=transition.label,
        schema=schema,
        values={"source": transition.source, "target": transition.target, **values},
        place=source.place("edges", transition.edge.index, element=f"transition:{transition.id}"),
        links=(
            (f"state:{transition.source}", f"from {transition.source}"),
            (f"state:{transition.target}", f"to {transition.target}"),
        ),
        removable=True,
        renamable=True,
    )


def _users(source: GraphSource, role: str) -> list[str]:
    """The agents with this template of the pack's own; none for a shipped one."""
    if role not in source.template_files:
        return []
    return [node.id for node in source.shape.nodes.values() if node.role == role]


def _template_form(source: GraphSource, name: str) -> Form:
    own = name in source.templates
    template = source.templates[name] if own else read(name, shipped()[name])
    users = [node.id for node in source.shape.nodes.values() if node.role == name]
    declares = {**COMPUTED, "title": "Declares", "description": DECLARES}
    del declares["x-group"]
    text: dict[str, Json] = {"type": "string", "title": "Text", "x-widget": "prompt"}
    if not own:
        text |= {"readOnly": True, "description": SHIPPED}
    elif note := shared_note(users):
        text["description"] = note
    return Form(
        element=f"{KIND}:{name}",
        title=name,
        schema={
            "type": "object",
            "title": "Role template",
            "description": "A [template] header that declares the rights of the role, an empty "
            "line, and the prompt in Markdown. The whole file is sent.",
            "properties": {
                "declares": declares,
                "text": text,
            },
        },
        values={
            "declares": _declared(template.header, "pack" if own else "shipped"),
            "text": template.text,
        },
        place=_template_place(source, name),
        links=tuple((f"state:{id}", f"Used by {id}") for id in users[:MAX_CHOICES]),
        removable=own,
        renamable=own,
    )


def _file_values(source: GraphSource, pointer: tuple[str | int, ...]) -> dict[str, Json]:
    """The values of the file at a pointer."""
    return dict(as_object(source.json.get(pointer)))


def _choose(schema: dict[str, Any], key: str, choices: list[str]) -> None:
    schema["properties"][key]["x-choices"] = choices[:MAX_CHOICES]
