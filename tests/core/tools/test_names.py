"""Names of tools: standard ones, those of MCP servers, and missing ones."""

from __future__ import annotations

from typing import Any

from tests.support.checks import each_row
from workflows.core.pack.findings import Place
from workflows.core.tools.availability import (
    NamedTool,
    missing,
    missing_tool_findings,
    missing_tools_reason,
)
from workflows.core.tools.mcp_names import SERVER_NAME, expand, full_name, server_of, whole_server
from workflows.core.tools.standard import STANDARD, default_binding

GITHUB = ("mcp__github__get_issue", "mcp__github__list_issues", "mcp__files__read")


def named(*names: str) -> tuple[NamedTool, ...]:
    return tuple(NamedTool(name=name, state="plan", place=Place(path="a.md")) for name in names)


@each_row(
    [
        ("Read", "read"),
        ("read", "read"),
        ("Grep", "grep"),
        ("Glob", "glob"),
        ("Edit", "edit"),
        ("MultiEdit", "multi-edit"),
        ("Write", "write"),
        ("LS", "list"),
    ]
)
def test_file_tools_are_bound_to_the_workspace(name: str, operation: str) -> None:
    assert default_binding(name) == {"kind": "files", "settings": {"operation": operation}}
    assert name in STANDARD


@each_row(["Bash", "bash"])
def test_a_shell_is_bound_to_commands(name: str) -> None:
    binding = default_binding(name)
    assert binding is not None
    assert binding["kind"] == "command"


@each_row(["WebFetch", "web-search", "Task", "memory", "ask-user", "deploy"])
def test_every_other_tool_asks_a_person(name: str) -> None:
    assert default_binding(name) is None


def test_every_default_binding_has_a_schema_for_the_model() -> None:
    for name, tool in STANDARD.items():
        assert tool.name == name
        assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])
        if default_binding(name):
            assert default_binding(name, tool.parameters) == default_binding(name)


@each_row(
    [
        ("read_file", ["path"], ["path"], True),
        ("read_file", ["path", "encoding"], ["path"], True),
        ("read_file", ["path", "token"], ["path", "token"], False),
        ("read_file", ["uri"], ["uri"], False),
        ("Read", ["file_path", "offset"], ["file_path"], True),
        ("write_file", ["path", "content"], ["path", "content"], True),
        ("write_file", ["path"], ["path"], False),
        ("edit", ["order", "quantity"], ["order"], False),
        ("list_files", [], [], True),
        ("run_command", ["command"], ["command"], True),
        ("search", ["query"], ["query"], False),
    ]
)
def test_a_declared_tool_is_bound_by_name_if_its_arguments_fit(
    name: str, properties: list[str], required: list[str], bound: bool
) -> None:
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {one: {"type": "string"} for one in properties},
        "required": required,
    }
    assert (default_binding(name, parameters) is not None) is bound


def test_names_of_mcp_tools_have_their_server() -> None:
    assert full_name("github", "get issue/1") == "mcp__github__get_issue_1"
    assert [server_of(name) for name in ("mcp__github__get_issue", "mcp__x", "Read")] == [
        "github",
        "x",
        "",
    ]
    assert whole_server("mcp__github") == whole_server("mcp__github__*") == "github"
    assert whole_server("mcp__github__get_issue") == ""


@each_row([("github", True), ("my-own_2", True), ("a__b", False), ("_a", False), ("a_", False),
     ("", False), ("a b", False), ("é", False)])  # fmt: skip
def test_a_servers_name_can_be_read_back(name: str, valid: bool) -> None:
    assert bool(SERVER_NAME.fullmatch(name)) is valid


def test_a_whole_server_means_each_of_its_tools() -> None:
    listed = ["Read", "mcp__github", "mcp__github__get_issue", "mcp__lost"]
    assert expand(listed, GITHUB) == (
        "Read",
        "mcp__github__get_issue",
        "mcp__github__list_issues",
        "mcp__lost",
    )


def test_missing_tools_are_named_with_a_remedy() -> None:
    gone = missing(
        named("Read", "mcp__github", "mcp__github__close", "deploy", "own"), (*GITHUB, "own")
    )
    assert [tool.name for tool in gone] == ["mcp__github__close", "deploy"]
    reason, remedy = missing_tools_reason(gone)
    assert "'mcp__github__close', 'deploy'" in reason
    assert "Connect the MCP server 'github' under Settings" in remedy
    assert "Bind it under Tools" in remedy
    assert missing_tools_reason(()) == ("", "")


def test_a_missing_tool_is_an_error_at_its_place() -> None:
    (finding,) = missing_tool_findings(missing(named("deploy"), ()))
    assert (finding.code, finding.level, finding.place.path) == ("GR115", "error", "a.md")
    assert finding.message == "State 'plan' allows 'deploy', but there is no such tool here."
