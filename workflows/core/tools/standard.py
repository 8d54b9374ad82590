"""Tools that packs name without declaring them, and what each is bound to by default.

A file tool is bound to the run's workspace, and a shell to commands there, which operator and run
must allow. Every other tool asks a person until it is bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.engine.effects import ToolSpec
from workflows.core.tools.claude_tools import CLAUDE_TOOLS
from workflows.core.tools.stud_tools import STUD_TOOLS

Binding = Mapping[str, Any]
"""`{"kind", "settings"}`, as in `workflows.runner.tools`."""

STANDARD: Mapping[str, ToolSpec] = {**STUD_TOOLS, **CLAUDE_TOOLS}

CHANGING = frozenset(
    {"bash", "edit", "write", "multi-edit", "http-request", "memory"}
    | {"Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "Task"}
)
"""Standard tools that may change state outside the conversation."""

COMMAND_SECONDS = 600


def _files(operation: str) -> Binding:
    return {"kind": "files", "settings": {"operation": operation}}


_COMMAND: Binding = {"kind": "command", "settings": {"timeout": COMMAND_SECONDS}}

_BINDINGS: Mapping[str, Binding] = {
    "read": _files("read"),
    "write": _files("write"),
    "edit": _files("edit"),
    "multi-edit": _files("multi-edit"),
    "glob": _files("glob"),
    "grep": _files("grep"),
    "bash": _COMMAND,
    "Read": _files("read"),
    "Write": _files("write"),
    "Edit": _files("edit"),
    "MultiEdit": _files("multi-edit"),
    "Glob": _files("glob"),
    "Grep": _files("grep"),
    "LS": _files("list"),
    "Bash": _COMMAND,
}

_DECLARED: Mapping[str, Binding] = {
    **_BINDINGS,
    "read_file": _files("read"),
    "write_file": _files("write"),
    "edit_file": _files("edit"),
    "delete_file": _files("delete"),
    "list_files": _files("list"),
    "list_directory": _files("list"),
    "run_command": _COMMAND,
}
"""Bindings by the names under which packs declare such tools themselves."""

_FILE = ("file_path", "path", "filePath")
_NEEDS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "read": (_FILE,),
    "write": (_FILE, ("content",)),
    "edit": (_FILE, ("old_string",), ("new_string",)),
    "multi-edit": (_FILE, ("edits",)),
    "delete": (_FILE,),
    "glob": (("pattern",),),
    "grep": (("pattern",),),
    "list": (),
    "command": (("command", "cmd"),),
}
"""The arguments of each operation; any name of a group will do."""


def default_binding(name: str, parameters: Mapping[str, Any] | None = None) -> Binding | None:
    """The binding of a tool without one of its own. None: a call asks a person.

    `parameters`: the pack's own declaration of the tool, if it has one. A declared tool whose
    arguments differ from those of the operation is something else under the same name.
    """
    if not parameters:
        return _BINDINGS.get(name)
    binding = _DECLARED.get(name)
    return binding if binding and _fits(binding, parameters) else None


def _fits(binding: Binding, parameters: Mapping[str, Any]) -> bool:
    """Return True if the operation can be called with these parameters: it knows every required
    one, and every argument that it needs is declared."""
    declared, required = parameters.get("properties"), parameters.get("required")
    names = set(declared) if isinstance(declared, Mapping) else set[str]()
    must = set(map(str, required)) if isinstance(required, list | tuple) else set[str]()
    needs = _NEEDS[binding["settings"].get("operation", binding["kind"])]
    allowed = {name for group in needs for name in group} | _OPTIONAL
    return must <= allowed and all(names.intersection(group) for group in needs)


_OPTIONAL = frozenset({"path", "offset", "limit", "glob", "timeout", "replace_all", "description"})
"""Arguments that the operations accept or may ignore."""
