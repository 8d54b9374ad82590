"""The tools that stud-cli registers, as a model sees them (stages.md section 2, D30). Names are
exact and case-sensitive."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.engine.effects import ToolSpec
from workflows.core.tools.parameters import (
    CHANGE,
    EVERY,
    FILE,
    FOLDER,
    INTEGER,
    NEW,
    OLD,
    TEXT,
    TIMEOUT,
    described,
    tool,
)

STUD_TOOLS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        tool(
            "bash",
            "Run a command in a shell and return what it printed.",
            "command",
            command=described(TEXT, "The command line."),
            timeout=TIMEOUT,
        ),
        tool(
            "glob",
            "List the files whose path matches a pattern.",
            "pattern",
            pattern=described(TEXT, "Such as src/**/*.ts."),
            path=FOLDER,
        ),
        tool(
            "grep",
            "Find the lines of files that match a regular expression.",
            "pattern",
            pattern=described(TEXT, "The regular expression."),
            path=FOLDER,
            glob=described(TEXT, "Only search files that match this pattern."),
        ),
        tool(
            "read",
            "Read a file.",
            "file_path",
            file_path=FILE,
            offset=described(INTEGER, "The first line to read."),
            limit=described(INTEGER, "Number of lines to read."),
        ),
        tool(
            "edit",
            "Replace a piece of text in a file.",
            "file_path old_string new_string",
            file_path=FILE,
            old_string=OLD,
            new_string=NEW,
            replace_all=EVERY,
        ),
        tool(
            "write",
            "Write a file, replacing its content.",
            "file_path content",
            file_path=FILE,
            content=described(TEXT, "The whole new text."),
        ),
        tool(
            "multi-edit",
            "Replace several pieces of text in a file, all or none.",
            "file_path edits",
            file_path=FILE,
            edits={"type": "array", "items": CHANGE, "minItems": 1},
        ),
        tool(
            "diff",
            "Show how two files differ.",
            "file_path",
            file_path=FILE,
            other_file_path=described(TEXT, "The file to compare it with."),
        ),
        tool(
            "lsp",
            "Query the language server for a place in a file.",
            "operation filePath line character",
            operation=described(TEXT, "Such as goToDefinition, findReferences or hover."),
            filePath=FILE,
            line=described(INTEGER, "The line, counted from 1."),
            character=described(INTEGER, "The column, counted from 1."),
        ),
        tool(
            "web-fetch",
            "Read a page of the web as text.",
            "url",
            url=described(TEXT, "The address of the page."),
        ),
        tool(
            "http-request",
            "Send a request over HTTP and return the response.",
            "url",
            url=described(TEXT, "The address of the request."),
            method={"enum": ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]},
            headers={"type": "object", "additionalProperties": TEXT},
            body=described(TEXT, "The body of the request."),
        ),
        tool(
            "memory",
            "Store and read notes across sessions.",
            "action",
            action={"enum": ["read", "write", "list", "delete"]},
            key=described(TEXT, "The name of the note."),
            content=described(TEXT, "The content of the note."),
        ),
        tool(
            "sleep",
            "Wait.",
            "durationMs",
            durationMs=described(INTEGER, "Duration in milliseconds."),
        ),
        tool(
            "web-search",
            "Search the web.",
            "query",
            query=described(TEXT, "The search query."),
        ),
        tool(
            "tool-search",
            "Find tools of this session by description.",
            "query",
            query=described(TEXT, "Description of the tool."),
        ),
        tool(
            "ask-user",
            "Ask the user a question and return the answer.",
            "question",
            question=described(TEXT, "The question."),
            options={"type": "array", "items": TEXT},
        ),
    )
}
"""By name, in the order in which stud-cli lists them."""
