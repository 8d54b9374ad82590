"""The registered tools, and suggestions for unknown names."""

from __future__ import annotations

from tests.support.checks import each_row
from workflows.core.dialects.stages.format.tools import (
    MUTATING,
    REGISTERED,
    registered_name,
    suggestion,
)
from workflows.core.dialects.stages.schemas.validity import problem

NAMES = [
    "bash", "glob", "grep", "read", "edit", "write", "multi-edit", "diff", "lsp", "web-fetch",
    "http-request", "memory", "sleep", "web-search", "tool-search", "ask-user",
]  # fmt: skip


def test_the_registered_names_are_those_of_the_format() -> None:
    assert list(REGISTERED) == NAMES
    assert len(MUTATING & set(NAMES)) == 6


@each_row(NAMES)
def test_a_model_can_be_given_every_tool(name: str) -> None:
    tool = REGISTERED[name]
    assert tool.name == name
    assert tool.description.endswith(".")
    assert problem(tool.parameters) is None
    assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])


@each_row(
    [("Read", "read"), ("BASH", "bash"), ("multi_edit", "multi-edit"), ("MultiEdit", "multi-edit"),
     ("web fetch", "web-fetch"), ("read_file", "read"), ("list_files", "glob"), ("wirte", "write"),
     ("deploy", ""), ("", ""), ("x" * 10_000, "")]
)  # fmt: skip
def test_an_unknown_name_suggests_the_nearest_tool(name: str, meant: str) -> None:
    assert suggestion(name) == meant


def test_a_difference_in_case_is_distinguished_from_another_name() -> None:
    assert [registered_name(name) for name in ("Grep", "grep", "read_file")] == ["grep", "grep", ""]
