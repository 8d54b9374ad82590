"""Workspaces of runs: a copy of the pack, a folder, or a work tree of a real git repository."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.runner.test_planning import told
from tests.support.git_repository import git, make_repository, users_state
from tests.support.people import operator
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import runs
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.signals import Control
from workflows.errors import CallerError, RepositoryRefused
from workflows.models import Artifact, Run
from workflows.repos.authors import Author
from workflows.repos.local_repositories import chosen_workspace, local_repositories
from workflows.runner import workspace_closing
from workflows.runner.worker import Worker
from workflows.selectors.runs import log as log_of

pytestmark = pytest.mark.django_db(transaction=True)

WORK = {"start": {"tool": "done"}, "done": {"end": "completed"}}
WAITS = {"start": {"tool": "ask"}, "ask": {"human": {"go": "done"}}, "done": {"end": "completed"}}
Play = Callable[..., Any]


@pytest.fixture(autouse=True)
def _server(settings: Any, tmp_path: Path) -> None:
    settings.DATA = tmp_path / "data"
    settings.SIGNALBOX_COMMANDS = True
    settings.SIGNALBOX_REPOSITORIES = [tmp_path / "code"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "code/project", {"a.txt": "one\n", "b/c.txt": "two\n"})


@pytest.fixture
def play(worker: Worker) -> Play:
    """Run the tool `look` as this shell line in a workspace."""

    async def played(line: str, table: Any = WORK, **workspace: str) -> Run:
        look = {"kind": "command", "settings": {"command": ["sh", "-c", line]}}
        options: dict[str, Any] = {"commands": True, "tools": {"look": look}}

        def begun() -> Run:
            if workspace:
                given = {"path": "", "ref": "", **workspace}
                options["workspace"] = chosen_workspace(**given)
            return runs.start(tiny_pack(table), driver="manual", options=options, owner=operator())

        run = await sync_to_async(begun)()
        async with asyncio.timeout(120):
            await worker.run_until_idle()
        await run.arefresh_from_db()
        return run

    return played


async def test_a_run_works_in_a_work_tree_and_leaves_a_branch(
    play: Play, repository: Path, settings: Any
) -> None:
    before = users_state(repository)
    line = "echo more >> a.txt && rm b/c.txt && git rev-parse --abbrev-ref HEAD && ls ~"
    run = await play(line, kind="git", path=str(repository), ref="main")
    assert (run.status, (await told(run, "tool.returned"))["result"]) == (
        "completed",
        "HEAD\n",
    )
    closed = await told(run, "workspace.closed")
    assert closed["files"] == ["a.txt", "b/c.txt"]
    assert "+more" in closed["diff"]
    assert users_state(repository) == before
    assert git(repository, "worktree", "list").count("\n") == 0
    assert list((settings.DATA / "workspaces").glob("*")) == [settings.DATA / "workspaces/.kept"]
    artifact = await Artifact.objects.aget(run=run, name="workspace.diff")
    assert artifact.value == closed["diff"]

    def kept(name: str) -> str:
        ada = Author(name="Ada", email="ada@example.org")
        return workspace_closing.keep_branch(run, name, message="", author=ada, by="ada")

    await sync_to_async(kept)("done")
    assert git(repository, "rev-list", "--count", "main..done") == "1"
    assert git(repository, "show", "done:a.txt") == "one\nmore"
    assert git(repository, "log", "-1", "--format=%s", "done") == f"Tiny: run {str(run.pk)[:8]}"
    with pytest.raises(RepositoryRefused, match="exists already"):
        await sync_to_async(kept)("done")
    assert await told(run, "workspace.kept")
    assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/main"


async def test_the_diff_of_a_copy_of_the_pack_is_an_artifact(play: Play, settings: Any) -> None:
    run = await play("echo hello > new.txt")
    closed = await told(run, "workspace.closed")
    assert (closed["kind"], closed["files"]) == ("pack", ["new.txt"])
    assert (settings.DATA / "workspaces" / str(run.pk) / "new.txt").exists()


async def test_a_copy_that_stayed_as_it_was_has_no_event(play: Play) -> None:
    run = await play("cat machine.json")
    assert await told(run, "workspace.closed") == {}


async def test_a_run_works_in_a_folder(play: Play, repository: Path, settings: Any) -> None:
    run = await play("echo x >> a.txt; pwd; touch ~/mine", kind="folder", path=str(repository))
    assert (await told(run, "tool.returned"))["result"] == f"{repository}\n"
    closed = await told(run, "workspace.closed")
    assert (closed["kind"], closed["files"]) == ("folder", ["a.txt"])
    assert (repository / "a.txt").read_text() == "one\nx\n"
    assert list((settings.DATA / "workspaces").iterdir()) == []


async def test_the_log_of_such_a_run_verifies(play: Play, repository: Path) -> None:
    run = await play("echo more >> a.txt", kind="git", path=str(repository))

    def verdict() -> Any:
        from workflows.actions.run_programs import program_of

        return verify(program_of(run), log_of(run))

    assert (await sync_to_async(verdict)()).holds


async def test_a_work_tree_of_a_cancelled_run_is_closed_later(
    play: Play, repository: Path, settings: Any
) -> None:
    run = await play("echo more >> a.txt", WAITS, kind="git", path=str(repository))
    assert run.status == "waiting"
    await sync_to_async(runs.signal)(run.pk, Control(at=1.0, what="cancel"))
    assert await sync_to_async(workspace_closing.close_left_over)() == 1
    assert (await told(run, "workspace.closed"))["files"] == ["a.txt"]
    assert git(repository, "worktree", "list").count("\n") == 0
    ref = f"refs/signalbox/runs/{run.pk}"
    assert git(repository, "show", f"{ref}:a.txt") == "one\nmore"
    await run.adelete()
    assert await sync_to_async(workspace_closing.close_left_over)() == 1
    assert git(repository, "for-each-ref", "refs/signalbox") == ""


async def test_a_work_tree_of_a_deleted_run_is_removed(
    play: Play, repository: Path, settings: Any
) -> None:
    run = await play("true", WAITS, kind="git", path=str(repository))
    assert list((settings.DATA / "workspaces").glob("*/signalbox-*"))
    await run.adelete()
    await sync_to_async(workspace_closing.close_left_over)()
    assert list((settings.DATA / "workspaces").iterdir()) == []


async def test_a_half_made_work_tree_is_made_again(
    play: Play, repository: Path, worker: Worker, settings: Any
) -> None:
    """As after a kill while the work tree was made."""
    run = await play("cat a.txt", WAITS, kind="git", path=str(repository))
    place = settings.DATA / "workspaces" / str(run.pk)
    (place / "ready").unlink()
    (tree,) = place.glob("signalbox-*")
    (tree / "a.txt").unlink()
    from workflows.runner.tool_calls import workspace

    row = await Run.objects.select_related("pack").aget(pk=run.pk)
    found = await workspace(row)
    assert (found.folder / "a.txt").read_text() == "one\n"


async def test_the_servers_secrets_stay_out(
    play: Play, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIGNALBOX_SECRET_KEY", "hunter2")
    run = await play("env", kind="git", path=str(repository))
    assert "hunter2" not in json.dumps(await told(run, "tool.returned"))


def test_only_allowed_folders_and_commits(tmp_path: Path, settings: Any, repository: Path) -> None:
    outside = make_repository(tmp_path / "other", {"a.txt": "x\n"})
    linked = tmp_path / "code/linked"
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {outside}/.git\n")
    (tmp_path / "code/link").symlink_to(outside)
    (tmp_path / "code/plain").mkdir()
    wrong = [
        ("git", str(outside), ""),
        ("git", str(linked), ""),
        ("git", str(tmp_path / "code/link"), ""),
        ("git", str(tmp_path / "code/plain"), ""),
        ("git", str(repository), "nowhere"),
        ("git", "relative", ""),
        ("git", "", ""),
        ("git", "/code\0", ""),
        ("folder", str(outside), ""),
        ("folder", str(tmp_path / "code/missing"), ""),
    ]
    for kind, path, ref in wrong:
        with pytest.raises(CallerError):
            chosen_workspace(kind, path, ref)
    assert local_repositories() == [{"path": str(repository), "branches": ["main"]}]
    settings.SIGNALBOX_REPOSITORIES = []
    with pytest.raises(RepositoryRefused, match="copy of their pack only"):
        chosen_workspace("git", str(repository), "")


async def test_a_repository_that_is_gone_fails_the_run_with_a_message(
    play: Play, repository: Path, worker: Worker
) -> None:
    run = await play("true", WAITS, kind="git", path=str(repository))
    assert run.status == "waiting"
    options = {**run.options, "workspace": {**run.options["workspace"], "base": "0" * 40}}
    again = await sync_to_async(runs.start)(
        await sync_to_async(lambda: run.pack)(),
        driver="manual",
        options=options,
        owner=await sync_to_async(operator)(),
    )
    await worker.run_until_idle()
    await again.arefresh_from_db()
    assert again.status == "failed"
    assert "work tree cannot be made" in again.reason
