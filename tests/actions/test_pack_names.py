"""The name of a new pack is its id, its display name and the name of its file."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User

from workflows.actions import packs
from workflows.core.dialects import dialects
from workflows.opened_packs.pack_names import name_in_files
from workflows.selectors.sources import opened

pytestmark = pytest.mark.django_db
SAMPLES = [f"{one.name}/{key}" for one in dialects().values() for key in one.samples()]
NAMED = {
    "promptpack/blank": ("pruf-desk.pack.json", {"id": "pruf-desk", "name": "Prüf Desk"}),
    "stages/blank": ("pipeline.json", {"id": "pruf-desk", "name": "Prüf Desk"}),
    "agent_graph/blank": ("pruf-desk.agents.json", {"name": "Prüf Desk"}),
    "steps_registry/blank": (
        ".agent/pruf-desk/agent.json",
        {"name": "pruf-desk", "displayName": "Prüf Desk"},
    ),
}


@pytest.mark.parametrize("sample", NAMED)
def test_the_name_of_a_new_pack_is_in_its_files(sample: str, ada: User) -> None:
    path, names = NAMED[sample]
    made = packs.create_from_sample(sample, owner=ada, name="Prüf Desk")
    files = opened(made).files
    written = json.loads(files[path])
    assert {key: written[key] for key in names} == names
    assert made.name == "Prüf Desk"
    assert name_in_files(opened(made)) == "Prüf Desk"
    for old in ("blank", "my-agent", "My agent", "New pipeline", "New team"):
        assert not [path for path in files if old in path or old in files[path].decode()]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_named_sample_has_the_findings_of_the_sample(sample: str, ada: User) -> None:
    found = []
    for name in ("", "A name of my own"):
        made = packs.create_from_sample(sample, owner=ada, name=name)
        findings = opened(made).under(made.profile).findings
        found.append(sorted((one.code, one.level) for one in findings))
    assert found[0] == found[1]


def test_a_rename_changes_the_file_on_request(ada: User) -> None:
    made = packs.create_from_sample("promptpack/blank", owner=ada, name="Desk")
    packs.change(made.pk, name="Parcels")
    made.refresh_from_db()
    assert (made.name, name_in_files(opened(made)), made.head) == ("Parcels", "Desk", 1)
    packs.change(made.pk, name="Letters", in_files=True, author=ada)
    made.refresh_from_db()
    assert (made.name, name_in_files(opened(made)), made.head) == ("Letters", "Letters", 2)
    assert json.loads(opened(made).files["desk.pack.json"])["id"] == "desk"
