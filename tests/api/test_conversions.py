"""Export formats and conversions of packs, with their findings."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.actions.packs import create_from_sample, import_files
from workflows.core.convert.conversion import FATES
from workflows.core.dialects import dialects

SAMPLES = ["promptpack/mail-triage", "steps_registry/triage-bot"]


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_export_format_is_listed_with_its_findings(
    site: Client, ada: User, sample: str
) -> None:
    pack = create_from_sample(sample, owner=ada)
    listed = site.get(f"/api/v1/packs/{pack.pk}/exports/").json()
    known = [form.name for form in dialects()[pack.dialect].exports()]
    assert [form["name"] for form in listed] == known
    for form in listed:
        assert form["title"]
        assert bool(form["paths"]) == (not form["refused"])
        answer = site.get(f"/api/v1/packs/{pack.pk}/export/?as={form['name']}")
        assert answer.status_code == (422 if form["refused"] else 200)
        assert answer.content


def test_an_unknown_export_format_is_not_found(site: Client, ada: User) -> None:
    pack = create_from_sample("promptpack/mail-triage", owner=ada)
    answer = site.get(f"/api/v1/packs/{pack.pk}/export/?as=poem")
    assert answer.status_code == 404
    assert "poem" in answer.json()["message"]


def test_an_older_version_names_what_it_lacks(site: Client, ada: User) -> None:
    pack = create_from_sample("promptpack/mail-triage", owner=ada)
    listed = site.get(f"/api/v1/packs/{pack.pk}/exports/").json()
    old = next(form for form in listed if "1.4" in form["name"])
    assert any("omposition" in finding["message"] for finding in old["findings"])
    assert all(finding["line"] for finding in old["findings"] if finding["path"])


def test_a_conversion_is_a_new_pack_and_a_report(site: Client, post: Any, ada: User) -> None:
    pack = create_from_sample("promptpack/review-loop", owner=ada)
    answer = post(f"packs/{pack.pk}/convert/", {"to": "steps_registry"})
    assert answer.status_code == 201
    body = answer.json()
    assert body["pack"]["dialect"] == "steps_registry"
    assert body["pack"]["id"] != pack.pk
    assert body["pack"]["origin"] == f"converted from {pack.name}"
    report = body["report"]
    assert (report["source"], report["target"]) == ("promptpack", "steps_registry")
    fates = [told["fate"] for told in report["report"]]
    assert report["counts"] == {fate: fates.count(fate) for fate in FATES}
    assert report["counts"]["kept"] > 0
    assert site.get(f"/api/v1/packs/{body['pack']['id']}/graph/").json()["states"]


@pytest.mark.parametrize(
    ("to", "status", "code"),
    [("promptpack", 422, "cannot_convert"), ("poem", 404, "not_found"), ("", 400, "bad_request")],
)
def test_an_impossible_conversion_is_refused_with_a_message(
    post: Any, ada: User, to: str, status: int, code: str
) -> None:
    pack = create_from_sample("promptpack/mail-triage", owner=ada)
    answer = post(f"packs/{pack.pk}/convert/", {"to": to})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_pack_that_cannot_be_read_has_no_other_form(site: Client, post: Any, ada: User) -> None:
    spoilt = {"a.pack.json": json.dumps({"prompts": {}}).encode()}
    pack = import_files(spoilt, owner=ada).packs[0]
    body = {"type": "write_file", "path": "a.pack.json", "text": '{"prompts": '}
    post(f"packs/{pack.pk}/edits/", {"base": 1, "edits": [body]})
    listed = site.get(f"/api/v1/packs/{pack.pk}/exports/").json()
    assert listed
    assert all("cannot be read" in form["refused"] for form in listed)
    answer = post(f"packs/{pack.pk}/convert/", {"to": "steps_registry"})
    assert (answer.status_code, answer.json()["code"]) == (422, "cannot_convert")
