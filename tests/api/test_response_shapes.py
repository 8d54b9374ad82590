"""Responses match the OpenAPI document."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from tests.support.openapi import document

DOCUMENT = document()
SAMPLES = ["promptpack/customer-support", "steps_registry/triage-bot"]
READ = [
    "packs/",
    "packs/{id}/",
    "packs/{id}/graph/",
    "packs/{id}/findings/",
    "packs/{id}/files/",
    "packs/{id}/revisions/",
    "packs/{id}/diff/",
    "runs/",
    "dialects/",
    "samples/",
]


def fits(path: str, method: str, status: int, body: Any) -> None:
    """Raises ValidationError where the body is not what this operation promises."""
    validator(path, method, status).validate(body)


@cache
def validator(path: str, method: str, status: int) -> Draft202012Validator:
    """Cached, because it reads the whole document."""
    responses = DOCUMENT["paths"][f"/api/v1/{path}"][method]["responses"]
    answer = responses.get(str(status), responses["default"])
    if "$ref" in answer:
        answer = DOCUMENT["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    schema = answer["content"]["application/json"]["schema"]
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


@pytest.fixture(params=SAMPLES)
def id(request: pytest.FixtureRequest, post: Any) -> int:
    made = post("packs/", {"sample": request.param})
    fits("packs/", "post", made.status_code, made.json())
    return int(made.json()["id"])


def test_responses_match_their_documented_shape(site: Client, post: Any, id: int) -> None:
    run = post("runs/", {"pack": id, "driver": "rehearsal"})
    fits("runs/", "post", run.status_code, run.json())
    assert run.status_code == 201
    for path in READ:
        answer = site.get(f"/api/v1/{path.replace('{id}', str(id))}")
        assert answer.status_code == 200, path
        fits(path, "get", 200, answer.json())
    for part in ("", "graph/", "events/", "artifacts/", "pending/"):
        answer = site.get(f"/api/v1/runs/{run.json()['id']}/{part}")
        assert answer.status_code == 200, part
        fits(f"runs/{{id}}/{part}", "get", 200, answer.json())


def test_forms_and_offers_of_every_element_have_their_shape(site: Client, id: int) -> None:
    graph = site.get(f"/api/v1/packs/{id}/graph/").json()
    asked = [("offers", "state", state["id"]) for state in graph["states"]]
    asked += [
        ("fields", "element", item["element"])
        for section in graph["outline"]
        for item in section["items"]
    ]
    assert len(asked) > 8
    for part, name, value in asked:
        answer = site.get(f"/api/v1/packs/{id}/{part}/", {name: value})
        assert answer.status_code == 200, value
        fits(f"packs/{{id}}/{part}/", "get", 200, answer.json())


def test_changes_have_their_shape(site: Client, post: Any, id: int) -> None:
    def changed(part: str, body: dict[str, Any], status: int = 200) -> dict[str, Any]:
        answer = post(f"packs/{id}/{part}/", body)
        assert answer.status_code == status, answer.content
        fits(f"packs/{{id}}/{part}/", "post", status, answer.json())
        return dict(answer.json())

    graph = site.get(f"/api/v1/packs/{id}/graph/").json()
    gone = {"type": "disconnect", "transition": graph["transitions"][0]["id"]}
    base = changed("edits", {"base": graph["revision"], "edits": [gone]})["revision"]
    base = changed("undo", {"base": base})["revision"]
    changed("redo", {"base": base})
    changed("rehearse", {"runs": 3})
    changed("copy", {"states": [graph["states"][0]["id"]]})
    changed("edits", {"base": base, "edits": [{"type": "fly"}]}, 400)
    changed("edits", {"base": base, "edits": [{"type": "disconnect", "transition": "x"}]}, 422)
    after = site.get(f"/api/v1/packs/{id}/changes/", {"after": 1})
    fits("packs/{id}/changes/", "get", 200, after.json())
    missing = site.get("/api/v1/packs/999999/graph/")
    assert missing.status_code == 404
    fits("packs/{id}/graph/", "get", 404, missing.json())
