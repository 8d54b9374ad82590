"""The page of the elements of all packs, the page of recorded runs, and Django's admin."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.dialects.promptpack.packs import pack as changed
from tests.support.recorded_run import recorded
from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect, stored  # noqa: F401
from workflows.actions import packs, runs
from workflows.core.pack.edits import Retarget
from workflows.models import Pack, RunEvent, State


@pytest.fixture
def loop(ada: User) -> Pack:
    return stored(json.dumps(changed({})).encode(), ada, "loop.pack.json")


@pytest.mark.parametrize("kind", ["states", "transitions", "artifacts", "agents"])
def test_every_kind_has_its_list(site: Client, loop: Pack, kind: str) -> None:
    answer = site.get(f"/elements/{kind}/")
    assert answer.status_code == 200
    listed = f'data-elements="{kind}"' in answer.content.decode()
    assert listed == (kind in ("states", "transitions"))


def test_a_row_links_to_its_element_on_the_canvas(site: Client, loop: Pack) -> None:
    text = site.get("/elements/", {"prompt": "draft"}).content.decode()
    assert f"/packs/{loop.pk}/?element=state%3Adraft" in text
    assert "state%3Areview" not in text


def test_a_filter_without_meaning_shows_its_reason(site: Client, loop: Pack) -> None:
    text = site.get("/elements/artifacts/", {"since": "soon"}).content.decode()
    assert "is a day" in text


def test_prompts_of_runs_link_to_their_run(site: Client, ada: User, loop: Pack) -> None:
    run = runs.start(loop, driver="manual", options={}, owner=ada)
    text = site.get("/elements/artifacts/", {"type": "prompt"}).content.decode()
    assert f"/runs/{run.pk}/" in text


def test_staff_read_the_rows_in_the_admin_and_change_nothing(
    site: Client, client: Client, bob: User, loop: Pack
) -> None:
    state = State.objects.filter(pack=loop).first()
    assert state is not None
    assert "Stored rows" in site.get("/admin/").content.decode()
    for model in ("pack", "revision", "state", "transition", "artifact", "agent", "run"):
        assert site.get(f"/admin/workflows/{model}/").status_code == 200
    page = site.get(f"/admin/workflows/state/{state.pk}/change/").content.decode()
    assert state.key in page
    assert 'name="_save"' not in page
    for address in (f"{state.pk}/change/", f"{state.pk}/delete/", "add/"):
        answer = site.post(f"/admin/workflows/state/{address}", {"post": "yes", "key": "x"})
        assert answer.status_code == 403
    state.refresh_from_db()
    client.force_login(bob)
    assert client.get("/admin/workflows/state/").status_code == 403


def test_recorded_runs_are_verified_and_their_divergence_is_drawn(
    site: Client, ada: User, loop: Pack
) -> None:
    run = recorded(loop, ada)
    (held,) = site.get(f"/api/v1/packs/{loop.pk}/verified-runs/").json()
    assert (held["run"], held["holds"], held["svg"]) == (str(run.pk), True, "")
    (taken,) = RunEvent.objects.filter(run=run, type="transition.taken")[:1]
    arrow = "{source}|{label}|{target}".format(**taken.fields)
    packs.edit(loop.pk, 1, [Retarget(transition=arrow, target="draft")], ada)
    (gone,) = site.get(f"/api/v1/packs/{loop.pk}/verified-runs/").json()
    assert not gone["holds"]
    assert gone["n"] <= taken.n
    assert "draft" in gone["message"]
    for words in ("1 recorded", "1 now", taken.fields["target"]):
        assert words in gone["svg"]
    text = site.get(f"/packs/{loop.pk}/verified-runs/").content.decode()
    assert 'data-holds="false"' in text
    assert "data:image/svg+xml" in text
