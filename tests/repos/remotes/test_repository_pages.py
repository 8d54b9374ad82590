"""Pages of repositories without a script: added, scanned, followed, changed and deleted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from roles.rights import Level, Share
from tests.repos.conftest import FIRST
from tests.repos.remotes.conftest import Team, edit, here
from tests.support.checks import failure_note
from workflows.actions.shares import set_sharing
from workflows.models import Change, Pack, Repository
from workflows.repos.mirror import mirror_folder

Send = Callable[..., str]


@pytest.fixture
def send(site: Client, team: Team, ada: User) -> Send:
    """Send a form of the repository's page; returns the next page."""
    site.force_login(ada)

    def post(status: int = 200, **form: Any) -> str:
        address = f"/repositories/{team.row.pk}/change/"
        answer = site.post(address, form, follow=True)
        assert answer.status_code == status
        return answer.content.decode()

    return post


def text_of(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_a_repository_is_added_with_its_branch(site: Client, team: Team) -> None:
    form = {"url": str(team.remote.folder), "forge": "guess", "credential": "none"}
    page = site.post("/repositories/", {**form, "poll_seconds": "300"}, follow=True)
    row = Repository.objects.latest("pk")
    assert page.redirect_chain == [(f"/repositories/{row.pk}/", 302)]
    assert (row.name, row.default_branch, row.poll_seconds) == ("remote", "main", 300)
    listed = site.get("/repositories/").content.decode()
    assert 'data-repository="remote"' in listed


REFUSED_FORMS: list[tuple[dict[str, str], str]] = [
    ({"url": "ftp://example.org/x"}, "url"),
    ({"url": ""}, "url"),
    ({"credential": "token", "secret": ""}, "secret"),
    (
        {"url": "https://example.org/a.git", "credential": "ssh-key", "secret": "k"},
        "credential",
    ),
    ({"credential": "github-app", "secret": "k", "app_id": "x"}, "app_id"),
    ({"name": "a\x01b"}, "name"),
    ({"poll_seconds": "5"}, "poll_seconds"),
    ({"poll_seconds": "often"}, "poll_seconds"),
]


def test_a_refused_form_has_the_reason_at_its_field_and_keeps_its_values(
    site: Client, team: Team
) -> None:
    before = Repository.objects.count()
    form = {"url": "https://example.org/team/packs.git", "name": "Ours", "committer_name": "Bot",
            "forge": "gitea", "credential": "none", "git_wins": "on"}  # fmt: skip
    for wrong, field in REFUSED_FORMS:
        with failure_note(repr(wrong)[:200]):
            answer = site.post("/repositories/", {**form, **wrong})
            page = answer.content.decode()
            assert answer.status_code in (400, 422)
            assert f'id="problem-{field}"' in page
            assert page.count('class="problem"') == 1
            assert 'value="Bot"' in page
            assert '<option value="gitea" selected>' in page
            assert re.search(r'name="git_wins" checked', page)
            assert ">k</textarea>" not in page
            assert Repository.objects.count() == before


def test_a_scan_chooses_packs_outside_of_fixtures(send: Send, team: Team, site: Client) -> None:
    files = {"b.flow.json": FIRST, "tests/c.flow.json": FIRST}
    team.push(files)
    send(do="fetch")
    page = site.get(f"/repositories/{team.row.pk}/?ref=main").content.decode()
    rows = dict(re.findall(r'data-scanned="([^"]+)".*?name="pack"[^>]*?( checked)?>', page, re.S))
    assert rows == {"a.flow.json": " checked", "b.flow.json": " checked", "tests/c.flow.json": ""}
    page = send(do="track", ref="main", pack=["a.flow.json", "b.flow.json"])
    assert "2 packs follow the branch main now." in page
    assert page.count('data-status="in-step"') == 2
    team.push({"a.flow.json": None, "moved.flow.json": FIRST, "b.flow.json": None})
    send(do="fetch")
    page = site.get(f"/repositories/{team.row.pk}/?ref=main").content.decode()
    states = dict(re.findall(r'data-scanned="([^"]+)" data-status="([^"]+)"', page))
    assert states["tests/c.flow.json"] == "new"
    assert sorted(states.values()) == ["gone", "moved", "new"]


def test_an_empty_choice_is_refused_and_the_scan_stays(send: Send) -> None:
    page = send(404, do="track", ref="main")
    assert "Choose at least one pack." in page
    assert 'data-scanned="a.flow.json"' in page


def test_the_states_of_packs_are_shown_by_branch(send: Send, team: Team, site: Client) -> None:
    (pack,) = team.track()
    edit(pack, b"One", b"Eins")
    address = f"/repositories/{team.row.pk}/"
    assert "edited here" in text_of(site.get(address).content.decode())
    team.push({"a.flow.json": FIRST.replace(b"Two", b"Zwei")})
    page = send(do="fetch")
    assert "changed on both sides" in text_of(page)
    assert f'href="/packs/{pack.pk}/"' in page
    assert 'data-branch="main"' in page


def test_the_secret_of_the_webhook_is_on_one_page_only(
    send: Send, team: Team, site: Client
) -> None:
    address = f"/repositories/{team.row.pk}/"
    assert f"/api/v1/repositories/{team.row.pk}/hook/" in site.get(address).content.decode()
    page = send(do="secret")
    (secret,) = re.findall(r"data-secret>(whsec_[^<]+)<", page)
    assert secret not in site.get(address).content.decode()


def test_a_change_keeps_the_stored_credential(send: Send, team: Team) -> None:
    form = {"do": "change", "url": str(team.remote.folder), "forge": "", "credential": "token"}
    page = send(400, **form)
    assert 'id="problem-secret"' in page
    send(**form, secret="token-of-mine")
    page = send(**form, name="Renamed")
    row = Repository.objects.get(pk=team.row.pk)
    assert row.name == "Renamed"
    assert row.sealed_credential
    assert "token-of-mine" not in page + str(row.sealed_credential)
    page = send(400, **form | {"url": "https://elsewhere.example/packs.git"})
    assert 'id="problem-secret"' in page


def test_a_deleted_repository_leaves_its_packs(send: Send, team: Team) -> None:
    (pack,) = team.track()
    page = send(do="delete")
    assert "Its packs stay." in page
    assert not Repository.objects.exists()
    assert Pack.objects.filter(pk=pack.pk).exists()
    assert not mirror_folder(team.row.pk).exists()


def test_a_reader_fetches_and_sees_neither_packs_nor_settings(
    send: Send, team: Team, site: Client
) -> None:
    (pack,) = team.track()
    grace = User.objects.create_user("grace")
    shares = [Share(kind="user", name="grace", level=Level.READ)]
    set_sharing(Repository.objects.get(pk=team.row.pk), shares, by=team.owner)
    site.force_login(grace)
    page = send(do="fetch")
    assert "was fetched" in page
    assert "Delete the repository" not in page
    assert f'href="/packs/{pack.pk}/"' not in page
    send(403, do="delete")
    send(403, do="secret")


def test_a_failed_fetch_is_shown_on_both_pages(send: Send, team: Team, site: Client) -> None:
    team.remote.folder.rename(team.remote.folder.with_name("elsewhere"))
    assert "The last fetch failed." in send(do="fetch")
    assert "data-problem" in site.get("/repositories/").content.decode()


def test_cards_of_the_gallery_show_drift(send: Send, team: Team, site: Client) -> None:
    (pack,) = team.track()
    assert "data-drift" not in site.get("/").content.decode()
    edit(pack, b"One", b"Eins")
    assert 'data-drift="edited"' in site.get("/").content.decode()
    team.push({"a.flow.json": FIRST.replace(b"Two", b"Zwei")})
    team.fetch()
    assert 'data-drift="both"' in site.get("/").content.decode()
    assert here(pack).head == 2


def test_the_list_names_what_needs_the_user_and_pulls_what_merges(
    site: Client, team: Team, ada: User
) -> None:
    other = {f"{name}.flow.json": FIRST.replace(b"Tiny", name.encode()) for name in "bcde"}
    team.push(other)
    team.fetch()
    packs = team.track("a.flow.json", *other)
    edit(packs[1], b"One", b"Mine", "b.flow.json")
    edit(packs[3], b"One", b"Mine", "d.flow.json")
    theirs = {name: data.replace(b"One", b"Theirs") for name, data in other.items()}
    team.push({"a.flow.json": FIRST.replace(b"One", b"Theirs"), **theirs, "d.flow.json": None})
    team.push({"e.flow.json": other["e.flow.json"]})
    team.fetch()
    Change.objects.create(repository=team.row, branch="x", target="main", title="x")
    site.force_login(ada)

    def needs() -> list[tuple[str, str]]:
        page = site.get("/repositories/").content.decode()
        return re.findall(r'data-need="([a-z]+)">([^<]+)<', page)

    assert needs() == [
        ("gone", "1 gone from the branch"),
        ("both", "1 changed on both sides"),
        ("changed", "2 behind"),
        ("proposal", "1 proposal open"),
    ]
    text = text_of(site.post("/repositories/pull/", follow=True).content.decode())
    assert "2 packs pulled." in text
    assert "b was not pulled. " in text
    assert needs()[1] == ("both", "1 changed on both sides")
    assert ("changed", "2 behind") not in needs()
    assert here(packs[0]).head == 2
    assert "Pull what merges cleanly" in text_of(site.get("/repositories/").content.decode())
