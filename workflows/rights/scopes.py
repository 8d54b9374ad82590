"""Scopes of API tokens."""

from __future__ import annotations

from typing import Literal, get_args

Scope = Literal["read", "edit", "run", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
MEANINGS: dict[Scope, str] = {
    "read": "read packs, runs, roles and settings",
    "edit": "change packs, roles, templates and memories",
    "run": "start runs, answer them and change triggers",
    "admin": "change connections, MCP servers and tokens",
}
