"""Commits of packs: what they contain, which branches and folders they accept, what never runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.repos.conftest import FIRST, NOTE, PACK, export, plan, set_files, take, target, upload
from tests.support.checks import failure_note
from tests.support.git_program import GitRepository, init
from workflows.core.pack.files import BadFiles
from workflows.errors import BadRequest, NotThere, RepositoryRefused
from workflows.models import Pack
from workflows.repos import git
from workflows.repos.commits import Person, author_named
from workflows.repos.exports import ExportRequest, preview
from workflows.repos.repository import open_allowed

EDITED = FIRST.replace(b'"Two"', b'"Second"')


@pytest.fixture
def changed(taken: Pack) -> Pack:
    """The imported pack with one change."""
    return set_files(taken, {"a.flow.json": EDITED})


def test_people_and_message_are_in_the_commit(repository: GitRepository, changed: Pack) -> None:
    made = export(
        changed,
        repository,
        message="Edit the flow\n\n# no comment",
        author=Person(name="Grace <Hopper>", email="grace@example.org"),
        committer=Person(name=" . "),
    )
    shown = repository.git("show", "-s", "--format=%an|%ae|%cn|%ce|%B", made["commit"])
    expected = "Grace Hopper|grace@example.org|signalbox|signalbox@localhost|"
    assert shown == f"{expected}Edit the flow\n\n# no comment"


IMPOSSIBLE_MESSAGES: list[str] = ["", "  \n", "a\0b", "\ud800"]


def test_an_impossible_message_is_refused(repository: GitRepository, changed: Pack) -> None:
    for message in IMPOSSIBLE_MESSAGES:
        with failure_note(repr(message)[:200]):
            with pytest.raises(RepositoryRefused) as refused:
                export(changed, repository, message=message)
            assert refused.value.where == "message"


@pytest.mark.parametrize(
    ("text", "name", "email"),
    [("Ada L. <ada@example.org>", "Ada L.", "ada@example.org"), (" A <a@b> ", "A", "a@b")],
)
def test_an_author_is_a_name_and_an_address(text: str, name: str, email: str) -> None:
    assert author_named(text) == Person(name=name, email=email)


@pytest.mark.parametrize(
    "text", ["Ada", "<a@b>", "Ada <ada>", "Ada <a@b", "A\nB <a@b>", "A <a@b> x"]
)
def test_another_author_is_refused(text: str) -> None:
    with pytest.raises(BadRequest) as refused:
        author_named(text)
    assert refused.value.where == "author"


def test_a_folder_prefixes_every_path(repository: GitRepository) -> None:
    pack = upload(PACK)
    made = export(pack, repository, folder="packs/support/")
    assert made["paths"] == [f"packs/support/{path}" for path in PACK]
    assert repository.changes("main", made["commit"]) == [
        f"A\tpacks/support/{path}" for path in PACK
    ]


def test_the_folder_of_the_import_is_the_default(repository: GitRepository) -> None:
    repository.commit({f"packs/{path}": data for path, data in PACK.items()})
    pack = take(repository, path="packs")
    set_files(pack, {"a.flow.json": EDITED})
    made = export(pack, repository)
    assert made["folder"] == "packs"
    assert repository.changes("main", made["commit"]) == ["M\tpacks/a.flow.json"]
    moved = export(pack, repository, folder="", branch="top", base="main")
    assert repository.changes("main", moved["commit"]) == ["M\ta.flow.json"]


def test_an_executable_file_stays_executable(repository: GitRepository) -> None:
    (repository.folder / NOTE).chmod(0o755)
    repository.commit({})
    pack = take(repository)
    set_files(pack, {NOTE: b"changed\n"})
    made = export(pack, repository)
    assert repository.git("ls-tree", made["commit"], NOTE).startswith("100755")
    assert repository.git("ls-tree", made["commit"], "a.flow.json").startswith("100644")


def test_a_checked_out_branch_is_never_moved(repository: GitRepository, changed: Pack) -> None:
    with pytest.raises(RepositoryRefused, match="'main' is checked out") as refused:
        export(changed, repository, branch="main")
    assert refused.value.extra["free"] == "main-2"
    export(changed, repository, branch="main-2")


INVALID_BRANCHES = [
    "", "-x", "HEAD", "a..b", "a b", "a~1", "a.lock", "/a", "a/", "main/x", "a\0b", "@{u}",
    "\ud800",
]  # fmt: skip


def test_an_invalid_branch_name_is_rejected(repository: GitRepository, changed: Pack) -> None:
    for branch in INVALID_BRANCHES:
        with failure_note(repr(branch)[:200]):
            with pytest.raises(RepositoryRefused) as refused:
                export(changed, repository, branch=branch)
            assert refused.value.where == "branch"


def test_an_alias_of_a_branch_is_not_followed(repository: GitRepository, changed: Pack) -> None:
    repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    before = repository.git("rev-parse", "main")
    with pytest.raises(RepositoryRefused, match="alias"):
        export(changed, repository, branch="alias")
    assert repository.git("rev-parse", "main") == before


UNSAFE_FOLDERS: list[str] = ["..", "../x", ".git", "a//b", "git~1"]


def test_an_unsafe_folder_is_refused(repository: GitRepository, changed: Pack) -> None:
    for folder in UNSAFE_FOLDERS:
        with failure_note(repr(folder)[:200]), pytest.raises(BadFiles):
            export(changed, repository, folder=folder)


NO_FOLDERS: list[str] = ["tool.sh", "link", "link/x"]


def test_a_path_through_a_file_or_a_link_is_rejected(
    repository: GitRepository, changed: Pack
) -> None:
    for folder in NO_FOLDERS:
        with pytest.raises(RepositoryRefused, match="not a folder"):
            export(changed, repository, folder=folder)


def test_a_file_where_the_pack_has_a_folder_is_rejected(repository: GitRepository) -> None:
    repository.commit({"p/a.flow.json/inside.txt": b"x", "q/a.flow.json.notes": b"x"})
    pack = upload(PACK)
    with pytest.raises(RepositoryRefused, match=r"p/a\.flow\.json is a folder"):
        export(pack, repository, folder="p")
    with pytest.raises(RepositoryRefused, match=r"q/a\.flow\.json\.notes is a file"):
        export(pack, repository, folder="q")


def test_only_allowed_folders_are_used(
    repository: GitRepository, changed: Pack, settings: Any
) -> None:
    roots = repository.folder.parent
    outside = init(roots.parent / "outside")
    (roots / "door").symlink_to(outside.folder)
    (roots / "worktree").mkdir()
    (roots / "worktree" / ".git").write_text(f"gitdir: {outside.folder}/.git\n")
    (roots / "plain").mkdir()
    (repository.folder / "inner").mkdir()
    for folder in (
        outside.folder,
        roots / "door",
        Path("repo"),
        roots / "plain",
        roots / "none",
        repository.folder / "inner",
        roots / "worktree",
        Path(f"{repository.folder}\0"),
        Path(f"{repository.folder}\ud800"),
    ):
        with pytest.raises(RepositoryRefused):
            preview(changed, ExportRequest(repository=open_allowed(folder), branch="new"))
    objects = init(roots / "borrowed").folder / ".git" / "objects"
    objects.rename(roots.parent / "objects")
    objects.symlink_to(roots.parent / "objects")
    with pytest.raises(RepositoryRefused, match="may not use"):
        preview(changed, target(GitRepository(roots / "borrowed")))
    settings.SIGNALBOX_REPOSITORIES = []
    with pytest.raises(RepositoryRefused, match="may not use repositories"):
        preview(changed, target(repository))


def test_the_environment_of_the_server_does_not_reach_git(
    repository: GitRepository, changed: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, "/nowhere")
    made = plan(changed, repository)
    assert [one["path"] for one in made["files"]] == ["a.flow.json"]


def test_a_server_without_git_refuses(
    repository: GitRepository, changed: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "_PATH", "/nowhere")
    with pytest.raises(RepositoryRefused, match="no git program") as refused:
        preview(changed, target(repository))
    assert refused.value.hint


def test_a_pack_is_committed_over_http(repository: GitRepository, pack: Any, post: Any) -> None:
    body = {"repository": str(repository.folder), "branch": "flow"}
    address = f"packs/{pack.pk}/export/git/"
    planned = post(f"{address}plan/", body).json()
    assert [one["path"] for one in planned["files"]] == ["tiny.flow.json"]
    assert repository.git("branch", "--list", "flow") == ""
    wanted = {**body, "message": "Export", "tree": planned["tree"], "revision": 1}
    answer = post(address, {**wanted, "author": "Grace <grace@example.org>"})
    assert answer.json()["paths"] == ["tiny.flow.json"]
    shown = repository.git("show", "-s", "--format=%an %cn %s", answer.json()["commit"])
    assert shown == "Grace ada Export"
    again = post(address, {**body, "message": "Export"}).json()
    assert (again["unchanged"], again["branch"]) == (True, "flow")


IMPOSSIBLE: list[tuple[dict[str, Any], int, str]] = [
    ({"revison": 1}, 400, "revison"),
    ({"revision": 7}, 404, "revision"),
    ({"revision": 0}, 400, "revision"),
    ({"base": "nowhere"}, 422, "base"),
    ({"base": "--all"}, 422, "base"),
    ({"author": "ada"}, 400, "author"),
    ({"branch": "main"}, 422, "branch"),
    ({"tree": "0" * 40}, 422, "tree"),
    ({"folder": "../x"}, 422, "../x"),
]


def test_an_impossible_request_is_refused_by_name(
    repository: GitRepository, pack: Any, post: Any
) -> None:
    for extra, status, where in IMPOSSIBLE:
        with failure_note(repr(extra)[:200]):
            body = {
                "repository": str(repository.folder),
                "branch": "flow",
                "message": "Export",
                **extra,
            }
            answer = post(f"packs/{pack.pk}/export/git/", body)
            assert (answer.status_code, answer.json()["where"]) == (status, where)
            assert answer.json()["message"]
            assert repository.git("branch", "--list", "flow") == ""


def test_a_conflict_over_http_has_both_sides(
    repository: GitRepository, post: Any, site: Any
) -> None:
    taken = post("import/git/", {"repository": str(repository.folder), "ref": "main"}).json()
    number = taken["packs"][0]["id"]
    repository.git("switch", "--quiet", "--create", "team")
    repository.commit({"a.flow.json": FIRST.replace(b'"Two"', b'"Zwei"')})
    repository.git("switch", "--quiet", "main")
    set_files(Pack.objects.get(pk=number), {"a.flow.json": EDITED})
    body = {"repository": str(repository.folder), "branch": "team", "message": "Export"}
    answer = post(f"packs/{number}/export/git/", body)
    assert answer.status_code == 409
    place = answer.json()["places"][0]
    assert (place["yours"], place["theirs"]) == ("Second", "Zwei")
    known = site.get(f"/api/v1/packs/{number}/export/git/").json()
    assert [(one["repository"], one["kind"]) for one in known] == [
        (str(repository.folder), "import")
    ]


def test_an_unknown_pack_is_not_found(repository: GitRepository, post: Any) -> None:
    body = {"repository": str(repository.folder), "branch": "x", "message": "y"}
    assert post("packs/999/export/git/", body).status_code == 404
    with pytest.raises(NotThere):
        take(repository, ref="nowhere")
