"""Model choices of a pack and of its states."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.server_fixtures import stored
from workflows.actions import connections, edits
from workflows.actions.history import undo
from workflows.core.dialects import dialects
from workflows.core.pack.edits import edits_from_json
from workflows.models import Connection, Pack, Run
from workflows.selectors.model_choices import connection_for, options_at, resolved


@pytest.fixture
def review(ada: User) -> Pack:
    files = dialects()["promptpack"].samples()["code-review"]
    (name,) = files
    return stored(files[name], ada, name)


@pytest.fixture
def two(db: None) -> tuple[Connection, Connection]:
    one = connections.create(name="Cloud", kind="anthropic", key="k", model="claude-opus-4-8")
    return one, connections.create(name="Here", kind="openai", key="k", model="gpt-4o")


def ask(site: Client, pack: Pack, **choice: str) -> Any:
    address = f"/api/v1/packs/{pack.pk}/models/"
    return site.put(address, json.dumps(choice), content_type="application/json")


def chosen(site: Client, pack: Pack) -> dict[str, Any]:
    return site.get(f"/api/v1/packs/{pack.pk}/models/").json()


@pytest.mark.parametrize(
    ("levels", "connection", "model"),
    [
        ([{}, {}, {}], "", ""),
        ([{}, {}, {"connection": "A", "model": "a"}], "A", "a"),
        ([{}, {"connection": "B"}, {"connection": "A", "model": "a"}], "B", ""),
        ([{}, {"connection": "A"}, {"connection": "A", "model": "a"}], "A", "a"),
        ([{}, {"model": "b"}, {"connection": "A", "model": "a"}], "A", "b"),
        ([{"model": "c"}, {"connection": "B", "model": "b"}, {}], "B", "c"),
        ([{"connection": "C"}, {"connection": "B", "model": "b"}, {"model": "a"}], "C", "a"),
        ([{"connection": "C", "model": "c"}, {"connection": "B", "model": "b"}, {}], "C", "c"),
    ],
)
def test_the_nearest_level_with_a_choice_wins(
    levels: list[dict[str, str]], connection: str, model: str
) -> None:
    assert resolved(*levels) == {"connection": connection, "model": model}


def test_state_goes_before_run_before_pack_before_server(
    site: Client, review: Pack, two: tuple[Connection, Connection]
) -> None:
    run = Run(pack=review, revision=review.head, driver="model", options={"seed": 3})
    run.owner_id = 7
    assert options_at(run, "review") == {"seed": 3, "connection": "", "model": "", "user": 7}
    assert ask(site, review, connection="Cloud").status_code == 200
    assert options_at(run, "review")["connection"] == "Cloud"
    run.options = {"connection": "Here", "model": "gpt-4o-mini"}
    assert options_at(run, "review") == {**run.options, "user": 7}
    assert ask(site, review, state="review", connection="Cloud", model="x").status_code == 200
    assert options_at(run, "review") == {"connection": "Cloud", "model": "x", "user": 7}
    assert options_at(run, "done") == {**run.options, "user": 7}
    assert chosen(site, review) == {
        "server": None,
        "pack": {"connection": "Cloud", "model": ""},
        "states": {"review": {"connection": "Cloud", "model": "x"}},
    }
    ask(site, review, state="review")
    ask(site, review)
    assert chosen(site, review)["states"] == {}
    assert options_at(run, "review") == {**run.options, "user": 7}


def test_one_connection_is_the_servers_default(
    site: Client, review: Pack, two: tuple[Connection, Connection]
) -> None:
    cloud, here = two
    for one in (cloud, here):
        address = f"/api/v1/connections/{one.pk}/"
        answer = site.patch(address, {"default": True}, content_type="application/json")
        assert answer.json()["default"] is True
    assert chosen(site, review)["server"] == {"connection": "Here", "model": "gpt-4o"}
    connections.change(cloud.pk, default=False)
    assert connection_for(review, "", None) == here
    ask(site, review, connection="Cloud")
    assert connection_for(review, "", None) == cloud


@pytest.mark.parametrize(
    ("choice", "where"),
    [
        ({"connection": "Nowhere"}, "connection"),
        ({"state": "nowhere", "model": "x"}, "state"),
        ({"model": "a\0b"}, "model"),
        ({"model": "x" * 201}, "model"),
    ],
)
def test_a_choice_that_will_not_do_is_refused(
    site: Client, review: Pack, choice: dict[str, str], where: str
) -> None:
    answer = ask(site, review, **choice)
    assert (answer.status_code, answer.json()["where"]) == (400, where)


def test_a_renamed_state_keeps_its_choice_and_so_does_an_undo(
    site: Client, review: Pack, two: tuple[Connection, Connection], ada: User
) -> None:
    ask(site, review, state="review", connection="Here")
    body = [{"type": "rename_state", "id": "review", "new_id": "look"}]
    edits.edit(review.pk, review.head, edits_from_json(body), ada)
    review.refresh_from_db()
    assert list(chosen(site, review)["states"]) == ["look"]
    undo(review.pk, review.head, ada)
    review.refresh_from_db()
    assert list(chosen(site, review)["states"]) == ["review"]


def test_a_run_that_nothing_names_a_connection_for_is_not_started(
    site: Client, review: Pack, two: tuple[Connection, Connection]
) -> None:
    body = json.dumps({"pack": review.pk, "driver": "model"})
    refused = site.post("/api/v1/runs/", body, content_type="application/json")
    assert refused.status_code == 404
    assert "No connection is this server's default" in refused.json()["message"]
    ask(site, review, connection="Here")
    assert site.post("/api/v1/runs/", body, content_type="application/json").status_code == 201
