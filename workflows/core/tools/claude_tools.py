"""The tools of Claude Code and of the Claude Agent SDK, which Climpt runs with, as a model sees
them. Arguments that have no effect on Signalbox's own implementation are left out, except those
that models trained with these tools send anyway."""

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
    YES_OR_NO,
    described,
    tool,
)

_TODO = {
    "type": "object",
    "properties": {
        "content": described(TEXT, "The task."),
        "status": {"enum": ["pending", "in_progress", "completed"]},
        "activeForm": described(TEXT, "The task while it is done, such as “Running the tests”."),
    },
    "required": ["content", "status"],
}

CLAUDE_TOOLS: Mapping[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        tool(
            "Read",
            "Read a file.",
            "file_path",
            file_path=FILE,
            offset=described(INTEGER, "The first line to read."),
            limit=described(INTEGER, "Number of lines to read."),
        ),
        tool(
            "Write",
            "Write a file, replacing its content.",
            "file_path content",
            file_path=FILE,
            content="The whole new text.",
        ),
        tool(
            "Edit",
            "Replace a piece of text in a file.",
            "file_path old_string new_string",
            file_path=FILE,
            old_string=OLD,
            new_string=NEW,
            replace_all=EVERY,
        ),
        tool(
            "MultiEdit",
            "Replace several pieces of text in a file, all or none.",
            "file_path edits",
            file_path=FILE,
            edits={"type": "array", "items": CHANGE, "minItems": 1},
        ),
        tool(
            "Glob",
            "List the files whose path matches a pattern.",
            "pattern",
            pattern="Such as src/**/*.ts.",
            path=FOLDER,
        ),
        tool(
            "Grep",
            "Find the lines of files that match a regular expression.",
            "pattern",
            pattern="The regular expression.",
            path=FOLDER,
            glob="Only search files that match this pattern.",
        ),
        tool("LS", "List the files and folders of a folder.", "path", path=FOLDER),
        tool(
            "Bash",
            "Run a command in a shell and return what it printed.",
            "command",
            command="The command line.",
            timeout=TIMEOUT,
            description="A description of the command in a few words.",
        ),
        tool(
            "WebFetch",
            "Read a page of the web and answer a question about it.",
            "url prompt",
            url="The address of the page.",
            prompt="The question about the page.",
        ),
        tool(
            "WebSearch",
            "Search the web.",
            "query",
            query="The search query.",
            allowed_domains={"type": "array", "items": TEXT},
            blocked_domains={"type": "array", "items": TEXT},
        ),
        tool(
            "TodoWrite",
            "Replace the list of tasks of this session.",
            "todos",
            todos={"type": "array", "items": _TODO},
        ),
        tool(
            "NotebookEdit",
            "Replace, insert or delete a cell of a Jupyter notebook.",
            "notebook_path new_source",
            notebook_path=FILE,
            cell_id="The cell. A new cell is inserted after it.",
            new_source="The new source of the cell.",
            cell_type={"enum": ["code", "markdown"]},
            edit_mode={"enum": ["replace", "insert", "delete"]},
        ),
        tool(
            "Task",
            "Give a task to another agent and return its report.",
            "description prompt subagent_type",
            description="The task in a few words.",
            prompt="The whole task.",
            subagent_type="The kind of agent.",
        ),
        tool(
            "Skill",
            "Load the instructions of a skill.",
            "skill",
            skill="The name of the skill.",
            args="Arguments of the skill.",
        ),
        tool(
            "AskUserQuestion",
            "Ask the user questions and return the answers.",
            "questions",
            questions={
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "question": TEXT,
                        "header": TEXT,
                        "multiSelect": YES_OR_NO,
                        "options": {"type": "array", "items": {"type": "object"}},
                    },
                    "required": ["question"],
                },
            },
        ),
    )
}
"""By name."""
