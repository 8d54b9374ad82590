"""The permissions in a header: rights of the node that plays the role, and badges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from workflows.core.prompts.role_templates.header import Header

Scope: TypeAlias = Literal["none", "self", "all"]
Kind: TypeAlias = Literal["right", "ability", "constraint"]

MEANINGS = {
    "edge_management_all": "May add agents and draw edges between any of them",
    "spawn_nodes": "May add agents and draw edges between any of them",
    "edge_management_self": "May draw edges that start or end at itself",
    "edit_code": "May write files outside docs/",
    "write_docs": "May write files below docs/",
    "run_commands": "May run commands",
    "delegate": "Delegates work to other agents",
    "review_diffs": "Reviews changes",
    "approve_spawns": "Decides on new agents",
    "write_tests": "Writes tests",
    "read_repo": "Reads the repository",
    "summarize": "Summarizes its results",
    "log_decisions": "Records the reasons of its decisions",
    "respect_mode_gates": "Respects the mode of the run",
    "avoid_unlogged_edits": "Reports every change",
    "no_unlogged_edits": "Reports every change",
    "produce_diffs": "Shows its changes as diffs",
    "planning_only": "Plans without implementing",
    "no_code_edits": "Must not write files outside docs/",
    "report_risks": "Reports risks",
    "report_findings": "Reports its findings",
}
_GRANTS = (
    "edge_management_all",
    "spawn_nodes",
    "edge_management_self",
    "edit_code",
    "write_docs",
    "run_commands",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """The maximum rights of a node with this role. Undeclared rights are not granted."""

    edge_management: Scope = "none"
    write_code: bool = False
    write_docs: bool = False
    run_commands: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """One declared permission, for display. `right`: it changes the node's rights; `ability` and
    `constraint`: information for the reader, which only the prompt's text enforces."""

    word: str
    kind: Kind
    meaning: str = ""

    def to_json(self) -> dict[str, str]:
        return {"word": self.word, "kind": self.kind, "meaning": self.meaning}


def rights_of(header: Header | None) -> Rights | None:
    """The rights in a header. None without a header: the node's settings alone decide."""
    if header is None:
        return None
    words = frozenset(header.capabilities)
    scope: Scope = "none"
    if words & {"edge_management_all", "spawn_nodes"}:
        scope = "all"
    elif "edge_management_self" in words:
        scope = "self"
    return Rights(
        edge_management=scope,
        write_code="edit_code" in words and "no_code_edits" not in header.constraints,
        write_docs="write_docs" in words,
        run_commands="run_commands" in words,
    )


def badges_of(header: Header | None) -> tuple[Badge, ...]:
    """Every declared permission once, capabilities before constraints."""
    if header is None:
        return ()
    able = dict.fromkeys(header.capabilities)
    bound = dict.fromkeys(header.constraints)
    return (
        *(_badge(word, "right" if word in _GRANTS else "ability") for word in able),
        *(_badge(word, "right" if word == "no_code_edits" else "constraint") for word in bound),
    )


def _badge(word: str, kind: Kind) -> Badge:
    return Badge(word=word, kind=kind, meaning=MEANINGS.get(word, ""))
