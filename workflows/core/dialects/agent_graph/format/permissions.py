"""Effective rights of a node: its template's header and its own settings (spec pages 3.1, 4).

A change of the graph passes three checks: the header declares it, the settings allow it, and a
person approves it (`Permissions.graph_needs_approval`). A header can only reduce rights; without
one, only settings apply. A child never gets more rights than its parent.
"""

from __future__ import annotations

from dataclasses import dataclass

from workflows.core.dialects.agent_graph.format.model import Capabilities, Permissions, Scope
from workflows.core.dialects.agent_graph.format.vocabulary import CLI_MODES, SCOPES
from workflows.core.prompts.role_templates.permissions import Rights


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """A setting beyond the maximum: its name in files, its value, and the maximum."""

    field: str
    wanted: str | bool
    most: str | bool


def effective(settings: Capabilities, declared: Rights | None) -> Capabilities:
    """The settings, limited by the template. `delegateOnly` only reduces rights."""
    if declared is None:
        return settings
    return Capabilities(
        edge_management=_narrower(settings.edge_management, declared.edge_management),
        run_commands=settings.run_commands and declared.run_commands,
        write_code=settings.write_code and declared.write_code,
        write_docs=settings.write_docs and declared.write_docs,
        delegate_only=settings.delegate_only,
    )


def clamped(child: Capabilities, parent: Capabilities) -> Capabilities:
    """A child's rights, limited by its parent's effective rights. `delegateOnly` is not inherited:
    a parent that only delegates still has the rights that it passes to a child."""
    return Capabilities(
        edge_management=_narrower(child.edge_management, parent.edge_management),
        run_commands=child.run_commands and parent.run_commands,
        write_code=child.write_code and parent.write_code,
        write_docs=child.write_docs and parent.write_docs,
        delegate_only=child.delegate_only,
    )


def clamped_permissions(child: Permissions, parent: Permissions) -> Permissions:
    """A child's permissions: calls that need approval for the parent need it for the child too."""
    gated = CLI_MODES.index(parent.cli_mode) > CLI_MODES.index(child.cli_mode)
    return Permissions(
        cli_mode=parent.cli_mode if gated else child.cli_mode,
        graph_needs_approval=child.graph_needs_approval or parent.graph_needs_approval,
    )


def exceeding(settings: Capabilities, most: Capabilities) -> tuple[Excess, ...]:
    """The settings in which the first rights exceed the second."""
    wide, narrow = settings.to_json(), most.to_json()
    return tuple(
        Excess(field=field, wanted=wide[field], most=narrow[field])
        for field in wide
        if field != "delegateOnly" and wide[field] != narrow[field] and _more(wide, narrow, field)
    )


def _more(wide: dict[str, str | bool], narrow: dict[str, str | bool], field: str) -> bool:
    if field == "edgeManagement":
        return SCOPES.index(str(wide[field])) > SCOPES.index(str(narrow[field]))
    return bool(wide[field])


def _narrower(one: Scope, other: Scope) -> Scope:
    return min(one, other, key=SCOPES.index)
