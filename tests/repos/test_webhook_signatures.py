"""Webhooks of forges prove their sender."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

import pytest

from tests.support.forge_server.webhooks import headers_of
from workflows.core.triggers.webhook_signature import standard_headers
from workflows.repos.forges import forges, verify
from workflows.repos.forges.verify import forge_of_host

SECRET = "whsec_" + "QUJD" * 10 + "QUE="
BODY = b'{"ref": "refs/heads/main", "name": "\xc3\xa9"}'
NOW = 1_790_000_000
KINDS = ["github", "gitlab", "gitea"]


def lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def is_authentic(
    headers: Mapping[str, str],
    *,
    secret: str = SECRET,
    body: bytes = BODY,
    forge: str = "",
    now: float = NOW,
) -> bool:
    return verify.is_authentic(secret, lower(headers), body, now=now, forge=forge)


@pytest.mark.parametrize("kind", KINDS)
def test_a_delivery_is_authentic(kind: str) -> None:
    headers = headers_of(kind, "push", SECRET, BODY)
    assert is_authentic(headers, forge=kind)
    assert is_authentic(headers)


@pytest.mark.parametrize("kind", KINDS)
def test_another_secret_or_none_is_not_authentic(kind: str) -> None:
    for forge in (kind, ""):
        assert not is_authentic(headers_of(kind, "push", SECRET + "x", BODY), forge=forge)
        assert not is_authentic(headers_of(kind, "push", "", BODY), forge=forge)
        assert not is_authentic({}, forge=forge)


@pytest.mark.parametrize("kind", KINDS)
def test_without_a_secret_nothing_is_authentic(kind: str) -> None:
    """The HMAC with an empty key can be computed by all."""
    signature = hmac.new(b"", BODY, hashlib.sha256).hexdigest()
    forged = {
        "x-hub-signature-256": f"sha256={signature}",
        "x-gitea-signature": signature,
        "x-gitlab-token": "",
    }
    for forge in (kind, ""):
        assert not is_authentic(forged, secret="", forge=forge)


@pytest.mark.parametrize("kind", ["github", "gitea"])
def test_another_body_is_not_authentic(kind: str) -> None:
    headers = headers_of(kind, "push", SECRET, BODY)
    assert not is_authentic(headers, body=BODY + b" ")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", ["", "sha256=", "sha256=é", "é", "0" * 64, "sha1=" + "0" * 40])
def test_a_malformed_signature_is_not_authentic(kind: str, value: str) -> None:
    names = ("x-hub-signature-256", "x-gitlab-token", "x-gitea-signature", "x-forgejo-signature")
    assert not is_authentic(dict.fromkeys(names, value), forge=kind)
    assert not is_authentic(dict.fromkeys(names, value))


def test_a_kind_accepts_its_own_headers_only() -> None:
    hub = {"x-hub-signature-256": "sha256=" + hmac.new(SECRET.encode(), BODY, "sha256").hexdigest()}
    assert [is_authentic(hub, forge=kind) for kind in KINDS] == [True, False, False]
    token = {"x-gitlab-token": SECRET}
    assert [is_authentic(token, forge=kind) for kind in KINDS] == [False, True, False]
    gitea = {"x-gitea-signature": hmac.new(SECRET.encode(), BODY, "sha256").hexdigest()}
    assert [is_authentic(gitea, forge=kind) for kind in KINDS] == [False, False, True]
    assert not is_authentic(hub, forge="unknown")


def test_forgejo_has_a_header_of_its_own() -> None:
    signature = hmac.new(SECRET.encode(), BODY, "sha256").hexdigest()
    assert is_authentic({"x-forgejo-signature": signature}, forge="gitea")


def test_gitlab_can_sign_with_the_secret() -> None:
    """A signing token instead of a secret token: then the secret itself is not sent."""
    headers = standard_headers(SECRET, "f5e5f430", BODY, NOW)
    assert is_authentic(headers, forge="gitlab")
    assert is_authentic(headers, forge="gitlab", now=NOW + 200)
    assert not is_authentic(headers, forge="gitlab", now=NOW + 400)
    assert not is_authentic(headers, forge="gitlab", body=BODY + b" ")
    assert not is_authentic(headers, forge="gitlab", secret="no signing token")


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_a_right_and_a_wrong_secret_take_the_same_comparisons(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each comparison is constant in time, and none is left out after a match or a difference."""
    compared: list[tuple[int, int]] = []
    real = hmac.compare_digest

    def compare(first: bytes, second: bytes) -> bool:
        compared.append((len(first), len(second)))
        return real(first, second)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    taken = []
    for secret in (SECRET, "x" + SECRET[1:], SECRET[:-1] + "x"):
        headers = {**headers_of("gitea", "push", secret, BODY), "x-gitlab-token": secret}
        headers["x-forgejo-signature"] = headers["X-Gitea-Signature"]
        assert is_authentic(headers, forge=kind) == (secret == SECRET)
        taken.append(list(compared))
        compared.clear()
    assert taken[0]
    assert taken[0] == taken[1] == taken[2]


@pytest.mark.parametrize(
    ("host", "forge"),
    [
        ("github.com", "github"),
        ("GitHub.com.", "github"),
        ("ssh.github.com", "github"),
        ("octo.ghe.com", "github"),
        ("github.example.org", "github"),
        ("gitlab.com", "gitlab"),
        ("altssh.gitlab.com", "gitlab"),
        ("gitlab.gnome.org", "gitlab"),
        ("my-gitlab.example.org", "gitlab"),
        ("codeberg.org", "gitea"),
        ("gitea.com", "gitea"),
        ("gitea.example.org", "gitea"),
        ("forgejo.example.org", "gitea"),
        ("git.example.org", ""),
        ("notgithub.example.org", ""),
        ("bitbucket.org", ""),
        ("127.0.0.1", ""),
        ("", ""),
    ],
)
def test_the_kind_of_a_host(host: str, forge: str) -> None:
    assert forge_of_host(host) == forge
    assert forge in ("", *forges())
