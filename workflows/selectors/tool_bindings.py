"""Tools of a pack and their bindings, for pages and runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User

from roles.core.columns import columns
from workflows.core.engine.effects import ToolSpec
from workflows.core.tools.availability import missing
from workflows.core.tools.mcp_names import expand
from workflows.core.tools.standard import STANDARD, default_binding
from workflows.db.text import to_storable
from workflows.models import Pack, Run, ToolBinding
from workflows.security.encryption import DecryptionFailed, decrypt
from workflows.selectors.known_tools import declared_parameters, known_tools
from workflows.selectors.mcp_servers import binding_of
from workflows.selectors.sources import dialect_named, opened, view


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The binding that a run uses for a tool. `authors`: the users who entered its command, each of
    whom must have the right to run commands; None for one who was deleted."""

    kind: str
    settings: Mapping[str, Any]
    secrets: Mapping[str, str] = field(repr=False)
    authors: tuple[User | None, ...] = ()


def tools_json(pack: Pack) -> list[dict[str, Any]]:
    """The tools that the newest revision names, in its order, then bound tools that it no longer
    has. A tool that only this server describes has the server's description and parameters."""
    rows = {row.tool: row for row in ToolBinding.objects.filter(pack=pack).order_by("tool")}
    named = _named(pack)
    gone = _missing(pack)
    lost = [ToolSpec(name=name, description="", parameters={}) for name in rows.keys() - named]
    lost.sort(key=lambda tool: tool.name)
    return [
        {
            "tool": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "in_pack": tool.name in named,
            "missing": tool.name in gone,
            "binding": binding_json(rows[tool.name]) if tool.name in rows else None,
            "usual": bound_by_itself(pack, tool.name),
        }
        for tool in [*named.values(), *lost]
    ]


def _named(pack: Pack) -> dict[str, ToolSpec]:
    """The tools that the newest revision names; a whole MCP server as each of its tools."""
    drawn = view(pack).drawn
    specs = {tool.name: tool for tool in drawn.tools}
    undeclared = {tool.name for tool in drawn.named_tools}
    tools = {**known_tools(pack), **{name: specs[name] for name in specs if name in STANDARD}}
    return {
        name: tools.get(name) or specs[name]
        if name in undeclared or name not in specs
        else specs[name]
        for name in expand(specs, tools)
    }


def _missing(pack: Pack) -> set[str]:
    """The tools that the newest revision allows and this server does not have."""
    return {tool.name for tool in missing(view(pack).drawn.named_tools, known_tools(pack))}


def bound_by_itself(pack: Pack, tool: str) -> Mapping[str, Any] | None:
    """The binding (`kind`, `settings`) of a tool that is not bound: the dialect's, that of a
    standard tool, or that of a connected MCP server."""
    own = dialect_named(pack.dialect).bindings.get(tool)
    if own is None:
        parameters = declared_parameters(opened(pack), pack.profile, tool)
        own = default_binding(tool, parameters)
    if own is None:
        server = binding_of(tool)
        own = server[0] if server else None
    return own


def binding_json(row: ToolBinding) -> dict[str, Any]:
    """A binding with the names of its secrets only."""
    return {
        **columns(row, "kind", "settings"),
        "secret_names": sorted(secrets_of(row)),
        **columns(row, "changed_at"),
    }


def secrets_of(row: ToolBinding) -> dict[str, str]:
    """Decrypted secrets. Empty if they were encrypted under another key, so that they are entered
    again."""
    try:
        opened = decrypt(row.sealed_secrets)
    except DecryptionFailed:
        return {}
    return json.loads(opened) if opened else {}


def kept_secrets(pack: Pack, tool: str) -> dict[str, str]:
    """The secrets that a tool has now."""
    row = ToolBinding.objects.filter(pack=pack, tool=to_storable(tool)).first()
    return secrets_of(row) if row else {}


def bound(run: Run, tool: str) -> Bound | None:
    """The run's own binding of this tool, else the pack's, else the default one. None: ask a
    person."""
    overrides = run.options.get("tools") or {}
    if tool in overrides:
        override = overrides[tool]
        if override is None:
            return None
        return _bound(override["kind"], override.get("settings") or {}, {}, (run.owner,))
    return kept(run.pack, tool)


def kept(pack: Pack, tool: str) -> Bound | None:
    """The pack's binding, else the default one, else None."""
    rows = ToolBinding.objects.select_related("author")
    row = rows.filter(pack=pack, tool=to_storable(tool)).first()
    if row is not None:
        return _bound(row.kind, row.settings, secrets_of(row), (row.author,))
    own = bound_by_itself(pack, tool)
    if own is None:
        return None
    connected = {"connected": tool} if own["kind"] == "mcp" else {}
    return _bound(own["kind"], {**own["settings"], **connected}, {})


def _bound(
    kind: str,
    settings: Mapping[str, Any],
    secrets: Mapping[str, str],
    authors: tuple[User | None, ...] = (),
) -> Bound:
    """The binding, with the address, the secrets and the owner of the connected MCP server that it
    names."""
    server = binding_of(str(settings["connected"])) if "connected" in settings else None
    if server is None:
        return Bound(kind=kind, settings=settings, secrets=secrets, authors=authors)
    address, secrets, owner = server
    return Bound(
        kind=kind, settings={**address["settings"], **settings}, secrets=secrets, authors=(owner,)
    )
