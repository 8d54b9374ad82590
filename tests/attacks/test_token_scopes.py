"""Every API operation with every scope: a token does only what its scopes allow."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.openapi import document
from tests.support.tokens import api_token
from workflows.models import Token
from workflows.rights.operations import scope_of
from workflows.rights.scopes import SCOPES, Scope

METHODS = ("get", "post", "put", "patch", "delete")
RUN = "00000000-0000-0000-0000-000000000000"
LACKS = re.compile(rb"This token lacks the scope '(\w+)'")


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada", is_staff=True)


def operations() -> Iterator[tuple[str, str, Scope]]:
    """Method, address pattern and scope of each operation that takes a token."""
    for path, methods in document()["paths"].items():
        for name in METHODS:
            for requirement in methods.get(name, {}).get("security", ()):
                if "bearerToken" in requirement:
                    (scope,) = requirement["bearerToken"]
                    yield name.upper(), path, scope


def address(path: str) -> str:
    """An address that fits the pattern and names nothing that exists."""
    id_ = RUN if re.search(r"/(runs|approvals)/\{", path) else "999999"
    path = path.replace("{id}", id_).replace("{other}", RUN)
    path = re.sub(r"\{(number|conflict|proposal|task)\}", "999999", path)
    return path.replace("{", "").replace("}", "")


@pytest.mark.parametrize("scope", SCOPES)
def test_an_operation_takes_only_tokens_of_its_scope(ada: User, scope: Scope) -> None:
    """Each operation × scope. The objects do not exist, so an admitted request is a 400 or 404."""
    client = Client(HTTP_HOST="127.0.0.1", raise_request_exception=False)
    bearer = {"Authorization": f"Bearer {api_token(ada, scopes=[scope])}"}
    wrong = []
    for method, path, needed in operations():
        answer = client.generic(
            method, address(path), "{}", content_type="application/json", headers=bearer
        )
        content = b"" if answer.streaming else answer.content
        lacks = LACKS.search(content)
        admitted = lacks is None and answer.status_code not in (401, 403)
        refused = answer.status_code == 403 and lacks is not None and lacks[1].decode() == needed
        if not (admitted if scope == needed else refused) or answer.status_code >= 500:
            wrong.append((method, path, needed, answer.status_code, content[:120]))
    assert wrong == []


def test_a_token_without_scopes_does_nothing(ada: User) -> None:
    token = api_token(ada)
    Token.objects.update(scopes=[])
    client = Client(HTTP_HOST="127.0.0.1")
    for method, path, _ in operations():
        answer = client.generic(method, address(path), headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 403, (method, path)


def test_an_unlisted_operation_needs_the_strongest_scope() -> None:
    assert scope_of("POST", "api/v1/new-operation/") == "admin"
    assert scope_of("DELETE", "") == "admin"
    assert scope_of("GET", "api/v1/packs/<number:id>/") == "read"
    assert scope_of("PUT", "api/v1/packs/<number:id>/tools/<path:tool>/") == "edit"


def test_the_table_covers_every_scope() -> None:
    assert {scope for _, _, scope in operations()} == set(SCOPES)
