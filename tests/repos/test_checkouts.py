"""Commits of a pack in the folder that `signalbox open` serves, read back with git."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.support.git_program import GitRepository, init
from tests.support.opened_folder import FIRST, MAIN, PART, add, pack_of
from workflows.actions import packs
from workflows.actions.people import first_person
from workflows.core.pack.edits import AddState
from workflows.folder.sync import FolderSync
from workflows.models import Pack
from workflows.repos.repository import open_around

pytestmark = pytest.mark.django_db

OTHERS = {"staged.txt": b"new\n", "edited.txt": b"edited\n", "untracked.txt": b"?\n"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of git's user."""
    file = tmp_path / "gitconfig"
    file.write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))
    return file


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    """A work tree with a pack in a folder of its own, and with other changes of the user."""
    made = init(tmp_path / "repo")
    pack = {f"packs/{MAIN}": FIRST, f"packs/{PART}": b"because\n"}
    made.commit({**pack, "edited.txt": b"1\n", "staged.txt": b"1\n"}, "first")
    made.write(OTHERS)
    made.git("add", "staged.txt")
    return made


@pytest.fixture
def sync(repository: GitRepository, home: Path, settings: Any) -> FolderSync:
    return opened(repository.folder / "packs", settings)


def opened(folder: Path, settings: Any) -> FolderSync:
    settings.OPENED_FOLDER = folder
    made = FolderSync(folder, first_person(), folder.parents[1] / "data")
    made.scan()
    return made


def edited(sync: FolderSync, name: str = "C") -> Pack:
    """The pack with a new state, which is in its file too."""
    add(sync, name)
    sync.exchange()
    return pack_of(sync)


def request(pack: Pack, path: str, body: Mapping[str, Any] = {}) -> tuple[int, dict[str, Any]]:
    client = APIClient()
    client.force_login(User.objects.get(pk=pack.owner_id))
    answer = client.post(f"/api/v1/packs/{pack.pk}/{path}", body, format="json")
    return answer.status_code, answer.json()


def commit(pack: Pack, branch: str = "") -> dict[str, Any]:
    """The preview, and then its commit."""
    status, plan = request(pack, "commit/plan/", {"branch": branch})
    assert status == 200, plan
    body = {"branch": branch, "message": "Add C\n\nWhy.", "tree": plan["tree"]}
    status, made = request(pack, "commit/", body)
    assert status == 200, made
    return {**plan, **made}


def others_are_untouched(repository: GitRepository) -> None:
    assert repository.run("status", "--porcelain").decode().splitlines() == [
        " M edited.txt",
        "M  staged.txt",
        "?? untracked.txt",
    ]


def test_a_commit_has_the_pack_and_leaves_the_rest(
    sync: FolderSync, repository: GitRepository
) -> None:
    before = repository.git("rev-parse", "HEAD")
    made = commit(edited(sync))
    assert (made["checkout"], made["author"]) == ("main", "Ada <ada@example.org>")
    assert repository.git("rev-parse", "main") == made["commit"]
    assert repository.git("rev-parse", f"{made['commit']}^") == before
    assert repository.changes(before, "HEAD") == [f"M\tpacks/{MAIN}"]
    assert repository.git("show", "-s", "--format=%an <%ae> %cn|%B") == (
        "Ada <ada@example.org> Ada|Add C\n\nWhy."
    )
    assert repository.git("reflog", "-1", "--format=%gs") == "commit: Add C"
    others_are_untouched(repository)
    assert repository.is_clean()
    again = request(pack_of(sync), "commit/plan/")[1]
    assert again["unchanged"]


def test_a_new_branch_is_checked_out(sync: FolderSync, repository: GitRepository) -> None:
    first = repository.git("rev-parse", "main")
    empty = commit(pack_of(sync), "feature/a")
    assert (empty["unchanged"], empty["new_branch"]) == (True, True)
    assert repository.git("symbolic-ref", "--short", "HEAD") == "feature/a"
    made = commit(edited(sync), "feature/b")
    assert repository.git("symbolic-ref", "--short", "HEAD") == "feature/b"
    assert repository.git("rev-parse", "main", "feature/a", "@{-1}").split() == [first] * 3
    assert repository.git("rev-parse", "HEAD") == made["commit"]
    others_are_untouched(repository)


def test_deleted_and_added_files_are_part_of_it(
    sync: FolderSync, repository: GitRepository
) -> None:
    repository.write({f"packs/{PART}": None, f"packs/{MAIN}.notes/new.md": b"new\n"})
    sync.scan()
    commit(edited(sync))
    assert repository.changes("HEAD^", "HEAD") == [
        f"M\tpacks/{MAIN}",
        f"A\tpacks/{MAIN}.notes/new.md",
        f"D\tpacks/{PART}",
    ]
    others_are_untouched(repository)


def test_the_settings_of_the_user_are_respected_or_named(
    sync: FolderSync, repository: GitRepository, home: Path
) -> None:
    """Line endings as git itself stores them; hooks and signatures are named, and do not run."""
    hooks = repository.folder / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "commit-msg", "post-merge"):
        (hooks / name).write_text("#!/bin/sh\ntouch ran\nexit 1\n")
        (hooks / name).chmod(0o755)
    repository.git("update-index", "--split-index")
    home.write_text(
        home.read_text()
        + "[core]\n\tautocrlf = true\n\thooksPath = hooks\n[commit]\n\tgpgSign\n"
        + "[gpg]\n\tprogram = /bin/false\n"
    )
    file = repository.folder / "packs" / MAIN
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    sync.scan()
    made = commit(edited(sync))
    assert (made["hooks"], made["signs"]) == (["pre-commit", "commit-msg"], True)
    assert b"\r" in file.read_bytes()
    assert b"\r" not in repository.show("HEAD", f"packs/{MAIN}")
    assert not (repository.folder / "ran").exists()
    assert repository.git("diff", "--cached", "--name-only") == "staged.txt"


def test_the_first_commit_of_a_repository(tmp_path: Path, home: Path, settings: Any) -> None:
    repository = init(tmp_path / "new")
    repository.write({MAIN: FIRST, "other.txt": b"x"})
    repository.git("add", "other.txt")
    sync = opened(repository.folder, settings)
    commit(pack_of(sync))
    assert repository.names("main") == [MAIN]
    assert repository.git("status", "--porcelain") == "A  other.txt"


def test_a_linked_work_tree_commits_on_its_own_branch(
    repository: GitRepository, home: Path, settings: Any
) -> None:
    before = repository.user_state()
    linked = GitRepository(repository.folder.parent / "linked")
    repository.git("worktree", "add", "--quiet", "-b", "side", str(linked.folder))
    sync = opened(linked.folder / "packs", settings)
    made = commit(edited(sync))
    assert (made["checkout"], linked.git("rev-parse", "side")) == ("side", made["commit"])
    assert linked.git("status", "--porcelain") == ""
    assert repository.user_state() == before


def _merging(repository: GitRepository, sync: FolderSync) -> None:
    (repository.folder / ".git/MERGE_HEAD").write_text(repository.git("rev-parse", "HEAD"))


def _unmerged(repository: GitRepository, sync: FolderSync) -> None:
    blob = repository.git("rev-parse", "HEAD:edited.txt")
    lines = "".join(f"100644 {blob} {stage}\tother\n" for stage in (1, 2, 3))
    repository.run("update-index", "--index-info", stdin=lines.encode())


def _locked(repository: GitRepository, sync: FolderSync) -> None:
    (repository.folder / ".git/index.lock").touch()


def _detached(repository: GitRepository, sync: FolderSync) -> None:
    repository.git("checkout", "--quiet", "--detach")


def _not_written(repository: GitRepository, sync: FolderSync) -> None:
    pack = pack_of(sync)
    packs.edit(pack.pk, pack.head, (AddState(id="Z"),), sync.person)


def _another_branch(repository: GitRepository, sync: FolderSync) -> None:
    repository.git("branch", "taken")


REFUSALS = [
    (_merging, "", "Git is merging in"),
    (_unmerged, "", "Git is merging in"),
    (_locked, "", "Another git program is working in this repository"),
    (_detached, "", "No branch is checked out."),
    (_not_written, "", "The newest revision is not in the folder yet."),
    (_another_branch, "taken", "The branch 'taken' exists"),
    (_another_branch, "main/x", "'main/x' is not possible as the branch 'main' exists."),
    (_another_branch, "a..b", "'a..b' is not a valid branch name."),
]


@pytest.mark.parametrize(("before", "branch", "message"), REFUSALS)
def test_a_refused_commit_changes_nothing(
    before: Any, branch: str, message: str, sync: FolderSync, repository: GitRepository
) -> None:
    pack = edited(sync)
    before(repository, sync)
    state, refs = repository.user_state(), repository.git("for-each-ref")
    status, body = request(pack, "commit/", {"branch": branch, "message": "x"})
    assert (status, body["message"][: len(message)]) == (422, message)
    assert (repository.user_state(), repository.git("for-each-ref")) == (state, refs)


def test_a_pack_of_no_opened_folder_and_a_folder_without_git_are_refused(
    tmp_path: Path, sync: FolderSync, settings: Any
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / MAIN).write_bytes(FIRST)
    assert open_around(tmp_path / "plain") is None
    earlier = pack_of(sync)
    plain = pack_of(opened(tmp_path / "plain", settings))
    assert "is in no git repository" in request(plain, "commit/plan/")[1]["message"]
    assert "not in a folder that `signalbox open`" in request(earlier, "commit/plan/")[1]["message"]
