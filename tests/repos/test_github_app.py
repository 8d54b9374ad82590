"""Tokens of a GitHub App, against the local forge."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from tests.support.forge_server import ApiAnswer, App, ForgeServer
from workflows.errors import RepositoryRefused
from workflows.repos.forges import forges, github_app
from workflows.repos.forges.base import ForgeLogin
from workflows.repos.forges.github_app import AppLogin, installation_token, signed_statement

FILES: dict[str, bytes | None] = {"a.txt": b"one\n"}


@cache
def key(number: int = 0) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(private: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    """In the format of the files that GitHub creates."""
    return private.private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    ).decode()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForgeServer]:
    monkeypatch.setattr(github_app, "_tokens", {})
    with ForgeServer(tmp_path / "forge") as server:
        for name in ("team/packs", "team/other", "team/secret"):
            server.add("github", name, FILES)
        server.apps.append(
            App(
                app_id="Iv23.app",
                installation_id="1234",
                public_key=key().public_key(),
                projects=frozenset({"team/packs", "team/other"}),
            )
        )
        yield server


@pytest.fixture
def app(server: ForgeServer) -> AppLogin:
    return AppLogin(
        api_url=server.api_url("github"),
        app_id="Iv23.app",
        installation_id="1234",
        private_key=pem(key()),
        private_hosts=("127.0.0.1",),
    )


def asked(server: ForgeServer) -> int:
    """The number of requests for a token."""
    return sum(one.path.endswith("/access_tokens") for one in server.requests)


def test_a_token_opens_a_pull_request(server: ForgeServer, app: AppLogin) -> None:
    project = server.projects[0]
    project.commit({"a.txt": b"two\n"}, branch="fix")
    token = installation_token(app, "team/packs")
    login = ForgeLogin(api_url=app.api_url, token=token, private_hosts=app.private_hosts)
    opened = forges()["github"].open_request(
        login, "team/packs", head="fix", base="main", title="Two", body=""
    )
    assert opened.number == 1
    assert project.pulls[0].user == "packs[bot]"
    assert server.leaks_of(token) == []
    assert server.leaks_of(app.private_key) == []


def test_a_token_is_for_one_project(server: ForgeServer, app: AppLogin) -> None:
    token = installation_token(app, "team/packs")
    access = server.access_of(token)
    assert access is not None
    assert access.projects == {"team/packs"}
    assert installation_token(app, "team/other") != token
    assert asked(server) == 2


def test_a_token_is_kept_until_shortly_before_its_end(
    server: ForgeServer, app: AppLogin, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = installation_token(app, "team/packs")
    assert installation_token(app, "Team/Packs.git") == token
    real = time.time
    monkeypatch.setattr(github_app.time, "time", lambda: real() + 3600 - github_app.MARGIN - 20)
    assert installation_token(app, "team/packs") == token
    assert asked(server) == 1
    monkeypatch.setattr(github_app.time, "time", lambda: real() + 3600 - github_app.MARGIN + 20)
    server.api_answers = [ApiAnswer(status=201, body={"token": "ghs_new", "expires_at": "soon"})]
    assert installation_token(app, "team/packs") == "ghs_new"
    assert asked(server) == 2


def test_a_fresh_token_replaces_the_kept_one(server: ForgeServer, app: AppLogin) -> None:
    first = installation_token(app, "team/packs")
    second = installation_token(app, "team/packs", fresh=True)
    assert second != first
    assert installation_token(app, "team/packs") == second
    assert asked(server) == 2


def test_another_key_gets_no_kept_token(server: ForgeServer, app: AppLogin) -> None:
    """A user who edits the App without its key must not use its token."""
    installation_token(app, "team/packs")
    with pytest.raises(RepositoryRefused, match="does not accept the GitHub App"):
        installation_token(replace(app, private_key=pem(key(1))), "team/packs")


def test_a_statement_has_the_claims_that_github_requires(app: AppLogin) -> None:
    now = 1_790_000_000.5
    head, claims, signature = signed_statement(app, now).split(".")
    decoded = [json.loads(urlsafe_b64decode(part + "==")) for part in (head, claims)]
    assert decoded[0] == {"alg": "RS256", "typ": "JWT"}
    assert decoded[1] == {"iat": 1_789_999_940, "exp": 1_790_000_540, "iss": "Iv23.app"}
    assert "=" not in signature
    assert decoded[1]["exp"] - now < 600


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"installation_id": "99"}, "The GitHub App has no such installation at 127.0.0.1."),
        ({"app_id": "Iv23.other"}, "127.0.0.1 does not accept the GitHub App."),
        ({"installation_id": "1/../2"}, "The installation id of a GitHub App is a number."),
        ({"installation_id": ""}, "The installation id of a GitHub App is a number."),
        ({"app_id": ""}, "Enter the id of the GitHub App."),
        ({"private_key": "nonsense"}, "This is not the private key of a GitHub App."),
        ({"private_key": pem(ec.generate_private_key(ec.SECP256R1()))},
         "This is not the private key of a GitHub App."),
        ({"private_hosts": ()},
         "A token is not sent over http, because others could read it."),
    ],
)  # fmt: skip
def test_a_wrong_app_is_refused(app: AppLogin, changed: dict[str, str], message: str) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        installation_token(replace(app, **changed), "team/packs")
    assert refused.value.message == message
    assert refused.value.hint or refused.value.where
    assert "PRIVATE KEY" not in repr((refused.value.message, refused.value.hint))


def test_a_key_with_a_password_is_refused(app: AppLogin) -> None:
    sealed = key().private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, BestAvailableEncryption(b"password")
    )
    with pytest.raises(RepositoryRefused, match="is not the private key"):
        installation_token(replace(app, private_key=sealed.decode()), "team/packs")


def test_a_project_outside_the_installation_is_refused(app: AppLogin) -> None:
    with pytest.raises(RepositoryRefused) as refused:
        installation_token(app, "team/secret")
    assert refused.value.message == (
        "This installation of the GitHub App has no access to team/secret."
    )
    assert refused.value.hint == "Add the repository to the installation."


@pytest.mark.parametrize("body", [{}, [], {"token": ""}, {"token": 5}, {"token": "é"}])
def test_an_answer_without_a_token_is_refused(
    server: ForgeServer, app: AppLogin, body: object
) -> None:
    server.api_answers = [ApiAnswer(status=201, body=body)]
    with pytest.raises(RepositoryRefused, match="answered without a token"):
        installation_token(app, "team/packs")


def test_a_failure_of_github_is_reported_as_such(server: ForgeServer, app: AppLogin) -> None:
    server.api_answers = [ApiAnswer(status=503, body=b"")]
    with pytest.raises(RepositoryRefused, match="does not work at the moment"):
        installation_token(app, "team/packs")


def test_a_long_token_is_kept_as_it_is(server: ForgeServer, app: AppLogin) -> None:
    """GitHub announced tokens that are far longer than 40 characters."""
    token = "ghs_" + "x" * 600
    end = "2999-01-01T00:00:00Z"
    server.api_answers = [ApiAnswer(status=201, body={"token": token, "expires_at": end})]
    assert installation_token(app, "team/packs") == token
    assert installation_token(app, "team/packs") == token


def test_keys_and_tokens_are_not_in_representations(app: AppLogin) -> None:
    assert "PRIVATE KEY" not in repr(app)
