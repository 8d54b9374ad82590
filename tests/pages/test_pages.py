"""Pages work without JavaScript and show an error message for every refusal."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.html import escape

from tests.support.checks import quick_or_slow
from tests.support.flow_dialect import flow
from tests.support.server_fixtures import stored
from workflows.models import Pack, Run
from workflows.selectors.rules import rule_pages


def test_an_empty_gallery_teaches(site: Client) -> None:
    page = site.get("/").content.decode()
    assert "No packs yet" in page
    assert 'data-sample="flow/tiny"' in page


def test_cards_show_the_real_graph(site: Client, pack: Pack) -> None:
    page = site.get("/").content.decode()
    assert f'href="/packs/{pack.pk}/"' in page
    assert 'alt="3 states, 2 transitions"' in page
    assert f'src="/packs/{pack.pk}/thumbnail.svg?v=1-plain"' in page
    drawing = site.get(f"/packs/{pack.pk}/thumbnail.svg", {"v": "1-plain"})
    assert drawing["Content-Type"] == "image/svg+xml"
    assert "immutable" in drawing["Cache-Control"]
    assert "default-src 'none'" in drawing["Content-Security-Policy"]
    text = drawing.content.decode()
    assert text.count('class="c"') == 3
    assert text.count("marker-end") == 2
    assert "immutable" not in site.get(f"/packs/{pack.pk}/thumbnail.svg")["Cache-Control"]


def test_names_from_files_are_text_and_never_markup(site: Client, ada: User) -> None:
    evil = '<img src=x onerror="alert(1)">'
    pack = stored(flow("A", A={}), ada)
    Pack.objects.filter(pk=pack.pk).update(name=evil)
    for address in ("/", f"/packs/{pack.pk}/"):
        page = site.get(address).content.decode()
        assert evil not in page
        assert "&lt;img" in page


def test_the_gallery_is_searched(site: Client, pack: Pack) -> None:
    assert 'class="card-title">tiny<' in site.get("/", {"q": "TIN"}).content.decode()
    assert "Nothing matches" in site.get("/", {"q": "none"}).content.decode()


@pytest.mark.parametrize("every", quick_or_slow(10, 1))
def test_every_rule_has_a_help_page(site: Client, every: int) -> None:
    """All samples are listed, and one of every `every` is opened."""
    listed = site.get("/rules/").content.decode()
    for number, page in enumerate(rule_pages()):
        assert f'href="/rules/{page.code}/"' in listed
        if number % every:
            continue
        shown = site.get(f"/rules/{page.code}/").content.decode()
        assert escape(page.title) in shown
        assert all(escape(part) in shown for part in page.paragraphs)


def test_rules_are_searched_and_an_unknown_one_is_not_found(site: Client) -> None:
    found = site.get("/rules/", {"q": "stays there: it has"}).content.decode()
    assert "GR105" in found
    assert "GR101" not in found
    assert "No rule matches" in site.get("/rules/", {"q": "zebra"}).content.decode()
    assert site.get("/rules/XX999/").status_code == 404


def test_a_file_is_imported_by_a_plain_form(site: Client) -> None:
    upload = SimpleUploadedFile("up.flow.json", flow("A", A={}))
    answer = site.post("/", {"files": [upload]})
    assert answer["Location"] == f"/packs/{Pack.objects.get().pk}/"


def test_a_text_is_imported_by_a_plain_form(site: Client) -> None:
    form = {"text": flow("A", A={}).decode(), "name": "typed.flow.json"}
    assert site.post("/", form, follow=True).status_code == 200
    assert Pack.objects.get().name == "typed"


@pytest.mark.parametrize(
    "form", [{"text": "nothing we know"}, {"text": ""}, {}, {"text": "x", "name": "../x"}]
)
def test_a_failed_import_is_reported_on_the_page(site: Client, form: dict[str, str]) -> None:
    answer = site.post("/", form, follow=True)
    assert answer.status_code == 200
    assert 'class="notice error"' in answer.content.decode()
    assert not Pack.objects.exists()


def test_a_sample_is_opened_by_a_plain_form(site: Client) -> None:
    answer = site.post("/packs/new/", {"sample": "flow/tiny"})
    assert answer["Location"] == f"/packs/{Pack.objects.get().pk}/"
    refused = site.post("/packs/new/", {"sample": "none/none"}, follow=True)
    assert "Unknown dialect" in refused.content.decode()


def test_a_pack_is_deleted_by_a_plain_form(site: Client, pack: Pack) -> None:
    answer = site.post(f"/packs/{pack.pk}/delete/", follow=True)
    assert "tiny was deleted" in answer.content.decode()
    assert not Pack.objects.exists()


def test_the_editor_names_its_pack_for_the_canvas(site: Client, pack: Pack) -> None:
    page = site.get(f"/packs/{pack.pk}/").content.decode()
    assert f'data-page="editor" data-pack="{pack.pk}" data-user="ada"' in page
    assert f'href="/api/v1/packs/{pack.pk}/graph/"' in page


def test_runs_have_a_table_and_a_page(site: Client, pack: Pack, ada: User) -> None:
    assert "No runs yet" in site.get("/runs/").content.decode()
    run = Run.objects.create(
        pack=pack, revision=1, profile="plain", driver="rehearsal", status="completed", owner=ada
    )
    page = site.get("/runs/").content.decode()
    assert f'data-run="{run.pk}"' in page
    assert 'data-run-status="completed"' in page
    assert "No run matches" in site.get("/runs/", {"status": "failed"}).content.decode()
    assert f'data-run="{run.pk}"' in site.get(f"/runs/{run.pk}/").content.decode()
    for query in ({"pack": "x"}, {"page": "x"}, {"pack": "9" * 30}):
        assert site.get("/runs/", query).status_code == 200


@pytest.mark.parametrize(
    "address", ["/none/", "/packs/999/", "/runs/00000000-0000-0000-0000-000000000000/"]
)
def test_an_unknown_address_has_an_error_page(site: Client, address: str) -> None:
    answer = site.get(address)
    assert answer.status_code == 404
    assert "This page does not exist" in answer.content.decode()


def test_an_address_of_the_api_that_is_not_there_answers_json(site: Client) -> None:
    answer = site.get("/api/v1/none/")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_an_internal_error_has_an_error_page(site: Client, monkeypatch: Any) -> None:
    from workflows.views import packs

    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(packs.gallery_read, "folders", broken)
    answer = site.get("/")
    assert answer.status_code == 500
    assert "Something went wrong in the server" in answer.content.decode()
    assert "secret" not in answer.content.decode()
