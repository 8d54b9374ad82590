"""The tools that stud-cli registers, as a model sees them (stages.md section 2, D30). Names are
exact and case-sensitive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workflows.core.engine.effects import ToolSpec
from workflows.core.tools.claude_tools import CLAUDE_TOOLS
from workflows.core.tools.parameters import FILE, INTEGER, TEXT, TIMEOUT, described, tool

STUD_TOOLS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        tool(
            "bash",
            "Run a command in a shell and return what it printed.",
            "command",
            command="The command line.",
            timeout=TIMEOUT,
        ),
        replace(CLAUDE_TOOLS["Glob"], name="glob"),
        replace(CLAUDE_TOOLS["Grep"], name="grep"),
        replace(CLAUDE_TOOLS["Read"], name="read"),
        replace(CLAUDE_TOOLS["Edit"], name="edit"),
        replace(CLAUDE_TOOLS["Write"], name="write"),
        replace(CLAUDE_TOOLS["MultiEdit"], name="multi-edit"),
        tool(
            "diff",
            "Show how two files differ.",
            "file_path",
            file_path=FILE,
            other_file_path="The file to compare it with.",
        ),
        tool(
            "lsp",
            "Query the language server for a place in a file.",
            "operation filePath line character",
            operation="Such as goToDefinition, findReferences or hover.",
            filePath=FILE,
            line=described(INTEGER, "The line, counted from 1."),
            character=described(INTEGER, "The column, counted from 1."),
        ),
        tool("web-fetch", "Read a page of the web as text.", "url", url="The address of the page."),
        tool(
            "http-request",
            "Send a request over HTTP and return the response.",
            "url",
            url="The address of the request.",
            method={"enum": ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]},
            headers={"type": "object", "additionalProperties": TEXT},
            body="The body of the request.",
        ),
        tool(
            "memory",
            "Store and read notes across sessions.",
            "action",
            action={"enum": ["read", "write", "list", "delete"]},
            key="The name of the note.",
            content="The content of the note.",
        ),
        tool(
            "sleep",
            "Wait.",
            "durationMs",
            durationMs=described(INTEGER, "Duration in milliseconds."),
        ),
        tool("web-search", "Search the web.", "query", query="The search query."),
        tool(
            "tool-search",
            "Find tools of this session by description.",
            "query",
            query="Description of the tool.",
        ),
        tool(
            "ask-user",
            "Ask the user a question and return the answer.",
            "question",
            question="The question.",
            options={"type": "array", "items": TEXT},
        ),
    )
}
"""By name, in the order in which stud-cli lists them."""
