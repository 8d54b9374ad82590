"""A repeated start under the same key begins no second run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from roles.rights import Level, share
from workflows.actions.idempotent_start import start_once
from workflows.actions.packs import create_from_sample
from workflows.models import Pack, Run

STATES = "promptpack/customer-support"


@pytest.fixture
def support(ada: User) -> Pack:
    return create_from_sample(STATES, owner=ada)


def start(site: Client, support: Pack, key: str, **more: Any) -> Any:
    body = {"pack": support.pk, "driver": "manual", "inputs": {"topic": "tea"}, **more}
    return site.post(
        "/api/v1/runs/", body, content_type="application/json", headers={"Idempotency-Key": key}
    )


def test_the_same_key_again_is_answered_with_the_first_run(site: Client, support: Pack) -> None:
    first, again, other = (start(site, support, key) for key in ("one", " one ", "two"))
    assert [answer.status_code for answer in (first, again, other)] == [201, 200, 201]
    assert again.json() == first.json()
    assert other.json()["id"] != first.json()["id"]
    assert Run.objects.count() == 2


def test_without_a_key_every_start_begins_a_run(site: Client, support: Pack) -> None:
    assert [start(site, support, "").status_code for _ in range(2)] == [201, 201]
    assert Run.objects.count() == 2


def test_a_key_is_its_persons_own(site: Client, support: Pack, bob: User) -> None:
    first = start(site, support, "one").json()
    share(support, bob, Level.READ)
    site.force_login(bob)
    other = start(site, support, "one")
    assert (other.status_code, other.json()["owner"]) == (201, "bob")
    assert other.json()["id"] != first["id"]


@pytest.mark.parametrize(
    "more",
    [{"driver": "rehearsal"}, {"inputs": {"topic": "coffee"}}, {"seed": 3}, {"pack": "another"}],
    ids=["driver", "inputs", "option", "pack"],
)
def test_a_key_that_began_something_else_is_refused(
    site: Client, support: Pack, ada: User, more: dict[str, Any]
) -> None:
    if "pack" in more:
        more = {"pack": create_from_sample(STATES, owner=ada).pk}
    first = start(site, support, "one")
    refused = start(site, support, "one", **more)
    assert (refused.status_code, refused.json()["code"]) == (422, "key_taken")
    assert refused.json()["where"] == "Idempotency-Key"
    assert refused.json()["run"] == first.json()["id"]
    assert Run.objects.count() == 1


def test_a_key_stays_valid_after_an_edit_of_the_pack(
    site: Client, support: Pack, post: Any
) -> None:
    first = start(site, support, "one").json()
    edits = [{"type": "remove_state", "id": "goodbye"}]
    post(f"packs/{support.pk}/edits/", {"base": 1, "edits": edits})
    again = start(site, support, "one")
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert again.json()["revision"] == 1
    assert start(site, support, "one", revision=2).status_code == 422


def test_a_key_that_is_too_long_is_refused(site: Client, support: Pack) -> None:
    refused = start(site, support, "x" * 201)
    assert (refused.status_code, refused.json()["where"]) == (400, "Idempotency-Key")
    assert start(site, support, "x" * 200).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_begins_it(ada: User, support: Pack) -> None:
    def begin(_: int) -> tuple[Any, bool]:
        try:
            run, fresh = start_once(support, key="one", owner=ada, driver="manual", options={})
            return run.pk, fresh
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        begun = list(pool.map(begin, range(8)))
    assert len({run for run, _ in begun}) == 1
    assert [fresh for _, fresh in begun].count(True) == 1
    assert Run.objects.count() == 1
