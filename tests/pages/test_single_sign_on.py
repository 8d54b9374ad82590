"""Sign-in by an OpenID Connect provider: new users, their groups, and who stays outside."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

CLIENT = "signalbox-of-the-test"


def encoded(part: dict[str, Any]) -> str:
    """A part of a token. Its signature is not read, because it comes from the provider itself."""
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


@dataclass
class Provider:
    """A provider on loopback. `person`: claims of the user who is signed in there."""

    person: dict[str, Any] = field(default_factory=dict)
    url: str = ""
    posted: list[dict[str, list[str]]] = field(default_factory=list)
    broken: str = ""
    """A path that is answered by something else."""

    def answer(self, path: str, body: str) -> Any:
        if path == self.broken:
            return ["Maintenance."]
        if path == "/.well-known/openid-configuration":
            places = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
            ends = {f"{name}_endpoint": f"{self.url}/{end}" for name, end in places.items()}
            return {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **ends}
        if path == "/token":
            self.posted.append(parse_qs(body))
            now = int(time.time())
            claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60, **self.person}
            token = ".".join(map(encoded, ({"alg": "HS256", "typ": "JWT"}, claims, {})))
            return {"access_token": "a", "token_type": "Bearer", "id_token": token}
        return self.person


@pytest.fixture
def provider(settings: Any) -> Iterator[Provider]:
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length).decode()
            sent = json.dumps(provider.answer(urlsplit(self.path).path, body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(sent)

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.url = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, daemon=True).start()
    settings.SIGNALBOX_OIDC, settings.SIGNALBOX_OIDC_NAME = provider.url, "Our directory"
    app = {"provider_id": "sso", "name": "Our directory", "client_id": CLIENT, "secret": "s"}
    app["settings"] = {"server_url": provider.url, "oauth_pkce_enabled": True}  # type: ignore[assignment]
    settings.SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": [app]}}
    yield provider
    server.shutdown()
    server.server_close()


def sign_in(provider: Provider, sub: str, name: str, *groups: str) -> tuple[Client, Any]:
    """The browser of this user, and the page at which the provider's answer ends."""
    provider.person = {"sub": sub, "preferred_username": name, "groups": list(groups)}
    browser = Client()
    page = browser.get("/sign-in/", {"next": "/runs/"}).content.decode()
    assert "Sign in with Our directory" in page
    away = browser.get("/sign-in/oidc/sso/login/", {"next": "/runs/"})
    assert away.status_code == 302
    asked = parse_qs(urlsplit(away["Location"]).query)
    assert asked["client_id"] == [CLIENT]
    assert asked["code_challenge_method"] == ["S256"]
    back = urlencode({"code": "c", "state": asked["state"][0]})
    return browser, browser.get(f"/sign-in/oidc/sso/login/callback/?{back}", follow=True)


@pytest.mark.django_db
def test_groups_follow_the_provider_and_a_removed_user_stays_outside(
    provider: Provider, settings: Any
) -> None:
    settings.SIGNALBOX_OIDC_GROUPS = "groups"
    settings.SIGNALBOX_OIDC_ALLOWED, settings.SIGNALBOX_OIDC_STAFF = "staff", "admins"
    editors, others = (Group.objects.create(name=name) for name in ("editors", "others"))
    browser, page = sign_in(provider, "1", "ada", "staff", "editors", "unknown here")
    assert page.redirect_chain[-1][0] == "/runs/"
    assert provider.posted[0]["code_verifier"]
    user = User.objects.get(username="ada")
    assert list(user.groups.all()) == [editors]
    assert not user.is_staff
    assert not user.has_usable_password()
    assert 0 < browser.session.get_expiry_age() <= 86_400

    sign_in(provider, "1", "renamed there", "staff", "admins", "others")
    user.refresh_from_db()
    assert user.is_staff
    assert list(user.groups.all()) == [others]

    _, page = sign_in(provider, "1", "ada", "admins")
    assert page.status_code == 403
    assert "not in the group staff" in page.content.decode()
    User.objects.filter(pk=user.pk).update(is_active=False)
    _, page = sign_in(provider, "1", "ada", "staff")
    assert page.status_code == 403
    assert "deactivated" in page.content.decode()


@pytest.mark.django_db
def test_an_equal_name_is_another_user(provider: Provider) -> None:
    owner = User.objects.create_user("ada", is_staff=True)
    browser, page = sign_in(provider, "2", "ada")
    assert page.redirect_chain[-1][0] == "/runs/"
    (new,) = User.objects.exclude(pk=owner.pk)
    assert new.username.startswith("ada")
    assert not new.is_staff
    assert browser.session["_auth_user_id"] == str(new.pk)


@pytest.mark.django_db
def test_an_answer_without_a_request_is_refused(provider: Provider) -> None:
    provider.person = {"sub": "3", "preferred_username": "ada"}
    browser = Client()
    page = browser.get("/sign-in/oidc/sso/login/callback/?code=c&state=guessed")
    assert page.status_code == 403
    assert "did not sign you in" in page.content.decode()
    assert browser.get("/sign-in/oidc/other/login/").status_code == 404
    assert not User.objects.exists()


@pytest.mark.django_db
def test_a_provider_that_does_not_answer_as_one_is_a_reason(
    provider: Provider, settings: Any
) -> None:
    _, page = sign_in(provider, "4" * 400, "ada")
    assert page.status_code == 403
    assert "cannot be read" in page.content.decode()
    provider.broken = "/userinfo"
    _, page = sign_in(provider, "4", "ada")
    assert page.status_code == 403
    provider.broken = "/.well-known/openid-configuration"
    page = Client().get("/sign-in/oidc/sso/login/")
    assert page.status_code == 403
    (app,) = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
    app["settings"]["server_url"] = "http://127.0.0.1:9"
    page = Client().get("/sign-in/oidc/sso/login/")
    assert page.status_code == 403
    assert "Our directory cannot be reached." in page.content.decode()
    assert not User.objects.exists()
