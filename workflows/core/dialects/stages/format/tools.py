"""The tools that stud-cli registers, as a model sees them (stages.md section 2, D30).

Names are exact and case-sensitive. A session may have more (discovered ones, and those of MCP
servers); a file cannot list those, so an unknown name is a warning here and an error in a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from workflows.core.dialects.stages.source import StagesSource
from workflows.core.engine.effects import ToolSpec

_TEXT = {"type": "string"}
_INTEGER = {"type": "integer", "minimum": 0}
_YES_OR_NO = {"type": "boolean"}


def _described(schema: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def _tool(name: str, description: str, required: str = "", **properties: Any) -> ToolSpec:
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }
    return ToolSpec(name=name, description=description, parameters=parameters)


_FILE = _described(_TEXT, "Path of the file, from the workspace's root.")
_FOLDER = _described(_TEXT, "Folder to search. Default: the workspace's root.")
_OLD = _described(_TEXT, "The text to replace, exactly as in the file.")
_NEW = _described(_TEXT, "The new text.")
_EVERY = _described(_YES_OR_NO, "Replace every occurrence instead of one.")
_TIMEOUT = _described(_INTEGER, "Timeout in milliseconds.")
_CHANGE = {
    "type": "object",
    "properties": {"old_string": _OLD, "new_string": _NEW, "replace_all": _EVERY},
    "required": ["old_string", "new_string"],
}

REGISTERED: Mapping[str, ToolSpec] = {
    tool.name: tool
    for tool in (
        _tool(
            "bash",
            "Run a command in a shell and return what it printed.",
            "command",
            command=_described(_TEXT, "The command line."),
            timeout=_TIMEOUT,
        ),
        _tool(
            "glob",
            "List the files whose path matches a pattern.",
            "pattern",
            pattern=_described(_TEXT, "Such as src/**/*.ts."),
            path=_FOLDER,
        ),
        _tool(
            "grep",
            "Find the lines of files that match a regular expression.",
            "pattern",
            pattern=_described(_TEXT, "The regular expression."),
            path=_FOLDER,
            glob=_described(_TEXT, "Only search files that match this pattern."),
        ),
        _tool(
            "read",
            "Read a file.",
            "file_path",
            file_path=_FILE,
            offset=_described(_INTEGER, "The first line to read."),
            limit=_described(_INTEGER, "Number of lines to read."),
        ),
        _tool(
            "edit",
            "Replace a piece of text in a file.",
            "file_path old_string new_string",
            file_path=_FILE,
            old_string=_OLD,
            new_string=_NEW,
            replace_all=_EVERY,
        ),
        _tool(
            "write",
            "Write a file, replacing its content.",
            "file_path content",
            file_path=_FILE,
            content=_described(_TEXT, "The whole new text."),
        ),
        _tool(
            "multi-edit",
            "Replace several pieces of text in a file, all or none.",
            "file_path edits",
            file_path=_FILE,
            edits={"type": "array", "items": _CHANGE, "minItems": 1},
        ),
        _tool(
            "diff",
            "Show how two files differ.",
            "file_path",
            file_path=_FILE,
            other_file_path=_described(_TEXT, "The file to compare it with."),
        ),
        _tool(
            "lsp",
            "Query the language server for a place in a file.",
            "operation filePath line character",
            operation=_described(_TEXT, "Such as goToDefinition, findReferences or hover."),
            filePath=_FILE,
            line=_described(_INTEGER, "The line, counted from 1."),
            character=_described(_INTEGER, "The column, counted from 1."),
        ),
        _tool(
            "web-fetch",
            "Read a page of the web as text.",
            "url",
            url=_described(_TEXT, "The address of the page."),
        ),
        _tool(
            "http-request",
            "Send a request over HTTP and return the response.",
            "url",
            url=_described(_TEXT, "The address of the request."),
            method={"enum": ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]},
            headers={"type": "object", "additionalProperties": _TEXT},
            body=_described(_TEXT, "The body of the request."),
        ),
        _tool(
            "memory",
            "Store and read notes across sessions.",
            "action",
            action={"enum": ["read", "write", "list", "delete"]},
            key=_described(_TEXT, "The name of the note."),
            content=_described(_TEXT, "The content of the note."),
        ),
        _tool(
            "sleep",
            "Wait.",
            "durationMs",
            durationMs=_described(_INTEGER, "Duration in milliseconds."),
        ),
        _tool(
            "web-search",
            "Search the web.",
            "query",
            query=_described(_TEXT, "The search query."),
        ),
        _tool(
            "tool-search",
            "Find tools of this session by description.",
            "query",
            query=_described(_TEXT, "Description of the tool."),
        ),
        _tool(
            "ask-user",
            "Ask the user a question and return the answer.",
            "question",
            question=_described(_TEXT, "The question."),
            options={"type": "array", "items": _TEXT},
        ),
    )
}
"""By name, in the order in which stud-cli lists them."""

MUTATING = frozenset({"bash", "edit", "write", "multi-edit", "http-request", "memory"})
"""Tools that may change state outside the conversation."""

_ALIASES = {
    "readfile": "read",
    "writefile": "write",
    "editfile": "edit",
    "listfiles": "glob",
    "list": "glob",
    "find": "glob",
    "search": "grep",
    "shell": "bash",
    "runcommand": "bash",
    "fetch": "web-fetch",
}
"""Names of these tools in other agents, without case and separators."""


def specs(names: Iterable[str]) -> tuple[ToolSpec, ...]:
    """The registered tools among these names, each once, in this order."""
    return tuple(REGISTERED[name] for name in dict.fromkeys(names) if name in REGISTERED)


def allowed_tools(source: StagesSource) -> tuple[ToolSpec, ...]:
    """All tools that the stages may call. An absent `allowedTools` allows all of them."""
    named: list[str] = []
    for file in source.stages.values():
        names = file.values.get("allowedTools")
        if not isinstance(names, list):
            return tuple(REGISTERED.values())
        named += [name for name in names if isinstance(name, str)]
    return specs(named)


def registered_name(name: str) -> str:
    """The registered tool that differs from this name only in case or separators, or ""."""
    return _BY_NORMALIZED.get(_normalize(name), "")


def suggestion(name: str) -> str:
    """The registered tool with the most similar name, or ""."""
    plain = _normalize(name)
    meant = _BY_NORMALIZED.get(plain) or _ALIASES.get(plain)
    if meant or len(plain) > 40:
        return meant or ""
    near = get_close_matches(plain, _BY_NORMALIZED, n=1, cutoff=0.8)
    return _BY_NORMALIZED[near[0]] if near else ""


def _normalize(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())


_BY_NORMALIZED = {_normalize(name): name for name in REGISTERED}
