"""Exports: older versions of the format, and agent cards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.promptpack.full_pack import full_pack, full_pack_of
from tests.dialects.promptpack.packs import DIALECT, GONE, pack, prompt, source
from tests.dialects.promptpack.rule_rows import S
from tests.support.checks import each_row
from workflows.core.dialects.base import ExportResult
from workflows.core.dialects.promptpack.schemas.versions import VERSIONS, accepts
from workflows.core.pack.edits import EditRefused

CARD = ".well-known/agent-card.json"
LATEST = "https://promptpack.org/schema/latest/promptpack.schema.json"
TEAM: dict[str, Any] = {
    "workflow": GONE,
    "prompts/draft/description": "Writes a first draft.",
    "agents": {
        "entry": "draft",
        "members": {
            "draft": {"tags": ["text"], "output_modes": ["text/markdown"]},
            "review": {"description": "Reads drafts.", "input_modes": ["text/markdown"]},
            "done": {},
        },
    },
}


def exported(name: str, tree: Any) -> ExportResult:
    (found,) = [each for each in DIALECT.exports() if each.name == name]
    return found.make(source(tree))


def summary(found: ExportResult) -> list[tuple[str, str, str]]:
    return [(item.code, item.level, item.place.pointer) for item in found.findings]


def test_every_published_version_is_an_export() -> None:
    names = [each.name for each in DIALECT.exports()]
    assert len(names) == len(set(names))
    assert {f"promptpack-{version}" for version in VERSIONS} | {"a2a-cards"} == set(names)


def test_only_the_named_version_changes() -> None:
    tree = pack({"$schema": LATEST})
    before = source(tree).files["good.pack.json"]
    after = exported("promptpack-1.4", tree).files["good.pack.json"]
    assert after == before.replace(b"/latest/", b"/v1.4/")
    assert exported("promptpack-1.4", pack()).files == source(pack()).files


@each_row(VERSIONS)
def test_a_version_with_all_fields_reports_no_findings(version: str) -> None:
    assert summary(exported(f"promptpack-{version}", full_pack_of(version))) == []


@each_row(VERSIONS)
def test_a_version_that_refuses_the_pack_reports_the_reason(version: str) -> None:
    found = exported(f"promptpack-{version}", full_pack())
    refused = any(level == "error" for _, level, _ in summary(found))
    assert refused != accepts(version, full_pack())


def test_a_missing_field_is_reported_with_its_place_and_version() -> None:
    tree = pack({f"{S}/draft/control": "user", "metadata": {"governance": {}}})
    found = exported("promptpack-1.4", tree)
    assert summary(found) == [
        ("PP121", "error", "/workflow/states/draft/control"),
        ("PP121", "warning", "/metadata/governance"),
    ]
    first = found.findings[0]
    assert "1.7 added it" in first.message
    assert first.place.element == "state:draft"
    lines = source(tree).files["good.pack.json"].decode().splitlines()
    assert '"control": "user"' in lines[first.place.line - 1]


def test_a_value_that_a_version_does_not_accept_is_reported() -> None:
    checked = [{"type": "topic_policy", "enabled": True}]
    tree = pack({"workflow": GONE, "prompts/draft/validators": checked})
    assert summary(exported("promptpack-1.2", tree)) == [
        ("PP122", "error", "/prompts/draft/validators/0/type")
    ]


def test_an_error_in_every_version_is_not_reported_for_one() -> None:
    assert summary(exported("promptpack-1.4", pack({"name": 7}))) == []


def test_every_agent_has_a_card() -> None:
    made = exported("a2a-cards", pack(TEAM))
    assert sorted(made.files) == [
        ".well-known/agent-card.json",
        "done/.well-known/agent-card.json",
        "draft/.well-known/agent-card.json",
        "review/.well-known/agent-card.json",
    ]
    assert made.files[".well-known/agent-card.json"] == made.files[f"draft/{CARD}"]
    assert json.loads(made.files[f"draft/{CARD}"]) == {
        "name": "draft",
        "description": "Writes a first draft.",
        "version": "1.0.0",
        "supportedInterfaces": [],
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/markdown"],
        "skills": [
            {
                "id": "draft",
                "name": "draft",
                "description": "Writes a first draft.",
                "tags": ["text"],
            }
        ],
    }


def test_an_agents_own_description_has_precedence_and_a_missing_one_is_reported() -> None:
    made = exported("a2a-cards", pack(TEAM))
    assert json.loads(made.files[f"review/{CARD}"])["description"] == "Reads drafts."
    assert json.loads(made.files[f"done/{CARD}"])["description"] == "done"
    assert summary(made) == [
        ("PP408", "hint", "/agents"),
        ("PP410", "warning", "/agents/members/review"),
        ("PP409", "warning", "/agents/members/done"),
        ("PP410", "warning", "/agents/members/done"),
    ]


def test_a_key_that_is_no_folder_name_gets_a_valid_one() -> None:
    keys = ["../up", "Up", "up", "…"]
    agents = {"entry": "up", "members": {key: {} for key in keys}}
    tree = pack({"workflow": GONE, "agents": agents})
    tree["prompts"] = {key: prompt(key) for key in keys}
    made = sorted(exported("a2a-cards", tree).files)
    assert made == [CARD, f"agent/{CARD}", f"up-2/{CARD}", f"up-3/{CARD}", f"up/{CARD}"]


def test_a_pack_without_agents_has_no_cards() -> None:
    with pytest.raises(EditRefused, match="publishes no agents"):
        exported("a2a-cards", pack())
