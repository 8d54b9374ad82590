"""Malicious files: imported with findings, or refused with a message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from workflows.db.text import is_storable
from workflows.models import Pack


def promptpack(**changed: Any) -> bytes:
    body: dict[str, Any] = {
        "id": "x",
        "name": "X",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {"p": {"id": "p", "name": "P", "version": "1.0.0", "system_template": "Hi"}},
        "workflow": {
            "version": 1,
            "entry": "a",
            "states": {"a": {"prompt_task": "p", "on_event": {"Go": "b"}}, "b": {}},
        },
    }
    return json.dumps({**body, **changed}).encode()


def states(states: object) -> bytes:
    return promptpack(workflow={"version": 1, "entry": "a", "states": states})


REGISTRY = b'{"agentId": "x", "version": "1", "entryStep": "a", "steps": %s}'
LAUGHS = b"a: &a [x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n" % (98 + n, 98 + n, *([97 + n] * 8))
    for n in range(9)
)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("p.json", states({"a\ud800": {"prompt_task": "p"}})),
        ("p.json", states({"a\0b": {"prompt_task": "p", "on_event": {"\0": "\0"}}})),
        ("p.json", states({"": {}, "|": {"on_event": {"|": "|", "": ""}}})),
        ("p.json", states({"a" * 5_000: {"on_event": {"b" * 5_000: "c" * 5_000}}})),
        ("p.json", states({"a": {"on_event": {"Go": ["b"]}}})),
        ("p.json", states({"a": None, "b": [], "c": 7, "d": "x", "e": True})),
        ("p.json", states([{"a": 1}])),
        ("p.json", states({"a": {"max_visits": 10**40, "on_max_visits": "a"}})),
        ("p.json", states({"a": {"prompt_task": {"x": 1}, "on_event": None}})),
        ("p.json", promptpack(name=["not", "a", "name"])),
        ("p.json", promptpack(name="\ud800")),
        ("p.json", promptpack(id={"a": 1}, version=None)),
        ("p.json", promptpack(prompts={"p": None, "q": {"system_template": 7}})),
        ("p.json", promptpack(prompts=[])),
        ("p.json", promptpack(name="x" * 100_000)),
        ("p.json", promptpack().replace(b'"1.0.0"', b"1" * 5_000)),
        ("p.json", promptpack().replace(b'"1.0.0"', b"1e999999")),
        ("p.json", b"\xef\xbb\xbf" + promptpack()),
        ("p.json", promptpack().decode().encode("utf-16")),
        ("p.json", promptpack() + b"trailing"),
        ("p.yaml", b"[" * 10_000),
        ("p.yaml", LAUGHS + b"id: x\nversion: 1.0.0\nprompts: *b\n"),
        ("p.yaml", b"id: !!python/object/apply:os.system ['true']\nversion: 1\nprompts: {}\n"),
        (
            "p.yaml",
            b"id: x\nversion: 1.0.0\nprompts: {a: {system_template: 1}}\nworkflow: &w\n  x: *w\n",
        ),
        ("steps_registry.json", REGISTRY % b"null"),
        ("steps_registry.json", REGISTRY % b'{"a": 7, "b": null, "c": [], "": {}}'),
        ("steps_registry.json", REGISTRY % b'{"a": {"transitions": {"next": 7, "jump": null}}}'),
        ("steps_registry.json", REGISTRY % b'{"a": {"transitions": {"next": {"targets": 7}}}}'),
        ("steps_registry.json", REGISTRY % b'{"\\ud800": {"stepId": "\\ud800"}}'),
        ("steps_registry.json", REGISTRY % b'{"a": {"structuredGate": {"allowedIntents": 7}}}'),
        ("steps_registry.json", b"7"),
    ],
)
def test_a_hostile_file_breaks_nothing(site: Client, name: str, data: bytes) -> None:
    answer = site.post("/api/v1/import/", {"files": [SimpleUploadedFile(name, data)]})
    assert answer.status_code in (201, 422), answer.content[:300]
    for card in answer.json().get("packs", ()):
        base = f"/api/v1/packs/{card['id']}"
        graph = site.get(f"{base}/graph/")
        assert graph.status_code == 200
        assert site.get(f"{base}/fields/", {"element": "pack"}).status_code in (200, 422)
        for state in graph.json()["states"][:3]:
            if not is_storable(state["id"]):
                continue  # no address can name it
            asked = {"element": f"state:{state['id']}"}
            assert site.get(f"{base}/fields/", asked).status_code in (200, 422)
            assert site.get(f"{base}/offers/", {"state": state["id"]}).status_code in (200, 404)
        assert site.get(f"{base}/export/").content == data
        assert site.get("/").status_code == 200
        rehearsal = site.post(f"{base}/rehearse/", {"runs": 2}, content_type="application/json")
        assert rehearsal.status_code in (200, 422)
    assert answer.status_code == 201 or not Pack.objects.exists()
