"""Access: only a few addresses answer without sign-in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from smtplib import SMTPException
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from tests.support.server_fixtures import signed_in
from workflows.actions import connections, packs, people, tokens
from workflows.errors import BadRequest
from workflows.models import Pack, SignInLink, Token
from workflows.rights.scopes import SCOPES

OPEN = {
    "/healthz",
    "/readyz",
    "/sign-in/",
    "/help/",
    "/help/<path:address>/",
    "/help/<path:name>",
}
OTHERWISE = {
    "/metrics",
    "/api/v1/hooks/<str:address>/",
    "/api/v1/repositories/1/hook/",
    "/approvals/link/<str:token>/",
    "/sign-in/oidc/GR101/login/",
    "/sign-in/oidc/GR101/login/callback/",
}
"""Addresses that require a token or secret of their own: see their tests."""
RUN = "00000000-0000-0000-0000-000000000000"


def addresses(patterns: Any = None, before: str = "/") -> Iterator[str]:
    for entry in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry.url_patterns, route)
        else:
            assert isinstance(entry, URLPattern)
            route = re.sub(r"<slug:\w+>", "GR101", route)
            yield re.sub(r"<uuid:\w+>", RUN, re.sub(r"<number:\w+>", "1", route))


@pytest.fixture(autouse=True)
def _passwords_are_quick(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def stranger() -> Client:
    return Client(HTTP_HOST="127.0.0.1", raise_request_exception=False)


def test_there_are_addresses_to_walk() -> None:
    assert len(set(addresses())) > 30


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_every_address_requires_sign_in(stranger: Client, method: str) -> None:
    for address in set(addresses()) - OPEN - OTHERWISE:
        answer = getattr(stranger, method)(address)
        if address.startswith("/api/"):
            assert answer.status_code == 401, address
            assert b"not_signed_in" in answer.content
            assert answer["WWW-Authenticate"] == "Bearer"
        else:
            assert answer.status_code == 302, address
            # The admin has an address of its own, which leads on to this one.
            assert urlsplit(answer["Location"]).path.removeprefix("/admin") == "/sign-in/"


def test_every_page_forbids_inline_scripts_and_frames(site: Client, pack: Pack) -> None:
    for address in ("/", "/runs/", "/settings/", "/sign-in/", f"/packs/{pack.pk}/", "/none/"):
        answer = site.get(address, follow=True)
        policy = answer["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer["X-Content-Type-Options"] == "nosniff"
        page = answer.content.decode()
        assert not re.search(r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=|javascript:|<style", page)


def test_a_link_signs_in_once(stranger: Client, ada: User) -> None:
    token = people.make_link(ada)
    assert token not in str(list(SignInLink.objects.values())), "only its hash is kept"
    answer = stranger.post("/sign-in/", {"token": token})
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert stranger.get("/").status_code == 200
    other = Client(HTTP_HOST="127.0.0.1")
    for refused in (
        other.get("/sign-in/", {"token": token}),
        other.post("/sign-in/", {"token": token}),
    ):
        assert refused.status_code == 403
        assert "used already" in refused.content.decode()
    assert other.get("/").status_code == 302


def test_opening_a_link_shows_whom_it_signs_in_and_uses_nothing_up(
    stranger: Client, ada: User, bob: User
) -> None:
    token = people.make_link(ada)
    for _ in range(3):
        page = stranger.get("/sign-in/", {"token": token, "next": "/runs/"})
        assert page.status_code == 200
        assert "no-store" in page["Cache-Control"]
        assert "Sign in as ada" in page.content.decode()
        assert 'name="next" value="/runs/"' in page.content.decode()
    assert stranger.get("/").status_code == 302, "nobody is signed in"
    stranger.force_login(bob)
    page = stranger.get("/sign-in/", {"token": token}).content.decode()
    assert "You are signed in as bob." in page


def test_a_form_of_another_site_does_not_redeem_a_link(ada: User) -> None:
    client = Client(HTTP_HOST="127.0.0.1", enforce_csrf_checks=True)
    token = people.make_link(ada)
    assert client.post("/sign-in/", {"token": token}).status_code == 403
    page = client.get("/sign-in/", {"token": token}).content.decode()
    proof = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert proof
    form = {"token": token, "csrfmiddlewaretoken": proof.group(1)}
    assert client.post("/sign-in/", form).status_code == 302


def test_an_expired_link_or_one_of_a_deactivated_user_does_not(stranger: Client, ada: User) -> None:
    old = people.make_link(ada)
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    _is_refused(stranger, old)
    gone = people.make_link(ada)
    User.objects.update(is_active=False)
    _is_refused(stranger, gone)
    _is_refused(stranger, "made up \0")


def _is_refused(client: Client, token: str) -> None:
    assert client.get("/sign-in/", {"token": token}).status_code == 403
    assert client.post("/sign-in/", {"token": token}).status_code == 403


def test_sign_in_leads_on_only_within_the_site(stranger: Client, ada: User) -> None:
    for wanted, lands in (
        ("/runs/", "/runs/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("javascript:alert(1)", "/"),
    ):
        query = {"token": people.make_link(ada), "next": wanted}
        assert stranger.post("/sign-in/", query)["Location"] == lands


def test_a_password_signs_in(stranger: Client, ada: User) -> None:
    people.set_password(ada, "correct horse battery")
    wrong = {"username": "ada", "password": "wrong"}
    assert stranger.post("/sign-in/", wrong).status_code == 403
    right = {"username": "ada", "password": "correct horse battery"}
    assert stranger.post("/sign-in/", right).status_code == 302
    stranger.post("/sign-out/")
    assert stranger.get("/").status_code == 302


def test_a_new_user_gets_a_link_and_no_password(site: Client) -> None:
    added = site.post("/settings/change/", {"do": "add-person", "username": "carol"})
    page = added.content.decode()
    link = re.search(r"data-fresh-link>([^<]+)<", page)
    assert link
    assert "data-fresh-link" not in site.get("/settings/").content.decode(), "shown once"
    carol = Client(HTTP_HOST="127.0.0.1")
    address = urlsplit(link.group(1).replace("&amp;", "&"))
    token = parse_qs(address.query)["token"][0]
    assert carol.post(address.path, {"token": token}).status_code == 302
    assert not User.objects.get(username="carol").has_usable_password()
    assert "add people</td>" not in carol.get("/settings/").content.decode()
    carol.post(
        "/settings/change/",
        {"do": "password", "new": "correct horse battery", "again": "correct horse battery"},
    )
    assert User.objects.get(username="carol").check_password("correct horse battery")
    assert carol.get("/").status_code == 200, "still signed in"


def test_a_sign_in_link_is_sent_to_the_address_of_a_person(
    site: Client, settings: Any, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SIGNALBOX_SMTP = "smtp://mail"
    form = {"do": "add-person", "username": "carol", "email": "carol@example.org"}
    page = site.post("/settings/change/", form).content.decode()
    link = re.search(r"data-fresh-link>([^<]+)<", page)
    assert link
    (message,) = mailoutbox
    assert message.to == ["carol@example.org"]
    assert link.group(1).replace("&amp;", "&") in message.body

    def refused(*_: object) -> None:
        raise SMTPException("mailbox full")

    monkeypatch.setattr("workflows.views.people.send_mail", refused)
    carol = User.objects.get(username="carol")
    page = site.post("/settings/change/", {"do": "invite-again", "person": carol.pk})
    assert "was not sent: mailbox full." in page.content.decode()
    assert "data-fresh-link" in page.content.decode()
    form = {"do": "add-person", "username": "dan", "email": "dan at example"}
    assert site.post("/settings/change/", form).status_code == 302
    assert not User.objects.filter(username="dan").exists()
    found = site.get("/settings/?person=example.ORG").content.decode()
    assert re.findall(r'data-person="(\w+)"', found) == ["carol"]


def test_only_staff_add_people(bob: User, ada: User) -> None:
    client = signed_in(bob)
    for form in (
        {"do": "add-person", "username": "eve"},
        {"do": "deactivate", "person": ada.pk},
        {"do": "invite-again", "person": ada.pk},
    ):
        assert client.post("/settings/change/", form).status_code == 302
    assert not User.objects.filter(username="eve").exists()
    assert User.objects.get(pk=ada.pk).is_active
    assert not SignInLink.objects.exists()


def test_a_deactivated_user_is_signed_out_at_once(site: Client, bob: User, ada: User) -> None:
    client = signed_in(bob)
    _, token = tokens.make_token(bob, "script", scopes=SCOPES)
    site.post("/settings/change/", {"do": "deactivate", "person": bob.pk})
    assert client.get("/").status_code == 302
    assert not Token.objects.filter(user=bob).exists()
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    assert Client(HTTP_HOST="127.0.0.1").get("/api/v1/packs/", **bearer).status_code == 401
    with pytest.raises(BadRequest):
        people.set_active(ada.pk, False, by=ada)


def test_a_token_is_shown_once_and_kept_as_a_hash(site: Client) -> None:
    made = site.post(
        "/settings/change/",
        {"do": "make-token", "name": "nightly", "scope": ["read", "edit"], "days": "30"},
    )
    assert "no-store" in made["Cache-Control"]
    found = re.search(r"data-fresh-token>(\w+)<", made.content.decode())
    assert found
    token = found.group(1)
    assert token not in site.get("/settings/").content.decode()
    kept = str(list(Token.objects.values()))
    assert token not in kept
    assert "nightly" in kept
    program = Client(HTTP_HOST="127.0.0.1", enforce_csrf_checks=True)
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    assert program.get("/api/v1/packs/", **bearer).status_code == 200
    made = program.post(
        "/api/v1/packs/", {"dialect": "flow"}, content_type="application/json", **bearer
    )
    assert made.status_code == 201
    key = Token.objects.get().token_key
    site.post("/settings/change/", {"do": "revoke-token", "token": key})
    assert program.get("/api/v1/packs/", **bearer).status_code == 401


def test_the_hint_for_a_browser_is_to_sign_in_and_for_a_program_to_send_a_token(
    stranger: Client,
) -> None:
    hints = [
        stranger.get("/api/v1/packs/", HTTP_USER_AGENT=agent).json()["hint"]
        for agent in ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "curl/8.0")
    ]
    assert ["Bearer" in hint for hint in hints] == [False, True]
    assert "sign in" in hints[0]


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer a b", "Bearer \xff", "Token x"])
def test_an_invalid_authorization_is_refused_with_a_message(stranger: Client, header: str) -> None:
    answer = stranger.get("/api/v1/packs/", HTTP_AUTHORIZATION=header)
    assert (answer.status_code, answer.json()["code"]) == (401, "not_signed_in")


def test_forms_of_other_sites_are_refused(ada: User, pack: Pack) -> None:
    client = Client(HTTP_HOST="127.0.0.1", enforce_csrf_checks=True)
    client.force_login(ada)
    page = client.post(f"/packs/{pack.pk}/delete/")
    assert page.status_code == 403
    assert "You may not do this" in page.content.decode()
    api = client.post(
        f"/api/v1/packs/{pack.pk}/undo/", {"base": 1}, content_type="application/json"
    )
    assert (api.status_code, api.json()["code"]) == (403, "forbidden")
    assert Pack.objects.filter(pk=pack.pk).exists()


def test_one_person_alone_sees_nothing_of_sharing(db: None) -> None:
    ada = User.objects.create_user("ada", is_staff=True)
    client = signed_in(ada)
    pack = packs.create("stages", name="Alone", owner=ada)
    connections.create(name="c", kind="openai", key="k", owner=ada)
    pages = ("/", "/settings/", "/roles/", f"/packs/{pack.pk}/triggers/", f"/packs/{pack.pk}/")
    assert not [page for page in pages if b"data-share" in client.get(page).content]
    User.objects.create_user("bob")
    assert b"data-share" in client.get("/").content
    assert b"data-share" in client.get("/settings/").content
