"""Rules over agents: what they are called, which role they play and what they may do."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workflows.core.dialects.agent_graph.format.model import Node, elements, mapping
from workflows.core.dialects.agent_graph.format.permissions import effective, exceeding
from workflows.core.dialects.agent_graph.format.vocabulary import PROVIDERS
from workflows.core.dialects.agent_graph.graph.projection import rights_at
from workflows.core.dialects.agent_graph.rules.kit import (
    Say,
    button,
    graph_rule,
    setting,
    unsetting,
)
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import AddObject
from workflows.core.pack.findings import Fix
from workflows.core.pack.naming import closest, numbered
from workflows.core.prompts.role_templates.names import LONGEST, RULE, is_name
from workflows.core.prompts.role_templates.permissions import rights_of


@graph_rule("AG201", "error", "Two agents with one id")
def repeated_id(source: GraphSource) -> Iterable[Say]:
    """Ids are what edges and calls name agents by, so each belongs to one agent. The second one is
    neither drawn nor run. Give it an id of its own."""
    seen: dict[str, int] = {}
    for index, item in enumerate(elements(source.json.get(("nodes",), None))):
        node = Node.of(item, index)
        if node is not None and seen.setdefault(node.id, index) != index:
            free = numbered(node.id, source.shape.nodes)
            here = ("nodes", index, "id")
            yield Say(
                message=f"The id {node.id!r} is taken by another agent already.",
                pointer=here,
                fix=setting(f"Rename to {free}", here, free),
            )


@graph_rule("AG202", "error", "Alias is taken")
def repeated_alias(source: GraphSource) -> Iterable[Say]:
    """Calls may name an agent by its alias, in any case. So an alias belongs to one agent, and it
    must not be the id of another. Otherwise work would reach somebody else than was meant. Change
    one of the two."""
    owners = {node.id.casefold(): node.id for node in source.shape.nodes.values()}
    seen: dict[str, str] = {}
    for node in source.shape.nodes.values():
        alias = node.alias.casefold()
        if not alias:
            continue
        other = seen.setdefault(alias, node.id)
        what = "alias"
        if other == node.id:
            other, what = owners.get(alias, node.id), "id"
        if other != node.id:
            here = ("nodes", node.index, "alias")
            yield Say(
                message=f"The alias {node.alias!r} of {node.id!r} is the {what} of {other!r}.",
                pointer=here,
                fix=unsetting(f"Remove the alias of {node.id}", here),
            )


@graph_rule("AG203", "warning", "Provider is not known")
def unknown_provider(source: GraphSource) -> Iterable[Say]:
    """The provider says which kind of tool-using model an agent is written for: codex, claude,
    gemini, or custom for any other. Another word tells nobody anything. The model itself comes from
    the connection that a run is started with."""
    for node in source.shape.nodes.values():
        if node.provider not in PROVIDERS:
            near = closest(node.provider.lower(), PROVIDERS) or "custom"
            here = ("nodes", node.index, "provider")
            yield Say(
                message=f"The provider {node.provider!r} of {node.id!r} is not known.",
                pointer=here,
                hint=f"Known are {', '.join(PROVIDERS)}.",
                fix=setting(f"Change to {near}", here, near),
            )


@graph_rule("AG204", "error", "Role cannot have this name")
def role_name(source: GraphSource) -> Iterable[Say]:
    """A role is the name of a file, so it has letters, digits, underscores and hyphens only. A name
    with dots or slashes could lead out of the folder of templates and bring any file into a prompt;
    it is refused everywhere, and such an agent has no template."""
    for node in source.shape.nodes.values():
        if node.role and not is_name(node.role):
            plain = re.sub(r"[^A-Za-z0-9_-]+", "-", node.role.strip()).strip("-")[:LONGEST]
            here = ("nodes", node.index, "role")
            yield Say(
                message=f"The role {node.role!r} of {node.id!r} cannot be the name of a template.",
                pointer=here,
                hint=RULE,
                fix=setting(f"Change to {plain}", here, plain) if plain else None,
            )


@graph_rule("AG205", "warning", "Blank prompt in the template's place")
def blank_prompt(source: GraphSource) -> Iterable[Say]:
    """A prompt in place of the template counts as soon as it is not empty, blanks included. This
    one holds nothing but blanks, so the agent is told nothing about its role. Write it, or take it
    out, so that the template is sent."""
    for node in source.shape.nodes.values():
        if node.custom_system_prompt and not node.custom_system_prompt.strip():
            here = ("nodes", node.index, "customSystemPrompt")
            yield Say(
                message=f"{node.id!r} has a blank prompt in place of its template.",
                pointer=here,
                fix=unsetting("Send the template", here),
            )


@graph_rule("AG206", "warning", "Role without a template")
def missing_template(source: GraphSource) -> Iterable[Say]:
    """Neither the pack nor Signalbox has a template of this name. A server that stores one uses it;
    elsewhere the agent is sent a line that says the template is missing, and its settings alone
    decide what it may do. Add the template to the pack, or choose another role. An agent with a
    prompt in place of the template needs none."""
    for node in source.shape.nodes.values():
        if not is_name(node.role) or node.custom_system_prompt or source.role(node.role):
            continue
        near = closest(node.role, source.role_names)
        here = ("nodes", node.index, "role")
        yield Say(
            message=f"The role {node.role!r} of {node.id!r} has no template here.",
            pointer=here,
            hint=f"Did you mean {near!r}?" if near else "A server may have one of this name.",
            fix=setting(f"Change to {near}", here, near) if near else _new(node.role),
        )


def _new(role: str) -> Fix:
    return button(f"Add the template {role}", AddObject(kind="template", key=role))


@graph_rule("AG207", "warning", "Rights beyond the template")
def beyond_template(source: GraphSource) -> Iterable[Say]:
    """A setting grants what the header of the role's template does not declare. Both have to grant
    it, so this agent does not get it: nobody who only reads the settings would expect that. Take
    the setting back, or declare it in a template of the pack's own."""
    for node in source.shape.nodes.values():
        resolved = source.role(node.role)
        declared = rights_of(resolved.template.header) if resolved else None
        said = mapping(source.json.get(("nodes", node.index, "capabilities"), None))
        for excess in exceeding(node.capabilities, effective(node.capabilities, declared)):
            if excess.field in said:
                here = ("nodes", node.index, "capabilities", excess.field)
                yield Say(
                    message=f"{node.id!r} has {excess.field} {_format_value(excess.wanted)}, but "
                    f"the template {node.role!r} declares {_format_value(excess.most)} at most.",
                    pointer=here,
                    hint="What the template does not declare is refused while it runs.",
                    fix=setting(f"Set to {_format_value(excess.most)}", here, excess.most),
                )


def _format_value(value: str | bool) -> str:
    return value if isinstance(value, str) else "on" if value else "off"


@graph_rule("AG208", "warning", "Approval cannot be switched off")
def approval_forced(source: GraphSource) -> Iterable[Say]:
    """Only an orchestrator may add agents and edges without a person's yes. For every other role
    the approval is on whatever the file says, so switching it off here changes nothing. Take the
    setting out."""
    for node in source.shape.nodes.values():
        here = ("nodes", node.index, "permissions", "agentManagementRequiresApproval")
        if not node.is_orchestrator and source.json.get(here, None) is False:
            yield Say(
                message=f"{node.id!r} is no orchestrator, so its changes of the graph are approved "
                "by a person all the same.",
                pointer=here,
                fix=unsetting("Take the setting out", here),
            )


@graph_rule("AG209", "hint", "Writes code, but the mode is PLANNING")
def planning(source: GraphSource) -> Iterable[Say]:
    """In PLANNING nobody writes outside docs/ and nobody runs commands. Some agents of this pack
    are there to write code, so they will be refused. That is right for a first round that only
    plans; otherwise switch to IMPLEMENTATION."""
    if source.shape.global_mode != "PLANNING":
        return
    workers = [node for node in source.shape.nodes.values() if not node.is_orchestrator]
    rights = {node.id: rights_at(source, node) for node in workers}
    able = [id for id, each in rights.items() if each.write_code and not each.delegate_only]
    if able:
        more = f" and {len(able) - 3} more" if len(able) > 3 else ""
        yield Say(
            message=f"In PLANNING {', '.join(map(repr, able[:3]))}{more} cannot write code.",
            pointer=("global_mode",),
            fix=setting("Switch to IMPLEMENTATION", ("global_mode",), "IMPLEMENTATION"),
        )


@graph_rule("AG210", "warning", "Only delegates, and to nobody")
def delegates_to_nobody(source: GraphSource) -> Iterable[Say]:
    """This agent leaves all work to others, but no edge leads from it to anybody, and it may
    neither add agents nor draw edges. So it can do nothing at all. Draw an edge, or let it work
    itself."""
    leading = {arrow.source for arrow in source.arrows.values()}
    for node in source.shape.nodes.values():
        rights = rights_at(source, node)
        if rights.delegate_only and rights.edge_management == "none" and node.id not in leading:
            here = ("nodes", node.index, "capabilities", "delegateOnly")
            yield Say(
                message=f"{node.id!r} only delegates, and there is nobody it could hand off to.",
                pointer=here,
                fix=setting("Let it work itself", here, False),
            )
