"""Rules on agents: ids, roles and rights."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.agent_graph.format.model import Node, mapping
from workflows.core.dialects.agent_graph.format.permissions import effective, exceeding
from workflows.core.dialects.agent_graph.format.vocabulary import PROVIDERS
from workflows.core.dialects.agent_graph.graph.projection import rights_at
from workflows.core.dialects.agent_graph.rules.kit import graph_rule, set_fix, unset_fix
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import AddObject
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import closest_name, numbered_name
from workflows.core.prompts.role_templates.names import LONGEST, RULE, is_name
from workflows.core.prompts.role_templates.permissions import rights_of
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.ascii_names import ascii_id
from workflows.core.text.tolerant import as_list


@graph_rule("AG201", "error", "Duplicate agent id", profiles=EVERY)
def repeated_id(source: GraphSource) -> Iterable[Note]:
    """Edges and calls name agents by id, so ids are unique. The second agent with the same id is
    neither drawn nor run. Give it another id."""
    first_index: dict[str, int] = {}
    for index, item in enumerate(as_list(source.json.get(("nodes",), None))):
        node = Node.of(item, index)
        if node is not None and first_index.setdefault(node.id, index) != index:
            free = numbered_name(node.id, source.shape.nodes)
            here = ("nodes", index, "id")
            yield Note(
                message=f"The id {node.id!r} is already the id of another agent.",
                pointer=here,
                fix=set_fix(f"Rename to {free}", here, free),
            )


@graph_rule("AG202", "error", "Duplicate alias", profiles=EVERY)
def repeated_alias(source: GraphSource) -> Iterable[Note]:
    """Calls may name an agent by its alias, in upper or lower case. An alias must be unique and
    must not be the id of another agent. Otherwise a call would reach the wrong agent. Change one of
    the two."""
    owners = {node.id.casefold(): node.id for node in source.shape.nodes.values()}
    first_ids: dict[str, str] = {}
    for node in source.shape.nodes.values():
        alias = node.alias.casefold()
        if not alias:
            continue
        other = first_ids.setdefault(alias, node.id)
        kind = "alias"
        if other == node.id:
            other, kind = owners.get(alias, node.id), "id"
        if other != node.id:
            here = ("nodes", node.index, "alias")
            yield Note(
                message=f"The alias {node.alias!r} of {node.id!r} is the {kind} of {other!r}.",
                pointer=here,
                fix=unset_fix(f"Remove the alias of {node.id}", here),
            )


@graph_rule("AG203", "warning", "Unknown provider", profiles=EVERY)
def unknown_provider(source: GraphSource) -> Iterable[Note]:
    """The provider is the kind of tool-using model for which an agent is written: codex, claude,
    gemini, or custom for any other. It selects no connection: the run does. The agent's `model` is
    looked up in the model names of that connection; without one, the connection's own model is
    used."""
    for node in source.shape.nodes.values():
        if node.provider not in PROVIDERS:
            near = closest_name(node.provider.lower(), PROVIDERS) or "custom"
            here = ("nodes", node.index, "provider")
            yield Note(
                message=f"The agent {node.id!r} has the unknown provider {node.provider!r}.",
                pointer=here,
                hint=f"The providers are {', '.join(PROVIDERS)}.",
                fix=set_fix(f"Change to {near}", here, near),
            )


@graph_rule("AG204", "error", "Invalid role name", profiles=EVERY)
def role_name(source: GraphSource) -> Iterable[Note]:
    """A role is a file name of letters, digits, underscores and hyphens. A name with dots or
    slashes could lead out of the folder of templates and bring any file into a prompt. It is
    refused everywhere, so the agent has no template."""
    for node in source.shape.nodes.values():
        if node.role and not is_name(node.role):
            plain = ascii_id(node.role.strip())[:LONGEST]
            here = ("nodes", node.index, "role")
            yield Note(
                message=f"The role {node.role!r} of {node.id!r} is not a valid template name.",
                pointer=here,
                hint=RULE,
                fix=set_fix(f"Change to {plain}", here, plain) if plain else None,
            )


@graph_rule("AG205", "warning", "Blank prompt instead of a template", profiles=EVERY)
def blank_prompt(source: GraphSource) -> Iterable[Note]:
    """A prompt replaces the template unless it is empty. This prompt has only white space, so the
    agent gets no role text. Write the prompt, or remove it to send the template."""
    for node in source.shape.nodes.values():
        if node.custom_system_prompt and not node.custom_system_prompt.strip():
            here = ("nodes", node.index, "customSystemPrompt")
            yield Note(
                message=f"The agent {node.id!r} has a blank prompt instead of its template.",
                pointer=here,
                fix=unset_fix("Remove the prompt", here),
            )


@graph_rule("AG206", "warning", "Role without a template", profiles=EVERY)
def missing_template(source: GraphSource) -> Iterable[Note]:
    """Neither the pack nor Signalbox has a template of this name. A server may store one. Without
    it, the prompt reports the missing template, and only the settings limit the agent. Add the
    template to the pack, or choose another role. An agent with a prompt of its own needs no
    template."""
    for node in source.shape.nodes.values():
        if not is_name(node.role) or node.custom_system_prompt or source.role(node.role):
            continue
        near = closest_name(node.role, source.role_names)
        here = ("nodes", node.index, "role")
        yield Note(
            message=f"The role {node.role!r} of {node.id!r} has no template.",
            pointer=here,
            hint=f"Did you mean {near!r}?"
            if near
            else "Add the template, unless your server stores it.",
            fix=set_fix(f"Change to {near}", here, near) if near else _new(node.role),
        )


def _new(role: str) -> Fix:
    return make_fix(f"Add template {role}", AddObject(kind="template", key=role))


@graph_rule("AG207", "warning", "Right beyond the template", profiles=EVERY)
def beyond_template(source: GraphSource) -> Iterable[Note]:
    """A setting grants a right that the header of the role's template does not declare. An agent
    only gets rights that both grant. Remove the setting, or declare the right in a template of the
    pack."""
    for node in source.shape.nodes.values():
        resolved = source.role(node.role)
        declared = rights_of(resolved.template.header) if resolved else None
        settings = mapping(source.json.get(("nodes", node.index, "capabilities"), None))
        for excess in exceeding(node.capabilities, effective(node.capabilities, declared)):
            if excess.field in settings:
                here = ("nodes", node.index, "capabilities", excess.field)
                yield Note(
                    message=f"{node.id!r} sets {excess.field} to {_format_value(excess.wanted)}, "
                    f"but the template {node.role!r} limits it to {_format_value(excess.most)}.",
                    pointer=here,
                    hint="A run refuses rights that the template does not declare.",
                    fix=set_fix(f"Set to {_format_value(excess.most)}", here, excess.most),
                )


def _format_value(value: str | bool) -> str:
    return value if isinstance(value, str) else "on" if value else "off"


@graph_rule("AG208", "warning", "Approval cannot be disabled", profiles=EVERY)
def approval_forced(source: GraphSource) -> Iterable[Note]:
    """Only an orchestrator may add agents and edges without approval by a person. For all other
    roles, approval is always required, so this setting has no effect. Remove it."""
    for node in source.shape.nodes.values():
        here = ("nodes", node.index, "permissions", "agentManagementRequiresApproval")
        if not node.is_orchestrator and source.json.get(here, None) is False:
            yield Note(
                message=f"Graph changes of {node.id!r} always need approval: it is not an "
                "orchestrator.",
                pointer=here,
                fix=unset_fix("Remove the setting", here),
            )


@graph_rule("AG209", "hint", "Coding agent in PLANNING", profiles=EVERY)
def planning(source: GraphSource) -> Iterable[Note]:
    """In PLANNING, agents cannot write outside docs/ or run commands. Some agents of this pack
    write code, so their calls are refused. That is right for a planning run; otherwise switch to
    IMPLEMENTATION."""
    if source.shape.global_mode != "PLANNING":
        return
    workers = [node for node in source.shape.nodes.values() if not node.is_orchestrator]
    rights = {node.id: rights_at(source, node) for node in workers}
    able = [id for id, each in rights.items() if each.write_code and not each.delegate_only]
    if able:
        more = f" and {len(able) - 3} more" if len(able) > 3 else ""
        yield Note(
            message=f"In PLANNING, {', '.join(map(repr, able[:3]))}{more} cannot write code.",
            pointer=("global_mode",),
            fix=set_fix("Switch to IMPLEMENTATION", ("global_mode",), "IMPLEMENTATION"),
        )


@graph_rule("AG210", "warning", "Delegating agent without a target", profiles=EVERY)
def delegates_to_nobody(source: GraphSource) -> Iterable[Note]:
    """This agent only delegates, but it has no outgoing edge and may add neither agents nor edges.
    So it cannot do anything. Add an edge, or switch off delegateOnly."""
    leading = {transition.source for transition in source.transitions.values()}
    for node in source.shape.nodes.values():
        rights = rights_at(source, node)
        if rights.delegate_only and rights.edge_management == "none" and node.id not in leading:
            here = ("nodes", node.index, "capabilities", "delegateOnly")
            yield Note(
                message=f"The agent {node.id!r} only delegates, but has no outgoing edge.",
                pointer=here,
                fix=set_fix("Switch off delegateOnly", here, False),
            )
