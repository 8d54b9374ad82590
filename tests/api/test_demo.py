"""The demo page answers as the API does."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.actions import packs
from workflows.core.dialects import dialects
from workflows.demo.answers import Demo

pytestmark = pytest.mark.django_db
OF_SERVER = ("id", "pack", "origin", "changed_at", "saved_at", "thumbnail")
"""Columns that only a stored pack has. Its drawing may be stored with positions."""


@pytest.mark.parametrize("dialect", list(dialects()))
def test_a_sample_of_each_dialect_is_answered_as_by_the_api(
    dialect: str, site: Client, ada: User
) -> None:
    key, files = next(iter(dialects()[dialect].samples().items()))
    pack = packs.create_from_sample(f"{dialect}/{key}", owner=ada, keep=True)
    demo = Demo(files)
    [one] = demo.packs
    state = demo.answer("GET", "/api/v1/packs/1/graph/")[1]["states"][0]["id"]
    main = quote(one["main"])
    addresses = [
        "GET ",
        "GET graph/",
        "GET findings/",
        "GET findings/?per_rule=1",
        "GET fields/?element=pack",
        f"GET fields/?element=state:{quote(state)}",
        "GET fields/?element=nothing:there",
        f"GET offers/?state={quote(state)}",
        "GET offers/?state=nothing-there",
        "GET files/",
        f"GET files/?path={main}",
        f"GET text-ranges/?path={main}",
        "GET worst-case/",
        "GET worst-case/?assume=wrong",
        "POST rehearse/",
        "GET /api/v1/dialects/",
    ]
    for address in addresses:
        method, _, rest = address.partition(" ")
        own = rest if rest.startswith("/") else f"/api/v1/packs/1/{rest}"
        stored = rest if rest.startswith("/") else f"/api/v1/packs/{pack.pk}/{rest}"
        body = {"runs": 5, "seed": 1} if method == "POST" else None
        expected = (
            site.post(stored, body, content_type="application/json") if body else site.get(stored)
        )
        status, answer = demo.answer(method, own, json.dumps(body) if body else "")
        assert (status, plain(answer)) == (expected.status_code, plain(expected.json())), address


def plain(answer: Any) -> Any:
    """An answer as JSON, without what a server adds."""
    value = json.loads(json.dumps(answer))
    if isinstance(value, dict):
        return {name: item for name, item in value.items() if name not in OF_SERVER}
    return value
