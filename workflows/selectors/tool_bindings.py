"""Tools of a pack and their bindings, for pages and runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workflows.core.engine.effects import ToolSpec
from workflows.db.text import to_storable
from workflows.models import Pack, Run, ToolBinding
from workflows.security.encryption import DecryptionFailed, decrypt
from workflows.selectors.sources import dialect_named, view


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The binding that a run uses for a tool."""

    kind: str
    settings: Mapping[str, Any]
    secrets: Mapping[str, str] = field(repr=False)


def tools_json(pack: Pack) -> list[dict[str, Any]]:
    """The tools that the newest revision names, in its order, then bound tools that it no longer
    has."""
    rows = {row.tool: row for row in ToolBinding.objects.filter(pack=pack).order_by("tool")}
    named = {tool.name: tool for tool in view(pack).tools}
    lost = [ToolSpec(name=name, description="", parameters={}) for name in rows.keys() - named]
    lost.sort(key=lambda tool: tool.name)
    return [
        {
            "tool": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "in_pack": tool.name in named,
            "binding": binding_json(rows[tool.name]) if tool.name in rows else None,
            "usual": bound_by_itself(pack.dialect, tool.name),
        }
        for tool in [*named.values(), *lost]
    ]


def bound_by_itself(dialect: str, tool: str) -> Mapping[str, Any] | None:
    """Default bindings of a dialect: `kind` and `settings`."""
    return dialect_named(dialect).bindings.get(tool)


def binding_json(row: ToolBinding) -> dict[str, Any]:
    """A binding with the names of its secrets only."""
    return {
        "kind": row.kind,
        "settings": row.settings,
        "secret_names": sorted(secrets_of(row)),
        "changed_at": row.changed_at.isoformat(),
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
    """The run's own binding of this tool, else the pack's, else the dialect's default. None: ask a
    person."""
    said = run.options.get("tools") or {}
    if tool in said:
        given = said[tool]
        if given is None:
            return None
        return Bound(kind=given["kind"], settings=given.get("settings") or {}, secrets={})
    return kept(run.pack, tool)


def kept(pack: Pack, tool: str) -> Bound | None:
    """The pack's binding, else the dialect's default, else None."""
    row = ToolBinding.objects.filter(pack=pack, tool=to_storable(tool)).first()
    if row is None:
        own = bound_by_itself(pack.dialect, tool)
        return Bound(kind=own["kind"], settings=own["settings"], secrets={}) if own else None
    return Bound(kind=row.kind, settings=row.settings, secrets=secrets_of(row))
