"""Numbers beyond every limit, and inputs that are not texts: a message, never a traceback."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.actions import packs
from workflows.models import Pack

pytestmark = pytest.mark.django_db
HUGE = 10**400
EDITS: tuple[dict[str, Any], ...] = (
    {"type": "move", "positions": {"intake": [HUGE, 0]}},
    {"type": "move", "positions": {"intake": [0, -HUGE]}},
    {"type": "draw", "positions": {"intake": [HUGE, 0]}},
    {"type": "resize", "id": "intake", "width": HUGE, "height": 10},
    {"type": "limit_approvals", "id": "intake", "hours": HUGE, "outcome": "deny"},
)


@pytest.fixture
def pack(client: Client) -> Pack:
    owner = User.objects.create_user("author")
    client.force_login(owner)
    return packs.create_from_sample("promptpack/customer-support", owner=owner)


def _post(client: Client, address: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    answer = client.post(f"/api/v1/{address}", json.dumps(body), content_type="application/json")
    return answer.status_code, answer.json()


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit["type"])
def test_an_edit_with_a_huge_number_is_refused(
    client: Client, pack: Pack, edit: dict[str, Any]
) -> None:
    status, body = _post(client, f"packs/{pack.pk}/edits/", {"base": 1, "edits": [edit]})
    assert (status, body["message"] != "") == (400, True), body


def test_a_huge_score_is_refused(client: Client, pack: Pack) -> None:
    status, run = _post(client, "runs/", {"pack": pack.pk, "driver": "rehearsal"})
    assert status == 201
    body = b'{"score": {"value": 1%s}}' % (b"0" * 400)
    answer = client.patch(f"/api/v1/runs/{run['id']}/", body, "application/json")
    assert answer.status_code == 400, answer.content


@pytest.mark.parametrize("value", [[], {}, [1], {"a": [2]}, 7, True, None, HUGE])
def test_a_rehearsal_starts_with_any_json_as_input(
    client: Client, pack: Pack, value: object
) -> None:
    body = {"pack": pack.pk, "driver": "rehearsal", "inputs": {"customer": value}}
    status, answer = _post(client, "runs/", body)
    assert status in (201, 400), answer
