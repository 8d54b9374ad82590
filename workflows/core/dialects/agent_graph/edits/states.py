"""Adding, removing, renaming and copying of agents, and the choice of the entry."""

from __future__ import annotations

import re
from typing import Any

from workflows.core.dialects.agent_graph.edits import templates
from workflows.core.dialects.agent_graph.edits.common import (
    appended,
    need_free_id,
    need_node,
    without,
)
from workflows.core.dialects.agent_graph.edits.templates import new_text, with_new
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import (
    AddState,
    DuplicateState,
    EditRefused,
    RemoveState,
    RenameObject,
    RenameState,
    SetEntry,
)
from workflows.core.pack.forms import Json, PaletteItem
from workflows.core.pack.naming import numbered_name
from workflows.core.prompts.role_templates.names import LONGEST
from workflows.core.prompts.role_templates.resolve import shipped
from workflows.core.text.ascii_names import ascii_id

BLANK = "agent"
TITLES = {
    "orchestrator": (
        "Orchestrator",
        "Leads: splits and delegates the work, and judges the results.",
    ),
    "planner": ("Planner", "Reads the repository and writes plans below docs/."),
    "implementer": ("Implementer", "Changes code, tests it and explains the change."),
    "reviewer": ("Reviewer", "Checks the work of other agents, and changes nothing itself."),
    "investigator": ("Investigator", "Answers a question about the repository, with sources."),
}
PALETTE = (
    *(
        PaletteItem(kind=role, title=title, description=description, suggested_id=role)
        for role, (title, description) in TITLES.items()
    ),
    PaletteItem(
        kind=BLANK,
        title="Agent of your own",
        description="Adds a role template to the pack, for you to write.",
        suggested_id="agent",
    ),
)


def add(source: GraphSource, edit: AddState) -> GraphSource:
    """Add an agent. An agent of your own gets a template with its name that no other agent has."""
    need_free_id(source, edit.id)
    if edit.kind in ("", BLANK):
        source, role = with_own_template(source, edit.id)
    elif edit.kind in shipped():
        role = edit.kind
    else:
        raise EditRefused(f"{edit.kind!r} is not a kind of agent.")
    fresh: dict[str, Json] = {"id": edit.id}
    if edit.name:
        fresh["label"] = edit.name
    fresh["role"] = role
    return source.with_text(appended(source.json, "nodes", fresh))


def with_own_template(source: GraphSource, id: str) -> tuple[GraphSource, str]:
    """The pack with a template for this agent alone, and its name. The pack's template of that name
    is taken if no agent has it."""
    wanted = _role_named(id)
    if wanted in source.template_files and not users_of(source, wanted):
        return source, wanted
    role = numbered_name(wanted, source.role_names)
    return with_new(source, role), role


def users_of(source: GraphSource, role: str) -> list[str]:
    """The agents of this role."""
    return [node.id for node in source.shape.nodes.values() if node.role == role]


def _role_named(id: str) -> str:
    """The id as a template name."""
    return ascii_id(id)[:LONGEST] or BLANK


def remove(source: GraphSource, edit: RemoveState) -> GraphSource:
    """Remove an agent, its edges, and its entry mark. Templates stay."""
    node = need_node(source, edit.id)
    gone = [edge.index for edge in source.shape.edges if edit.id in (edge.source, edge.target)]
    text = without(source.json, ("edges",), gone)
    if source.shape.declared_entry == edit.id:
        text = text.delete(("entry",))
    return source.with_text(text.delete(("nodes", node.index)))


def rename(source: GraphSource, edit: RenameState) -> GraphSource:
    """Rename the id, the ends of every edge, and the entry. A template of the pack that is named
    after the agent, and that only it uses, is renamed too."""
    node = need_node(source, edit.id)
    if edit.new_id == edit.id:
        return source
    need_free_id(source, edit.new_id, but=edit.id)
    text = source.json.set(("nodes", node.index, "id"), edit.new_id)
    for edge in source.shape.edges:
        for key, end in (("from", edge.source), ("to", edge.target)):
            if end == edit.id:
                text = text.set(("edges", edge.index, key), edit.new_id)
    if source.shape.declared_entry == edit.id:
        text = text.set(("entry",), edit.new_id)
    return _with_template_renamed(source.with_text(text), edit.new_id, node.role, edit.id)


def _with_template_renamed(source: GraphSource, id: str, role: str, old: str) -> GraphSource:
    stem = re.sub(r"-\d+$", "", role)
    if role not in source.template_files or _role_named(old) not in (role, stem):
        return source
    if users_of(source, role) != [id]:
        return source
    fresh = numbered_name(_role_named(id), set(source.role_names) - {role})
    text = source.templates[role].text
    source = templates.rename(source, RenameObject(element=f"template:{role}", new_key=fresh))
    if text != new_text(role):
        return source
    path = source.template_files[fresh]
    return source.with_files({path: new_text(fresh).encode()})


def duplicate(source: GraphSource, edit: DuplicateState) -> GraphSource:
    """Add a copy after the original, with its outgoing edges and a copy of its template. Shipped
    templates stay shared. The alias is not copied, because aliases are unique."""
    node = need_node(source, edit.id)
    need_free_id(source, edit.new_id)
    text = source.json
    fields: dict[str, Any] = text.get(("nodes", node.index))
    copy = {key: edit.new_id if key == "id" else item for key, item in fields.items()}
    copy.pop("alias", None)
    if node.role in source.template_files:
        copy["role"] = numbered_name(_role_named(edit.new_id), source.role_names)
        source = with_new(source, copy["role"], source.templates[node.role].text)
    text = text.insert(("nodes", node.index + 1), copy)
    for edge in source.shape.edges:
        if edge.source == edit.id or (edge.bidirectional and edge.target == edit.id):
            again = dict(text.get(("edges", edge.index)))
            for key in ("from", "to"):
                again[key] = edit.new_id if again[key] == edit.id else again[key]
            text = text.insert(("edges", "-"), again)
    return source.with_text(text)


def set_entry(source: GraphSource, edit: SetEntry) -> GraphSource:
    """Make this agent the entry."""
    need_node(source, edit.id)
    return source.with_text(source.json.set(("entry",), edit.id))
