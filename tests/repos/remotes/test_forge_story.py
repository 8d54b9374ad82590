"""The whole way of a change over the HTTP API, with git over HTTP and each forge's API."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from django.test import Client

from tests.repos.conftest import FIRST, PACK
from tests.repos.remotes.conftest import edit, here
from tests.support.checks import quick_and_slow
from tests.support.forge_server import ForgeServer, Project
from workflows.models import AuditEntry, Pack
from workflows.repos.mirror import mirror_folder
from workflows.runner.repository_polls import fetch_due
from workflows.selectors.sources import opened

Kind = Literal["github", "gitlab", "gitea"]
KINDS: tuple[Kind, ...] = ("github", "gitlab", "gitea")


@pytest.fixture
def forge(tmp_path: Path, settings: Any) -> Iterator[ForgeServer]:
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    with ForgeServer(tmp_path / "forge") as server:
        settings.SIGNALBOX_PRIVATE_HOSTS = [server.host]
        yield server


class Api:
    """JSON requests below /api/v1/ that must succeed."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __call__(self, method: str, path: str, body: Any = None, status: int | None = None) -> Any:
        data = None if body is None else json.dumps(body)
        answer = self.client.generic(
            method, f"/api/v1/{path}", data or "", content_type="application/json"
        )
        if status is None:
            assert answer.status_code < 300, answer.content
        else:
            assert answer.status_code == status, answer.content
        return answer.json() if answer.content else None


def connect(api: Api, forge: ForgeServer, project: Project, token: str, **more: Any) -> Any:
    return api(
        "POST",
        "repositories/",
        {
            "url": project.url,
            "forge": project.kind,
            "credential": "token",
            "secret": token,
            **more,
        },
    )


@pytest.mark.parametrize(
    ("kind", "way"),
    [
        ("gitlab", "squash"),
        pytest.param("github", "merge", marks=pytest.mark.slow),
        pytest.param("gitea", "rebase", marks=pytest.mark.slow),
    ],
)
def test_a_change_is_proposed_reviewed_and_merged(
    forge: ForgeServer,
    site: Client,
    kind: Kind,
    way: Literal["merge", "squash", "rebase"],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    api = Api(site)
    project, token = forge.add(kind, "team/packs", PACK), forge.add_token()
    row = connect(api, forge, project, token)
    assert (row["problem"], row["default_branch"]) == ("", "main")
    address = f"repositories/{row['id']}"
    (found,) = api("GET", f"{address}/scan/")["packs"]
    assert (found["main"], found["status"]) == ("a.flow.json", "new")
    (made,) = api("POST", f"{address}/track/", {"packs": ["a.flow.json"]})["packs"]
    pack = Pack.objects.get(pk=made["id"])

    edit(pack, b"One", b"Eins")
    upstream = f"packs/{pack.pk}/upstream"
    assert api("GET", f"{upstream}/")["upstream"]["status"] == "edited"
    plan = api("POST", f"{upstream}/propose/plan/", {})
    proposal = {
        "branch": plan["branch"],
        "title": "Rename One",
        "message": "a: rename One",
        "tree": plan["commit"]["tree"],
    }
    answer = api("POST", f"{upstream}/propose/", proposal)
    assert answer["problem"] == ""
    assert answer["change"]["number"] == 1
    assert project.branches[plan["branch"]] == answer["commit"]

    edit(pack, b"Two", b"Zwei")
    again = {**proposal, "message": "a: rename Two", "tree": ""}
    answer = api("POST", f"{upstream}/propose/", again)
    assert (answer["change"]["number"], len(answer["change"]["commits"])) == (1, 2)
    assert b"Zwei" in project.show(plan["branch"], "a.flow.json")

    project.merge(1, way)
    api("POST", f"{address}/fetch/")
    (change,) = api("GET", f"{address}/changes/")
    assert change["status"] == "merged"
    state = api("GET", f"{upstream}/")["upstream"]
    assert (state["status"], state["base_commit"]) == ("in-step", project.branches["main"])
    assert state["change"] is None
    assert project.show("main", "a.flow.json") == opened(here(pack)).files["a.flow.json"]
    assert not any(one.forced for one in project.pushes)
    assert_no_leak(token, mirror_folder(row["id"]), caplog, api, address)


def assert_no_leak(
    token: str, mirror: Path, caplog: pytest.LogCaptureFixture, api: Api, address: str
) -> None:
    assert token not in caplog.text
    for path in mirror.rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes(), path
    assert token not in json.dumps(api("GET", f"{address}/"))
    assert not any(token in str(vars(entry)) for entry in AuditEntry.objects.all())
    pushes = AuditEntry.objects.filter(operation="packs_propose", outcome="done")
    assert pushes.count() == 2


def test_a_refused_pull_request_keeps_the_pushed_branch(forge: ForgeServer, site: Client) -> None:
    api = Api(site)
    project = forge.add("github", "team/packs", PACK)
    row = connect(api, forge, project, forge.add_token(may_open=False))
    (made,) = api("POST", f"repositories/{row['id']}/track/", {"packs": ["a.flow.json"]})["packs"]
    edit(Pack.objects.get(pk=made["id"]), b"One", b"Eins")
    body = {"branch": "signalbox/a", "title": "Rename", "message": "rename"}
    answer = api("POST", f"packs/{made['id']}/upstream/propose/", body)
    assert answer["pushed"]
    assert answer["problem"]
    assert answer["change"]["number"] is None
    assert "signalbox/a" in project.branches
    assert answer["commands"][0] == "git fetch origin signalbox/a"


@pytest.mark.parametrize("kind", quick_and_slow(["gitlab"], ["github", "gitea"]))
def test_a_token_without_rights_is_an_error_with_the_next_step(
    forge: ForgeServer, site: Client, kind: Kind
) -> None:
    api = Api(site)
    project = forge.add(kind, "team/packs", PACK)
    body = {"url": project.url, "forge": kind, "credential": "token"}
    wrong = api("POST", "repositories/", {**body, "secret": "wrong-token-of-mine"}, status=422)
    assert (wrong["where"], "refused the credential" in wrong["message"]) == ("secret", True)
    assert "wrong-token-of-mine" not in json.dumps(wrong)
    assert api("GET", "repositories/") == []
    row = connect(api, forge, project, forge.add_token(may_push=False))
    (made,) = api("POST", f"repositories/{row['id']}/track/", {"packs": ["a.flow.json"]})["packs"]
    edit(Pack.objects.get(pk=made["id"]), b"One", b"Eins")
    body = {"branch": "signalbox/a", "title": "Rename", "message": "rename"}
    answer = api("POST", f"packs/{made['id']}/upstream/propose/", body, status=422)
    assert answer["message"]
    assert "signalbox/a" not in project.branches
    assert api("GET", f"repositories/{row['id']}/changes/") == []


@pytest.mark.parametrize("kind", quick_and_slow(["gitea"], ["github", "gitlab"]))
def test_a_webhook_of_the_forge_brings_a_colleagues_commit(
    forge: ForgeServer, site: Client, kind: Kind
) -> None:
    api = Api(site)
    project = forge.add(kind, "team/packs", PACK)
    row = connect(api, forge, project, forge.add_token())
    (made,) = api("POST", f"repositories/{row['id']}/track/", {"packs": ["a.flow.json"]})["packs"]
    secret = api("POST", f"repositories/{row['id']}/secret/")["secret"]
    project.hook("http://127.0.0.1:9/hook/", secret)
    project.commit({"a.flow.json": FIRST.replace(b"One", b"Eins")}, "theirs")
    (sent,) = forge.deliveries()
    hook = f"/api/v1/repositories/{row['id']}/hook/"
    answer = Client().post(hook, sent.body, "application/json", headers=dict(sent.headers))
    assert answer.status_code == 202
    assert fetch_due() == 1
    upstream = f"packs/{made['id']}/upstream"
    assert api("GET", f"{upstream}/")["upstream"]["status"] == "changed"
    plan = api("GET", f"{upstream}/pull/")
    answer = api("POST", f"{upstream}/pull/", {"expected_commit": plan["tip"]})
    assert answer["status"] == "in-step"


def test_addresses_and_redirects_follow_the_egress_rules(
    forge: ForgeServer, site: Client, settings: Any
) -> None:
    api = Api(site)
    settings.SIGNALBOX_PRIVATE_HOSTS = []
    project = forge.add("gitea", "team/packs", PACK)
    row = connect(api, forge, project, forge.add_token())
    assert "private address" in row["problem"]
    for address in ("ext::sh -c id", "file:///etc", "/etc", "--upload-pack=x", "https://u:p@h/x"):
        api("POST", "repositories/", {"url": address}, status=422)
