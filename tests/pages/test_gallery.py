"""The gallery: groups, order, favourites, folders, copies, and its size for packs of any size."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.flow_dialect import flow
from tests.support.server_fixtures import signed_in, stored
from workflows.actions import packs
from workflows.actions.samples import load_samples
from workflows.core.pack.edits import edits_from_json
from workflows.models import Favourite, Pack
from workflows.selectors.layout import layout_at, layout_now

LARGE = 6_000
MOVE = {"type": "move", "positions": {"A": [40, 80]}}


@pytest.fixture
def three(ada: User) -> list[Pack]:
    """Packs a, b and c; the newest change is that of c."""
    made = [stored(flow(*name, **{name: {}}), ada, f"{name}.flow.json") for name in "ABC"]
    for pack, name in zip(made, "bca", strict=True):
        packs.rename(pack.pk, name)
    return made


def names(page: str) -> list[str]:
    return re.findall(r'class="card-title">([^<]*)<', page)


def test_packs_are_sorted_and_the_order_is_remembered(site: Client, three: list[Pack]) -> None:
    assert names(site.get("/").content.decode()) == ["a", "c", "b"]
    assert names(site.get("/", {"sort": "name"}).content.decode()) == ["a", "b", "c"]
    assert names(site.get("/").content.decode()) == ["a", "b", "c"]
    assert names(site.get("/", {"sort": "unknown"}).content.decode()) == ["a", "c", "b"]


def test_favourites_come_first_for_their_user_only(
    site: Client, three: list[Pack], bob: User
) -> None:
    address = f"/packs/{three[0].pk}/favourite/"
    answer = site.post(address, {"favourite": "yes", "back": "/?sort=name"})
    assert answer["Location"] == f"/?sort=name#pack-{three[0].pk}"
    page = site.get("/").content.decode()
    assert names(page) == ["b", "a", "c"]
    assert 'data-group="Favourites"' in page
    other = signed_in(bob)
    assert "Favourites" not in other.get("/").content.decode()
    for elsewhere in ("https://example.org/", "//example.org", "javascript:1"):
        answer = site.post(address, {"favourite": "no", "back": elsewhere})
        assert answer["Location"] == f"/#pack-{three[0].pk}"
    assert not Favourite.objects.exists()


def test_packs_are_moved_to_folders_and_grouped_by_them(site: Client, three: list[Pack]) -> None:
    form = {"name": "b", "folder": " Team /  Mail desk/", "back": "/?group=folder"}
    answer = site.post(f"/packs/{three[0].pk}/rename/", form)
    assert answer["Location"] == f"/?group=folder#pack-{three[0].pk}"
    assert Pack.objects.get(pk=three[0].pk).folder == "Team/Mail desk"
    page = site.get("/", {"group": "folder"}).content.decode()
    assert re.findall(r'data-group="([^"]*)"', page) == ["No folder", "Team/Mail desk"]
    assert names(site.get("/", {"folder": "Team/Mail desk"}).content.decode()) == ["b"]
    assert 'data-group="Flow"' not in site.get("/", {"group": ""}).content.decode()
    assert re.findall(r'data-group="([^"]*)"', site.get("/", {"group": "dialect"}).content.decode())


def test_an_empty_name_is_reported_in_the_form(site: Client, three: list[Pack]) -> None:
    answer = site.post(f"/packs/{three[0].pk}/rename/", {"name": " ", "folder": "x"})
    assert answer.status_code == 400
    assert "A pack needs a name." in answer.content.decode()
    assert Pack.objects.get(pk=three[0].pk).folder == ""


def test_a_copy_has_files_places_and_profile_and_is_the_users_own(
    site: Client, three: list[Pack], ada: User
) -> None:
    pack = three[0]
    packs.change(pack.pk, profile="strict")
    packs.edit(pack.pk, 1, edits_from_json([MOVE]), ada)
    answer = site.post(f"/packs/{pack.pk}/duplicate/")
    copy = Pack.objects.latest("pk")
    assert answer["Location"] == f"/packs/{copy.pk}/"
    assert (copy.name, copy.profile, copy.owner) == ("b (copy)", "strict", ada)
    assert layout_now(copy.pk) == layout_now(pack.pk) != {}
    assert layout_at(copy.pk, 1) == layout_now(copy.pk)
    assert (
        site.get(f"/api/v1/packs/{copy.pk}/export/").content
        == site.get(f"/api/v1/packs/{pack.pk}/export/").content
    )
    made = site.post(
        f"/api/v1/packs/{pack.pk}/duplicate/", {"name": "d"}, content_type="application/json"
    )
    assert made.status_code == 201
    assert made.json()["name"] == "d"


def test_the_page_does_not_grow_with_the_packs(site: Client, ada: User) -> None:
    states = {f"s{number}": {"go": f"s{number + 1}"} for number in range(LARGE)}
    content = json.dumps({"start": "s0", "states": states}).encode()
    pack = stored(content, ada, "large.flow.json")
    page = site.get("/").content
    assert len(page) < 20_000
    drawing = site.get(f"/packs/{pack.pk}/thumbnail.svg").content
    assert len(drawing) < 40_000
    card = site.get(f"/api/v1/packs/{pack.pk}/").json()
    assert len(card["thumbnail"]["states"]) <= 240


def test_fifty_packs_fit_in_a_hundred_kilobytes(site: Client, ada: User) -> None:
    for number in range(50):
        stored(flow("A", A={}), ada, f"{number}.flow.json")
    assert len(site.get("/").content) < 100_000


def test_the_first_visit_offers_three_things(site: Client, ada: User) -> None:
    load_samples()
    page = site.get("/").content.decode()
    steps = page[page.index("data-first-visit") :]
    assert steps.count("<li>") >= 3
    assert site.post("/packs/new/", {"sample": "promptpack/customer-support"}).status_code == 302
    assert "data-first-visit" not in site.get("/").content.decode()


def test_a_new_pack_begins_with_a_format_or_a_job(site: Client) -> None:
    page = site.get("/packs/new/").content.decode()
    for job in ("Support", "Review", "Research", "Release"):
        assert f'id="job-{job.lower()}"' in page
    for sample in re.findall(r'src="(/packs/new/[^"]*\.svg)"', page):
        drawing = site.get(sample)
        assert drawing.status_code == 200, sample
        assert 'class="c"' in drawing.content.decode()
    assert page.count("<img") == page.count("data-sample=")
    assert site.get("/packs/new/promptpack/nothing.svg").status_code == 404
    site.post("/packs/new/", {"sample": "promptpack/blank", "name": "Desk"})
    assert Pack.objects.get().name == "Desk"
