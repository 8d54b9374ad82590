"""A second factor: set up, required, limited, lost."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from workflows.actions import people
from workflows.actions.tokens import make_token
from workflows.security.sign_in_limits import PAIR_FAILURES

PASSWORD = "correct horse battery"
CODE_PAGE = "/second-factor/authenticate/"


class Phone:
    """An authenticator app."""

    def __init__(self, page: str) -> None:
        key = re.search(r"data-totp-key>(\w+)<", page)
        assert key
        self.key = key.group(1)

    def code(self) -> str:
        return format_hotp_value(hotp_value(self.key, int(time.time()) // 30))


@pytest.fixture(autouse=True)
def _passwords_are_quick(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _no_new_period(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clocks of codes and of their use are stopped, so that no code expires during a test."""
    now = timezone.now()
    monkeypatch.setattr("allauth.mfa.totp.internal.auth.time.time", now.timestamp)
    monkeypatch.setattr("allauth.mfa.models.timezone.now", lambda: now)


def client() -> Client:
    return Client(HTTP_HOST="127.0.0.1", raise_request_exception=False)


@pytest.fixture
def phone(ada: User, site: Client) -> Phone:
    """The app of ada, who set it up without having a password."""
    phone = Phone(site.get("/second-factor/totp/activate/").content.decode())
    answer = site.post("/second-factor/totp/activate/", {"code": phone.code()})
    assert answer["Location"] == "/second-factor/recovery-codes/"
    assert re.search(r"<li>\d{8}</li>", site.get(answer["Location"]).content.decode())
    people.set_password(ada, PASSWORD)
    return phone


def start(browser: Client, **more: Any) -> Any:
    return browser.post("/sign-in/", {"username": "ada", "password": PASSWORD, **more})


def is_signed_in(browser: Client) -> bool:
    return bool(browser.get("/").status_code == 200)


def test_without_a_second_factor_nothing_changes(ada: User) -> None:
    people.set_password(ada, PASSWORD)
    browser = client()
    answer = start(browser, next="/runs/")
    assert (answer.status_code, answer["Location"]) == (302, "/runs/")
    assert is_signed_in(browser)
    assert "signed in as" not in browser.get("/").content.decode(), "no message either"


def test_a_password_alone_does_not_sign_in(phone: Phone) -> None:
    browser = client()
    answer = start(browser, next="/runs/")
    assert answer["Location"] == CODE_PAGE
    assert not is_signed_in(browser)
    assert browser.post(CODE_PAGE, {"code": "000000"}).status_code == 200
    assert not is_signed_in(browser)
    answer = browser.post(CODE_PAGE, {"code": phone.code()})
    assert (answer.status_code, answer["Location"]) == (302, "/runs/")
    assert is_signed_in(browser)


def test_the_page_of_the_code_needs_the_password_first(phone: Phone) -> None:
    browser = client()
    assert browser.get(CODE_PAGE)["Location"] == "/sign-in/"
    assert browser.post(CODE_PAGE, {"code": phone.code()})["Location"] == "/sign-in/"
    assert not is_signed_in(browser)


def test_a_code_signs_in_once(phone: Phone) -> None:
    """On all processes: the memory of the library is emptied in between."""
    from django.core.cache import cache

    first, second = client(), client()
    for browser in (first, second):
        start(browser)
    first.post(CODE_PAGE, {"code": phone.code()})
    cache.clear()
    page = second.post(CODE_PAGE, {"code": phone.code()})
    assert "used already" in page.content.decode()
    assert is_signed_in(first)
    assert not is_signed_in(second)


def test_guessed_codes_have_the_limit_of_passwords(phone: Phone) -> None:
    browser = client()
    start(browser)
    answers = [browser.post(CODE_PAGE, {"code": f"{n:06}"}).status_code for n in range(12)]
    assert answers[: PAIR_FAILURES - 1] == [200] * (PAIR_FAILURES - 1)
    assert set(answers[PAIR_FAILURES - 1 :]) == {429}
    assert browser.post(CODE_PAGE, {"code": phone.code()}).status_code == 429
    assert not is_signed_in(browser)
    elsewhere = Client(HTTP_HOST="127.0.0.1", REMOTE_ADDR="198.51.100.7")
    start(elsewhere)
    assert elsewhere.post(CODE_PAGE, {"code": phone.code()}).status_code == 302


def test_a_recovery_code_signs_in_once(phone: Phone, site: Client, ada: User) -> None:
    ada.refresh_from_db()
    site.force_login(ada)
    hidden = site.get("/second-factor/recovery-codes/")
    assert not re.search(r"<li>\d{8}</li>", hidden.content.decode()), "they need a confirmation"
    download = site.get("/second-factor/recovery-codes/download/")
    assert not re.search(rb"\d{8}", download.content)
    site.post("/second-factor/password/", {"password": PASSWORD})
    page = site.get("/second-factor/recovery-codes/").content.decode()
    codes = re.findall(r"<li>(\d{8})</li>", page)
    assert len(codes) == 10
    for expected in (True, False):
        browser = client()
        start(browser)
        browser.post(CODE_PAGE, {"code": codes[0]})
        assert is_signed_in(browser) is expected


def test_an_invitation_needs_the_code_too(phone: Phone, ada: User, bob: User) -> None:
    browser = client()
    browser.force_login(bob)
    token = people.make_link(ada, timedelta(days=3))
    answer = browser.post("/sign-in/", {"token": token, "next": "/runs/"})
    assert answer["Location"] == CODE_PAGE
    answer = browser.post(CODE_PAGE, {"code": phone.code()})
    assert answer["Location"] == "/runs/"
    assert "ada" in browser.get("/settings/").content.decode()


def test_the_link_of_the_terminal_does_not(phone: Phone, ada: User) -> None:
    browser = client()
    token = people.make_link(ada, skips_second_factor=True)
    assert browser.post("/sign-in/", {"token": token})["Location"] == "/"
    assert is_signed_in(browser)


def test_turning_it_off_needs_a_confirmation(phone: Phone, site: Client) -> None:
    site.force_login(User.objects.get(username="ada"))
    answer = site.post("/second-factor/totp/deactivate/")
    assert answer["Location"].startswith(("/second-factor/password/", "/second-factor/reauth"))
    assert Authenticator.objects.filter(type="totp").exists()
    wrong = site.post("/second-factor/password/", {"password": "wrong"})
    assert wrong.status_code == 200
    site.post("/second-factor/password/", {"password": PASSWORD})
    assert site.post("/second-factor/totp/deactivate/").status_code == 302
    assert not Authenticator.objects.exists()


def test_password_guesses_at_the_confirmation_is_limited(
    phone: Phone, site: Client, ada: User
) -> None:
    ada.refresh_from_db()
    site.force_login(ada)
    for _ in range(PAIR_FAILURES):
        site.post("/second-factor/password/", {"password": "wrong"})
    site.post("/second-factor/password/", {"password": PASSWORD})
    site.post("/second-factor/totp/deactivate/")
    assert Authenticator.objects.filter(type="totp").exists()


def test_keys_are_encrypted_at_rest(phone: Phone) -> None:
    assert phone.key not in str(list(Authenticator.objects.values()))


def test_staff_remove_the_second_factor_of_a_person_who_lost_it(
    phone: Phone, ada: User, bob: User
) -> None:
    form = {"do": "remove-second-factor", "person": ada.pk}
    browser = client()
    browser.force_login(bob)
    browser.post("/settings/change/", form)
    assert Authenticator.objects.exists(), "bob is no staff"
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    assert "Remove second factor" in browser.get("/settings/").content.decode()
    browser.post("/settings/change/", form)
    assert not Authenticator.objects.exists()
    other = client()
    start(other)
    assert is_signed_in(other)


def test_a_changed_secret_key_is_reported(phone: Phone, settings: Any) -> None:
    browser = client()
    start(browser)
    Authenticator.objects.filter(type="totp").update(data={"secret": "gAAAA-of-another-key"})
    page = browser.post(CODE_PAGE, {"code": phone.code()})
    assert (page.status_code, "secret key has changed" in page.content.decode()) == (200, True)


def test_a_token_needs_no_code(phone: Phone, ada: User) -> None:
    _, token = make_token(ada, "program", scopes=["read"])
    asked = Client(HTTP_HOST="127.0.0.1", HTTP_AUTHORIZATION=f"Bearer {token}")
    assert asked.get("/api/v1/packs/").status_code == 200
    assert not is_signed_in(asked), "and opens no page"
