"""Names of tools of MCP servers: `mcp__<server>__<tool>`, as Claude Code and stud-cli write them.

`mcp__github` and `mcp__github__*` in a list of allowed tools mean every tool of that server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

PREFIX = "mcp__"
SERVER_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_))*(?<!_)")
"""A server's name: letters, digits, hyphens and single underscores, so that a tool's full name can
be taken apart again."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


def full_name(server: str, tool: str) -> str:
    """The name of a server's tool in packs. Characters that model providers refuse become `_`."""
    return f"{PREFIX}{server}__{_UNSAFE.sub('_', tool)}"


def server_of(name: str) -> str:
    """The server that a name belongs to; "" for other tools."""
    if not name.startswith(PREFIX):
        return ""
    return name[len(PREFIX) :].partition("__")[0]


def expand(names: Iterable[str], available: Iterable[str]) -> tuple[str, ...]:
    """The names with each whole server replaced by its known tools, each once, in this order. A
    server without known tools stays as it is."""
    everything = list(available)
    expanded: dict[str, None] = {}
    for name in names:
        expanded.update(dict.fromkeys(_members(name, everything) or [name]))
    return tuple(expanded)


def _members(name: str, available: list[str]) -> list[str]:
    server = whole_server(name)
    begin = f"{PREFIX}{server}__"
    return [one for one in available if one.startswith(begin)] if server else []


def whole_server(name: str) -> str:
    """The server if the name means all its tools, else ""."""
    server, rest = server_of(name), name.count("__")
    return server if server and (rest == 1 or name == f"{PREFIX}{server}__*") else ""
