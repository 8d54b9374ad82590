"""Cookies of several servers on one machine, which browsers send to all of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.views.session_cookies import name_by_port

pytestmark = pytest.mark.django_db


def sign_in(user: User) -> Client:
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user)
    return client


def test_servers_on_one_machine_have_cookies_of_their_own(settings: Any, ada: User) -> None:
    settings.SESSION_COOKIE_NAME = settings.CSRF_COOKIE_NAME = ""
    name_by_port(8001)
    client = sign_in(ada)
    page = client.get("/settings/")
    assert page.status_code == 200
    assert {"sessionid_8001", "csrftoken_8001"} == set(client.cookies)
    assert b'data-csrf-cookie="csrftoken_8001"' in page.content
    name_by_port(8002)
    assert client.get("/settings/").status_code == 302, "the cookie of another server"


def test_servers_behind_tls_share_their_cookies(settings: Any) -> None:
    settings.SESSION_COOKIE_SECURE = True
    before = settings.SESSION_COOKIE_NAME
    name_by_port(8001)
    assert before == settings.SESSION_COOKIE_NAME
