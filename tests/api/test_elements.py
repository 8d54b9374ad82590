"""Questions over the stored things of all packs: states, transitions, artifacts, agents."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.models import Role
from roles.rights import Level, share
from tests.dialects.promptpack.packs import GONE
from tests.dialects.promptpack.packs import pack as changed
from tests.support.server_fixtures import signed_in, stored
from workflows.actions import runs
from workflows.models import Pack, RunEvent, State


@pytest.fixture
def packs(ada: User, bob: User) -> dict[str, Pack]:
    """A pack of bob and a pack of ada, which are shared with no other user."""
    loop = json.dumps(changed({})).encode()
    return {
        "bobs": stored(loop, bob, "bobs.pack.json"),
        "adas": stored(loop, ada, "adas.pack.json"),
    }


@pytest.fixture
def as_bob(bob: User) -> Client:
    return signed_in(bob)


def asked(client: Client, path: str, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(f"/api/v1/{path}/", query)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_states_of_all_packs_that_call_a_prompt(site: Client, packs: dict[str, Pack]) -> None:
    found = asked(site, "states", prompt="draft")
    assert {one["pack"] for one in found} == {packs["adas"].pk, packs["bobs"].pk}
    assert {one["prompt"] for one in found} == {"draft"}


def test_only_what_the_user_may_see(
    as_bob: Client, bob: User, ada: User, packs: dict[str, Pack]
) -> None:
    for kind in ("states", "transitions", "artifacts", "agents"):
        assert {one["pack"] for one in asked(as_bob, kind)} <= {packs["bobs"].pk}
    hidden = State.objects.filter(pack=packs["adas"]).first()
    assert hidden is not None
    answer = as_bob.get(f"/api/v1/states/{hidden.pk}/")
    assert answer.status_code == 404
    gone = as_bob.get("/api/v1/states/999999/")
    assert answer.json()["hint"] == gone.json()["hint"]
    share(packs["adas"], bob, Level.READ)
    assert as_bob.get(f"/api/v1/states/{hidden.pk}/").json()["key"] == hidden.key
    assert {one["pack"] for one in asked(as_bob, "states")} == {one.pk for one in packs.values()}


def test_states_without_a_visit(site: Client, ada: User, packs: dict[str, Pack]) -> None:
    pack = packs["adas"]
    keys = {row.key for row in State.objects.filter(pack=pack)}
    assert {one["key"] for one in asked(site, "states", pack=pack.pk, visited="false")} == keys
    run = runs.start(pack, driver="manual", options={}, owner=ada)
    (entered,) = RunEvent.objects.filter(run=run, type="state.entered")
    state = entered.fields["state"]
    visited = asked(site, "states", visited="true")
    assert [(one["pack"], one["key"]) for one in visited] == [(pack.pk, state)]
    unvisited = asked(site, "states", pack=pack.pk, visited="false")
    assert {one["key"] for one in unvisited} == keys - {state}


def test_every_prompt_sent_last_week(site: Client, ada: User, packs: dict[str, Pack]) -> None:
    run = runs.start(packs["adas"], driver="manual", options={}, owner=ada)
    (logged,) = RunEvent.objects.filter(run=run, type="prompt.logged")
    today = datetime.now(UTC).date()
    (found,) = asked(site, "artifacts", type="prompt", since=today - timedelta(days=7))
    assert found["value"] == logged.fields["text"]
    assert (found["run"], found["n"], found["pack"]) == (str(run.pk), logged.n, run.pack_id)
    RunEvent.objects.filter(pk=logged.pk).update(at=logged.at - 9 * 86_400)
    assert not asked(site, "artifacts", type="prompt", since=today - timedelta(days=7))
    assert asked(site, "artifacts", type="prompt", until=today - timedelta(days=8))
    assert asked(site, "artifacts", type="prompt", name=logged.fields["state"], q="draft")


def test_transitions_and_agents(site: Client, ada: User) -> None:
    team = {
        "workflow": GONE,
        "agents": {"entry": "draft", "members": {"draft": {"tags": ["text"]}, "review": {}}},
    }
    stored(json.dumps(changed(team)).encode(), ada, "team.pack.json")
    stored(json.dumps(changed({})).encode(), ada, "loop.pack.json")
    (agent,) = asked(site, "agents", tag="text")
    assert (agent["key"], agent["pack_name"]) == ("draft", agent["pack_name"])
    assert not asked(site, "agents", tag="tex")
    arrows = asked(site, "transitions", source="review")
    assert {one["source"] for one in arrows} == {"review"}
    (first,) = asked(site, "transitions", source="review", label=arrows[0]["label"])
    assert site.get(f"/api/v1/transitions/{first['id']}/").json() == first


def test_the_bound_role_is_shown_to_its_readers_only(
    site: Client, as_bob: Client, ada: User, bob: User, packs: dict[str, Pack]
) -> None:
    role = Role.objects.create(name="Secret", owner=ada, prompt_config={})
    state = State.objects.filter(pack=packs["bobs"]).first()
    assert state is not None
    State.objects.filter(pk=state.pk).update(bound={"role": role.pk, "name": "Secret"})
    assert asked(site, "states", role=role.pk)[0]["bound"] == {"role": role.pk, "name": "Secret"}
    assert asked(as_bob, "states", role=role.pk) == []
    assert as_bob.get(f"/api/v1/states/{state.pk}/").json()["bound"] is None


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("states/?visited=maybe", "true, false"),
        ("states/?pack=x", "whole number"),
        ("artifacts/?since=yesterday", "is a day"),
        ("artifacts/?kind=prompt", "no query parameter `kind`"),
        ("states/?promt=x", "Did you mean `prompt`"),
    ],
)
def test_a_question_without_meaning_is_refused(site: Client, path: str, words: str) -> None:
    answer = site.get(f"/api/v1/{path}")
    assert answer.status_code == 400
    body = answer.json()
    assert words in body["message"] + body["hint"]
