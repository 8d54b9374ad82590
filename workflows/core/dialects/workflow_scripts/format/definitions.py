"""Agent definitions of a script: markdown files that `agentType` names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workflows.core.pack.files import Files
from workflows.core.text.tolerant import as_object

FOLDERS = (".claude/agents/", ".qwen/agents/", ".opencode/agent/", ".opencode/agents/")
BUILT_IN = ("general-purpose", "Explore", "Plan", "statusline-setup")
READING = frozenset({"Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "NotebookRead"})
"""Tools that change nothing."""
NAMED = re.compile(rb"agentType[\"']?\s*:\s*[\"'`]([A-Za-z0-9_:-]{1,100})[\"'`]")


@dataclass(frozen=True, kw_only=True)
class Definition:
    """An agent definition. `problem`: why it is skipped without a message."""

    path: str
    name: str
    values: dict[str, Any]
    problem: str = ""

    @property
    def model(self) -> str:
        """The model that it sets, "" for the session's."""
        value = self.values.get("model")
        return value if isinstance(value, str) and value != "inherit" else ""

    @property
    def writes(self) -> bool:
        """True if its tools can change files or run commands."""
        tools = self.values.get("tools")
        if tools is None:
            return True
        listed = tools.split(",") if isinstance(tools, str) else tools
        names = {str(one).strip().partition("(")[0] for one in listed or ()}
        return bool(names - READING)


def is_definition_path(path: str) -> bool:
    """True for a file in a folder of agents."""
    if not path.endswith(".md"):
        return False
    return any(f"/{folder}" in f"/{path}" for folder in FOLDERS) or "agents" in path.split("/")[:-1]


def read_definition(path: str, data: bytes) -> Definition:
    """A definition. One that cannot be used has its problem."""
    from workflows.core.text.frontmatter import Frontmatter
    from workflows.core.text.yaml.errors import YamlTextError

    stem = path.rpartition("/")[2].removesuffix(".md")
    try:
        matter = Frontmatter.parse(data[:200_000])
        value = matter.head.value if matter.head is not None else None
    except YamlTextError as bad:
        return Definition(
            path=path, name=stem, values={}, problem=f"its front matter: {bad.message}"
        )
    values = as_object(value)
    name = values.get("name")
    if not isinstance(name, str) or not name:
        return Definition(path=path, name=stem, values=values, problem="it has no name")
    if not values.get("description"):
        return Definition(path=path, name=name, values=values, problem="it has no description")
    if ":" in name:
        return Definition(path=path, name=name, values=values, problem="its name has a colon")
    return Definition(path=path, name=name, values=values)


def definitions(files: Files) -> dict[str, Definition]:
    """The definitions among these files, by name."""
    found: dict[str, Definition] = {}
    for path in files:
        if is_definition_path(path):
            one = read_definition(path, files[path])
            if one.name not in found or found[one.name].problem:
                found[one.name] = one
    return found


def named_definitions(main: str, files: Files) -> Iterator[str]:
    """The files of the definitions that a script names, in the tree around it."""
    names = {name.decode() for name in NAMED.findall(files[main])}
    if not names:
        return
    root = main.rpartition("/")[0].rpartition("/")[0]
    prefixes = tuple(f"{folder}/agents/".lstrip("/") for folder in (root, main.rpartition("/")[0]))
    for path in files:
        near = path.startswith(prefixes) or any(f"/{one}" in f"/{path}" for one in FOLDERS)
        if near and is_definition_path(path) and read_definition(path, files[path]).name in names:
            yield path
