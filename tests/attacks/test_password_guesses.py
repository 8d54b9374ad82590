"""Guessing passwords: by other spellings of a name, from many processes, at the same time."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from http.cookiejar import CookieJar
from ipaddress import IPv4Address
from pathlib import Path
from random import randrange
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tests.support.checks import quick_or_slow
from tests.support.live_server import LiveServer
from workflows.actions import people
from workflows.security import sign_in_attempts
from workflows.security.sign_in_limits import (
    ADDRESS_FAILURES,
    ADDRESS_WAIT,
    PAIR_FAILURES,
    PAIR_WAIT,
)

PASSWORD = "correct horse battery"
HERE, ELSEWHERE = "192.0.2.1", "198.51.100.7"
SPELLINGS = (
    "alice", " alice", "alice ", "\u3000alice", "ａlice", "ＡＬＩＣＥ", "Alice", "ALICE", "\talice",
    "ａｌｉｃｅ", "alıce".replace("ı", "i"), "𝐚lice",
)  # fmt: skip


@pytest.fixture
def alice(db: None, settings: Any) -> User:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    user = User.objects.create_user("alice")
    people.set_password(user, PASSWORD)
    return user


@pytest.fixture
def attacker() -> Client:
    return Client(HTTP_HOST="127.0.0.1", raise_request_exception=False)


def guess(
    client: Client, name: str = "alice", password: str = "wrong", address: str = HERE, **more: Any
) -> int:
    form = {"username": name, "password": password}
    status: int = client.post("/sign-in/", form, REMOTE_ADDR=address, **more).status_code
    return status


def test_other_spellings_of_a_name_are_no_fresh_tries(attacker: Client, alice: User) -> None:
    answers = [guess(attacker, name) for name in SPELLINGS]
    assert answers[: PAIR_FAILURES - 1] == [403] * (PAIR_FAILURES - 1)
    assert set(answers[PAIR_FAILURES - 1 :]) == {429}
    for name in SPELLINGS:
        assert guess(attacker, name, PASSWORD) == 429, name


def test_other_browsers_are_no_fresh_tries(attacker: Client, alice: User) -> None:
    for number in range(PAIR_FAILURES):
        headers = {"User-Agent": f"browser {number}", "X-Forwarded-For": f"10.0.0.{number}"}
        guess(attacker, headers=headers)
    assert guess(attacker, password=PASSWORD) == 429


def test_a_person_at_another_address_is_never_locked_out(attacker: Client, alice: User) -> None:
    for _ in range(3 * PAIR_FAILURES):
        guess(attacker)
    assert guess(attacker, password=PASSWORD) == 429
    assert guess(attacker, password=PASSWORD, address=ELSEWHERE) == 302


@pytest.fixture(params=quick_or_slow(20, ADDRESS_FAILURES))
def address_failures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The failures of an address after which it has to wait."""
    monkeypatch.setattr(sign_in_attempts, "ADDRESS_FAILURES", request.param)
    return int(request.param)


def test_many_names_from_one_address_have_a_limit(
    attacker: Client, alice: User, address_failures: int
) -> None:
    answers = [guess(attacker, f"name{number}") for number in range(address_failures)]
    assert answers == [403] * (address_failures - 1) + [429]
    assert guess(attacker, password=PASSWORD) == 429
    assert guess(attacker, password=PASSWORD, address=ELSEWHERE) == 302


def test_an_own_account_does_not_clear_the_count_of_the_address(
    attacker: Client, alice: User, address_failures: int
) -> None:
    people.set_password(User.objects.create_user("mallory"), PASSWORD)
    for number in range(address_failures + 5):
        guess(attacker, f"name{number}")
        if number % 10 == 9:
            guess(Client(HTTP_HOST="127.0.0.1"), "mallory", PASSWORD)
    assert guess(attacker, password=PASSWORD) == 429


def test_an_ipv6_network_counts_as_one_address(attacker: Client, alice: User) -> None:
    answers = [guess(attacker, address=f"2001:db8::{number:x}") for number in range(PAIR_FAILURES)]
    assert answers[-1] == 429
    assert guess(attacker, password=PASSWORD, address="2001:db8:0:0:ffff::1") == 429
    assert guess(attacker, password=PASSWORD, address="2001:db8:0:1::1") == 302


@pytest.mark.parametrize("address", ["", "not an address", "fe80::1%eth0", "::ffff:192.0.2.9"])
def test_odd_addresses_are_counted(attacker: Client, alice: User, address: str) -> None:
    answers = [guess(attacker, address=address) for _ in range(PAIR_FAILURES + 1)]
    assert answers[-2:] == [429, 429]


def test_the_wait_ends_and_waiting_attempts_do_not_extend_it(attacker: Client, alice: User) -> None:
    for _ in range(PAIR_FAILURES + 5):
        guess(attacker)
    counted = AccessAttempt.objects.get()
    assert counted.failures_since_start == PAIR_FAILURES
    assert PASSWORD not in str(counted.__dict__)
    assert "wrong" not in counted.post_data
    for _ in range(2):  # One more attempt for each wait.
        AccessAttempt.objects.update(attempt_time=timezone.now() - PAIR_WAIT)
        guess(attacker)
        assert guess(attacker, password=PASSWORD) == 429
    AccessAttempt.objects.update(attempt_time=timezone.now() - PAIR_WAIT)
    assert guess(attacker, password=PASSWORD) == 302
    assert not AccessAttempt.objects.exists(), "a right password clears the count of the pair"


def test_old_failures_are_deleted(attacker: Client, alice: User) -> None:
    guess(attacker)
    AccessAttempt.objects.update(attempt_time=timezone.now() - ADDRESS_WAIT)
    guess(attacker, "another")
    assert AccessAttempt.objects.get().username == "another"


def test_counts_are_not_in_the_memory_of_a_process(attacker: Client, alice: User) -> None:
    for _ in range(PAIR_FAILURES):
        guess(attacker)
        cache.clear()
    assert guess(attacker, password=PASSWORD) == 429


def test_a_guess_that_overtook_the_others_is_refused(
    attacker: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its password is right, but other guesses reached the limit while it was being compared."""
    compare = ModelBackend.authenticate

    def overtaken(self: ModelBackend, request: Any, **credentials: Any) -> Any:
        user = compare(self, request, **credentials)
        monkeypatch.setattr(ModelBackend, "authenticate", compare)
        for _ in range(PAIR_FAILURES):
            guess(Client(HTTP_HOST="127.0.0.1"))
        return user

    monkeypatch.setattr(ModelBackend, "authenticate", overtaken)
    assert guess(attacker, password=PASSWORD) == 429
    assert attacker.get("/").status_code == 302


def test_a_stolen_session_cannot_guess_the_present_password(attacker: Client, alice: User) -> None:
    attacker.force_login(alice)
    form = {"do": "password", "old": "wrong", "new": "another horse", "again": "another horse"}
    for _ in range(PAIR_FAILURES):
        attacker.post("/settings/change/", form, REMOTE_ADDR=HERE)
    attacker.post("/settings/change/", {**form, "old": PASSWORD}, REMOTE_ADDR=HERE)
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_a_link_signs_in_while_the_name_has_to_wait(attacker: Client, alice: User) -> None:
    for _ in range(PAIR_FAILURES):
        guess(attacker)
    token = people.make_link(alice)
    answer = attacker.post("/sign-in/", {"token": token}, REMOTE_ADDR=HERE)
    assert answer.status_code == 302


def test_several_processes_share_the_count(tmp_path: Path) -> None:
    """Two servers on one database get the guesses of eight connections at the same time. Each
    guess claims another address."""
    first = LiveServer(tmp_path)
    second = LiveServer(tmp_path, SIGNALBOX_WORKER="none")
    first.start()
    second.start()
    try:
        _set_password(first)
        jobs = [(server.url, f" {name}") for name in ("operator", "ｏperator") for server in
                (first, second)] * 3  # fmt: skip
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda job: _post_guess(*job, "wrong"), jobs))
        assert set(answers) == {403, 429}
        assert answers.count(403) < PAIR_FAILURES
        for server in (first, second):
            assert _post_guess(server.url, "operator", PASSWORD) == 429
    finally:
        first.stop()
        second.stop()


def _set_password(server: LiveServer) -> None:
    server.sign_in()
    form = {"do": "password", "new": PASSWORD, "again": PASSWORD}
    proof = {"csrfmiddlewaretoken": server.cookie("csrftoken")}
    body = urlencode({**form, **proof}).encode()
    server.browser().open(f"{server.url}/settings/change/", body).close()


def _post_guess(url: str, name: str, password: str) -> int:
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    browser.addheaders = [("X-Forwarded-For", str(IPv4Address(randrange(2**32))))]
    page = browser.open(f"{url}/sign-in/").read().decode()
    proof = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert proof
    form = {"username": name, "password": password, "csrfmiddlewaretoken": proof.group(1)}
    try:
        with browser.open(f"{url}/sign-in/", urlencode(form).encode()) as answer:
            status: int = answer.status
    except HTTPError as refused:
        with refused:
            status = refused.code
    return status
