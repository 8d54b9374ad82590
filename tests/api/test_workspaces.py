"""Starting a run in a work tree, and keeping its changes as a branch, over HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.dialects.promptpack.packs import pack as promptpack
from tests.support.git_repository import git, make_repository, users_state
from tests.support.server_fixtures import stored
from workflows.actions import runs
from workflows.core.engine.signals import Control
from workflows.models import Pack, Run
from workflows.runner.tool_calls import place_of
from workflows.runner.workspaces import open_workspace


@pytest.fixture
def repository(tmp_path: Path, settings: Any) -> Path:
    settings.DATA = tmp_path / "data"
    settings.SIGNALBOX_REPOSITORIES = [tmp_path / "code"]
    return make_repository(tmp_path / "code/project", {"a.txt": "one\n"})


@pytest.fixture
def pack(ada: User) -> Pack:
    return stored(json.dumps(promptpack({})).encode(), ada, "team.pack.json")


@pytest.fixture
def start(post: Callable[..., Any], pack: Pack) -> Callable[..., Any]:
    def started(**workspace: str) -> Any:
        return post("runs/", {"pack": pack.pk, "driver": "manual", "workspace": workspace})

    return started


def test_the_choices_of_a_pack(site: Client, pack: Pack, repository: Path) -> None:
    found = site.get(f"/api/v1/packs/{pack.pk}/workspaces/").json()
    assert found == {
        "worktree": False,
        "folders": [str(repository.parent)],
        "repositories": [{"path": str(repository), "branches": ["main"]}],
    }


def test_from_the_start_to_a_branch(
    start: Callable[..., Any], post: Callable[..., Any], site: Client, repository: Path
) -> None:
    before = users_state(repository)
    answer = start(kind="git", path=str(repository), ref="main")
    assert answer.status_code == 201, answer.content
    run = Run.objects.select_related("pack").get(pk=answer.json()["id"])
    first = site.get(f"/api/v1/runs/{run.pk}/events/").json()["events"][0]
    assert first["workspace"]["ref"] == "main"
    assert first["workspace"]["base"] == git(repository, "rev-parse", "main")
    address = f"runs/{run.pk}/branch/"
    early = post(address, {"branch": "done"})
    assert (early.status_code, early.json()["message"]) == (422, "The run has not ended.")
    (open_workspace(place_of(run, {})).folder / "a.txt").write_text("two\n")
    runs.signal(run.pk, Control(at=time.time(), what="cancel"))
    for bad in ("", "-x", "a..b", "main"):
        assert post(address, {"branch": bad}).status_code in (400, 422), bad
    kept = post(address, {"branch": "done", "message": "Do it"})
    assert kept.status_code == 201, kept.content
    assert kept.json() == {"branch": "done", "commit": git(repository, "rev-parse", "done")}
    assert git(repository, "log", "--format=%an %s", "main..done") == "ada Do it"
    git(repository, "branch", "-D", "done")
    assert users_state(repository) == before
    names = [item["name"] for item in site.get(f"/api/v1/runs/{run.pk}/artifacts/").json()]
    assert "workspace.diff" in names


@pytest.mark.parametrize(
    "workspace",
    [
        {"kind": "git", "path": "/etc"},
        {"kind": "git", "path": ""},
        {"kind": "git"},
        {"kind": "tree", "path": "/"},
        {"kind": "folder", "path": "../.."},
        {},
    ],
)
def test_a_bad_workspace_is_refused(
    start: Callable[..., Any], repository: Path, workspace: dict[str, str]
) -> None:
    answer = start(**workspace)
    assert answer.status_code in (400, 422)
    assert answer.json()["message"]
    assert not Run.objects.exists()


@pytest.mark.parametrize("commands", [True, False])
def test_a_git_directory_is_refused(
    start: Callable[..., Any], repository: Path, settings: Any, commands: bool
) -> None:
    settings.SIGNALBOX_COMMANDS = commands
    git(repository, "clone", "--quiet", "--bare", ".", "../bare.git")
    for path in (".git", ".git/hooks", "../bare.git", "../bare.git/refs"):
        answer = start(kind="folder", path=f"{repository}/{path}")
        assert answer.status_code == 422
        assert "belongs to git" in answer.json()["message"]
    assert not Run.objects.exists()


def test_a_run_without_a_repository_has_no_branch(
    post: Callable[..., Any], pack: Pack, repository: Path
) -> None:
    run = post("runs/", {"pack": pack.pk, "driver": "manual"}).json()["id"]
    runs.signal(run, Control(at=time.time(), what="cancel"))
    answer = post(f"runs/{run}/branch/", {"branch": "x"})
    assert answer.status_code == 422
    assert answer.json()["message"] == "The run changed nothing in a repository."
