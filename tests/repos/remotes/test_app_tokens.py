"""A token of a GitHub App that is withdrawn before its end is replaced once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.repos.conftest import PACK
from tests.repos.test_github_app import asked, key, pem
from tests.support.forge_server import App, ForgeServer
from workflows.actions import repositories as actions
from workflows.models import Change, Repository
from workflows.repos.fetches import fetch
from workflows.repos.forges import github_app
from workflows.repos.requests import open_request

pytestmark = pytest.mark.django_db


@pytest.fixture
def forge(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ForgeServer]:
    monkeypatch.setattr(github_app, "_tokens", {})
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    with ForgeServer(tmp_path / "forge") as server:
        settings.SIGNALBOX_PRIVATE_HOSTS = [server.host]
        server.add("github", "team/packs", PACK)
        server.apps.append(
            App(
                app_id="77",
                installation_id="1234",
                public_key=key().public_key(),
                projects=frozenset({"team/packs"}),
            )
        )
        yield server


@pytest.fixture
def row(forge: ForgeServer, ada: User) -> Repository:
    made = actions.create(
        ada, url=forge.projects[0].url, forge="github", credential="github-app", app_id="77",
        installation_id="1234", secret=pem(key()), api_url=forge.api_url("github"),
    )  # fmt: skip
    fetched = fetch(made.pk)
    assert (fetched.problem, asked(forge)) == ("", 1)
    return fetched


def test_git_asks_for_a_fresh_token_once(forge: ForgeServer, row: Repository) -> None:
    fetch(row.pk)
    assert asked(forge) == 1
    forge.tokens.clear()
    commit = forge.projects[0].commit({"b.txt": b"new"}, branch="main")
    fetched = fetch(row.pk)
    assert (fetched.problem, fetched.branches["main"]) == ("", commit)
    assert asked(forge) >= 2


def test_the_api_asks_for_a_fresh_token_once(forge: ForgeServer, row: Repository) -> None:
    forge.projects[0].commit({"b.txt": b"new"}, branch="fix")
    forge.tokens.clear()
    change = Change(repository=row, branch="fix", target="main", title="Fix")
    number, _ = open_request(row, change)
    assert forge.projects[0].pull(number).head == "fix"
    assert asked(forge) == 2


def test_an_app_that_was_removed_is_refused(forge: ForgeServer, row: Repository) -> None:
    forge.tokens.clear()
    forge.apps.clear()
    assert fetch(row.pk).problem
    assert asked(forge) == 2
