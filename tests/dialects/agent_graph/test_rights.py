"""Effective rights of a node: header and settings, limited by its parent."""

from __future__ import annotations

from tests.support.checks import each_row
from workflows.core.dialects.agent_graph.format.model import Capabilities, Node, Permissions
from workflows.core.dialects.agent_graph.format.permissions import (
    clamped,
    clamped_permissions,
    effective,
    exceeding,
)
from workflows.core.prompts.role_templates.permissions import Rights

ALL = Rights(edge_management="all", write_code=True, write_docs=True, run_commands=True)


@each_row(["orchestrator", " Orchestrator ", "ORCHESTRATOR"])
def test_an_orchestrator_is_known_by_name_alone(role: str) -> None:
    node = Node.of({"id": "a", "role": role})
    assert node
    assert node.is_orchestrator
    assert node.capabilities.edge_management == "all"
    assert not node.permissions.graph_needs_approval


def test_other_roles_need_approval_regardless_of_the_file() -> None:
    said = {"agentManagementRequiresApproval": False}
    node = Node.of({"id": "a", "role": "planner", "permissions": said})
    assert node
    assert node.capabilities == Capabilities()
    assert node.permissions.graph_needs_approval


def test_both_header_and_settings_have_to_grant() -> None:
    wide = Capabilities(edge_management="all")
    assert effective(wide, None) == wide
    assert effective(wide, ALL) == wide
    assert effective(Capabilities(write_code=False), ALL).write_code is False
    assert effective(wide, Rights()) == Capabilities(
        run_commands=False, write_code=False, write_docs=False
    )
    assert effective(wide, Rights(edge_management="self")).edge_management == "self"


def test_a_child_has_at_most_what_its_parent_has() -> None:
    parent = Capabilities(edge_management="self", write_code=False)
    child = clamped(Capabilities(edge_management="all", run_commands=False), parent)
    assert child == Capabilities(edge_management="self", write_code=False, run_commands=False)
    careful = Permissions(cli_mode="gated", graph_needs_approval=True)
    careless = Permissions(cli_mode="skip", graph_needs_approval=False)
    assert clamped_permissions(careless, careful) == careful
    assert clamped_permissions(careful, careless) == careful
    assert clamped_permissions(careless, careless) == careless


def test_an_excess_is_named_by_its_field() -> None:
    narrow = Capabilities(edge_management="none", write_code=False)
    found = exceeding(Capabilities(edge_management="self"), narrow)
    assert [(one.field, one.wanted, one.most) for one in found] == [
        ("edgeManagement", "self", "none"),
        ("writeCode", True, False),
    ]
    assert exceeding(narrow, Capabilities(edge_management="all")) == ()
