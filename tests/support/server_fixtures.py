"""Fixtures for tests of the server: a database, the `flow` dialect, users, a pack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.flow_dialect import Flow, flow
from workflows.actions import packs
from workflows.core.dialects import dialects
from workflows.core.pack.edits import edits_from_json
from workflows.core.pack.files import Files
from workflows.models import Pack
from workflows.selectors.changes import Change
from workflows.selectors.sources import SHELF, opened

Edit = Callable[..., Change]

__all__ = ["_flow_dialect", "ada", "bob", "edit", "pack", "post", "site"]


@pytest.fixture(autouse=True)
def _flow_dialect(db: None) -> Iterator[None]:
    dialects()["flow"] = Flow()
    yield
    dialects().pop("flow")
    dialects().pop("tiny", None)  # `tiny_pack` registers it on first use


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", is_staff=True)


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob")


@pytest.fixture
def site(ada: User) -> Client:
    """A client that is signed in as ada."""
    return signed_in(ada)


@pytest.fixture
def pack(ada: User) -> Pack:
    """A → B → C, stored once."""
    return stored(flow("A", A={"Go": "B"}, B={"Go": "C"}, C={}), ada)


@pytest.fixture
def edit(pack: Pack, ada: User) -> Edit:
    """Return a function that edits the pack, by default as ada and on the newest revision."""

    def carry_out(*edits: dict[str, Any], by: User = ada, base: int | None = None) -> Change:
        head = Pack.objects.get(pk=pack.pk).head
        return packs.edit(pack.pk, head if base is None else base, edits_from_json(list(edits)), by)

    return carry_out


@pytest.fixture
def post(site: Client) -> Callable[..., Any]:
    """POST JSON below /api/v1/ as ada."""

    def send(path: str, body: Any, client: Client = site, **headers: str) -> Any:
        return client.post(f"/api/v1/{path}", body, content_type="application/json", **headers)

    return send


def signed_in(user: User) -> Client:
    """A client of this user. Errors of the server are answers."""
    client = Client(HTTP_HOST="127.0.0.1", raise_request_exception=False)
    client.force_login(user)
    return client


def stored(data: bytes, owner: User | None = None, name: str = "tiny.flow.json") -> Pack:
    """One pack with this main file."""
    return packs.import_files({name: data}, owner=owner).packs[0]


def files_of(pack: Pack, number: int | None = None) -> Files:
    """The bytes of a revision, read from the database and not from memory."""
    SHELF.clear()
    return opened(Pack.objects.get(pk=pack.pk), number).files


def text_of(pack: Pack) -> str:
    """The main file of the newest revision."""
    return files_of(pack)[pack.main].decode()
