"""Quotas of a user: each way to have another pack, run, or stored byte."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.actions import packs, quotas, runs
from workflows.models import Pack, Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def client(ada: User) -> Client:
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(ada)
    return client


@pytest.fixture
def pack(ada: User) -> Pack:
    return packs.create("promptpack", name="First", owner=ada)


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"/api/v1/{path}", json.dumps(body), "application/json")


def assert_refused(answer: Any, setting: str) -> None:
    assert (answer.status_code, answer.json()["code"]) == (403, "quota_reached"), answer.content
    assert setting in answer.json()["hint"]


def create(client: Client, pack: Pack) -> Any:
    return post(client, "packs/", dialect="promptpack", name="New")


def duplicate(client: Client, pack: Pack) -> Any:
    return post(client, f"packs/{pack.pk}/duplicate/")


@pytest.mark.parametrize("way", [create, duplicate])
def test_packs(
    client: Client, pack: Pack, settings: Any, way: Callable[[Client, Pack], Any]
) -> None:
    settings.SIGNALBOX_USER_PACKS = 2
    assert way(client, pack).status_code == 201
    assert_refused(way(client, pack), "SIGNALBOX_USER_PACKS")
    assert Pack.objects.filter(owner=pack.owner).count() == 2


def test_packs_that_are_handed_over(client: Client, pack: Pack, settings: Any) -> None:
    settings.SIGNALBOX_USER_PACKS = 1
    bob = User.objects.create_user("bob")
    packs.create("promptpack", name="His", owner=bob)
    body = json.dumps({"owner": "bob", "shares": []})
    answer = client.put(f"/api/v1/sharing/packs/{pack.pk}/", body, "application/json")
    assert_refused(answer, "SIGNALBOX_USER_PACKS")


def start(client: Client, pack: Pack) -> Any:
    return post(client, "runs/", pack=pack.pk, driver="manual")


def test_runs(client: Client, pack: Pack, settings: Any) -> None:
    settings.SIGNALBOX_USER_RUNS = 1
    first = start(client, pack)
    assert first.status_code == 201
    assert_refused(start(client, pack), "SIGNALBOX_USER_RUNS")
    again = post(client, "runs/bulk/", action="retry", runs=[first.json()["id"]])
    assert "SIGNALBOX_USER_RUNS" in json.dumps(again.json())
    assert_refused(post(client, f"runs/{first.json()['id']}/fork/", at=2), "SIGNALBOX_USER_RUNS")
    Run.objects.update(status="completed")
    assert start(client, pack).status_code == 201


@pytest.mark.parametrize("way", [create, duplicate, start])
def test_disk(
    client: Client, pack: Pack, settings: Any, tmp_path: Any, way: Callable[[Client, Pack], Any]
) -> None:
    settings.DATA = tmp_path
    settings.SIGNALBOX_USER_DISK = 1
    quotas._measured.clear()
    run = runs.start(pack, driver="manual", options={}, owner=pack.owner)
    folder = tmp_path / "workspaces" / str(run.pk)
    folder.mkdir(parents=True)
    with (folder / "large").open("wb") as file:
        file.truncate(quotas.MIB)
    quotas._measured.clear()
    assert_refused(way(client, pack), "SIGNALBOX_USER_DISK")
    Run.objects.all().delete()
    quotas._measured.clear()
    assert way(client, pack).status_code == 201


def test_without_settings_there_is_no_quota(client: Client, pack: Pack) -> None:
    assert {create(client, pack).status_code for _ in range(3)} == {201}
