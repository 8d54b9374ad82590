"""No program that a repository names is started, in any use of git.

Each row of `git_traps` is a key of git's configuration; each way is one of the uses that the server
and the command line make of a repository that an untrusted user may have written.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from signalbox.project import repository as project
from tests.attacks.git_traps import ATTRIBUTES, KEYS, Traps
from tests.repos.conftest import FIRST, PACK, plan, set_files, take, target, upload
from tests.support.checks import quick_and_slow
from tests.support.git_program import ENVIRONMENT, GitRepository, init
from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect  # noqa: F401
from workflows.actions import repositories as actions
from workflows.actions.people import first_person
from workflows.core.pack.files import Files
from workflows.errors import CallerError
from workflows.folder.sync import FolderSync
from workflows.models import Pack
from workflows.repos import kept_branches
from workflows.repos.checkouts import checkout_with
from workflows.repos.commits import Person
from workflows.repos.exports import CommitRequest, ExportRequest, commit
from workflows.repos.fetches import fetch
from workflows.repos.git import Git
from workflows.repos.imports import source_of
from workflows.repos.local_repositories import chosen_workspace, local_repositories
from workflows.repos.proposals import Proposal, propose
from workflows.repos.repository import allowed_roots
from workflows.repos.scans import track
from workflows.runner import confinement, workspaces
from workflows.runner.isolation import levels
from workflows.runner.isolation.levels import LEVELS
from workflows.runner.workspaces import RunPlace, WorkspaceChoice, open_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def traps(tmp_path: Path) -> Traps:
    (tmp_path / "traps").mkdir()
    return Traps(tmp_path / "traps")


@pytest.fixture(params=quick_and_slow([False], [True]), ids=lambda on: f"commands {on}")
def hostile(tmp_path: Path, settings: Any, request: pytest.FixtureRequest) -> GitRepository:
    """A repository with a pack, attributes for every filter and a submodule; its configuration is
    that of git until a test sets its traps. On a server with and without commands."""
    settings.SIGNALBOX_COMMANDS = request.param
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    settings.SIGNALBOX_REPOSITORIES = [tmp_path / "roots"]
    lender = init(tmp_path / "roots/lender")
    lender.commit({"x": b"x\n"}, "x")
    made = init(tmp_path / "roots/repo")
    # Packs have no filter: the server refuses those with one.
    texts = {"a.txt": b"a\n", "b.md": b"b\n", "c.note": b"c\n"}
    unfiltered = b"*.flow.json -filter\n**/note.md -filter\n"
    made.commit({**PACK, **texts, ".gitattributes": ATTRIBUTES + unfiltered}, "first")
    made.git("submodule", "--quiet", "add", str(lender.folder), "sub")
    made.commit({}, "submodule")
    (made.folder / ".git/objects/info/alternates").write_text(f"{lender.folder}/.git/objects\n")
    return made


def import_(hostile: GitRepository, ada: User) -> None:
    take(hostile, ada)


def export_(hostile: GitRepository, ada: User) -> None:
    pack = upload({"b.flow.json": FIRST}, ada)
    plan(pack, hostile)
    how = CommitRequest(message="x", author=Person(name="a"), committer=Person(name="a"))
    assert commit(pack, target(hostile), how)["commit"]


def export_of_an_import(hostile: GitRepository, ada: User) -> None:
    pack = take(hostile, ada)
    set_files(pack, {"a.flow.json": FIRST.replace(b"One", b"Eins")})
    plan(Pack.objects.get(pk=pack.pk), hostile)


def followed(hostile: GitRepository, ada: User) -> Pack:
    row = fetch(actions.create(ada, url=str(hostile.folder), name="Hostile").pk)
    assert row.problem == ""
    return track(row, "", ["a.flow.json"], ada).packs[0]


def fetch_and_scan(hostile: GitRepository, ada: User) -> None:
    followed(hostile, ada)


def propose_(hostile: GitRepository, ada: User) -> None:
    pack = followed(hostile, ada)
    set_files(pack, {"a.flow.json": FIRST.replace(b"One", b"Eins")})
    propose([pack], Proposal(branch="signalbox/a", title="a", message="a"), ada)


def run_place(hostile: GitRepository) -> RunPlace:
    from django.conf import settings

    choice = WorkspaceChoice(**chosen_workspace("git", str(hostile.folder), ""))  # type: ignore[arg-type]
    return RunPlace(
        root=settings.DATA / "workspaces", name="run-1", choice=choice, allowed=allowed_roots()
    )


def run(hostile: GitRepository, ada: User) -> None:
    """A work tree, its changes, and a branch of them."""
    place = run_place(hostile)
    tree = open_workspace(place).folder
    for name in ("a.txt", "b.md", "c.note"):
        (tree / name).write_text("changed\n")
    changes = workspaces.changes_of(place, message="Work")
    assert set(changes.files) == {"a.txt", "b.md", "c.note"}
    kept_branches.keep_branch(Path(place.choice.path), "kept", changes.commit, message="Kept")
    workspaces.remove(place)


def choices(hostile: GitRepository, ada: User) -> None:
    assert str(hostile.folder) in {str(one["path"]) for one in local_repositories()}


def import_from_a_work_tree(hostile: GitRepository, ada: User) -> None:
    files = Files({"a.flow.json": FIRST.replace(b"One", b"Eins")})
    assert source_of(hostile.folder, files) is not None


def folder_watch(hostile: GitRepository, ada: User) -> None:
    project.root_of.cache_clear()
    project.ignored_now(hostile.folder)


def check_since(hostile: GitRepository, ada: User) -> None:
    """Compares the work tree, whose changed files git reads through their filters."""
    (hostile.folder / "a.txt").write_text("b\n")
    (hostile.folder / "b.md").write_text("c\n")
    (hostile.folder / "sub/x").write_text("y\n")
    project.root_of.cache_clear()
    found = project.repository_of(hostile.folder)
    assert found is not None
    changed = project.changed_since(found, "HEAD")
    assert {path.name for path in changed} >= {"a.txt", "b.md"}
    project.files_at(found, project.commit_of(found, "HEAD"), lambda path: True, 1_000_000)


def commit_in_the_opened_folder(hostile: GitRepository, ada: User) -> None:
    from django.conf import settings

    settings.OPENED_FOLDER = hostile.folder
    sync = FolderSync(hostile.folder, first_person(), settings.DATA / "folder")
    sync.scan()
    pack = Pack.objects.get(origin=sync.origin)
    set_files(pack, {"a.flow.json": FIRST.replace(b"One", b"Eins")})
    sync.exchange()
    pack.refresh_from_db()
    here = checkout_with(pack)
    request = ExportRequest(
        repository=here.repository, branch="new", folder="", base=here.head, checkout=here
    )
    how = CommitRequest(message="x", author=Person(name="a"), committer=Person(name="a"))
    assert isinstance(here.hooks, list)
    assert commit(pack, request, how)["commit"]


def merge(hostile: GitRepository, ada: User) -> None:
    """The merge driver, which git starts in the repository."""
    for name in ("mine", "old", "theirs"):
        (hostile.folder / name).write_text(f"{name}\n")
    Git(folder=hostile.folder).attempt("merge-file", "-p", "mine", "old", "theirs")


WAYS: tuple[Callable[[GitRepository, User], None], ...] = (
    import_, export_, export_of_an_import, fetch_and_scan, propose_, run, choices,
    import_from_a_work_tree, folder_watch, check_since, commit_in_the_opened_folder, merge,
)  # fmt: skip


def assert_nothing_runs(
    way: Callable[[GitRepository, User], None], hostile: GitRepository, ada: User, traps: Traps
) -> None:
    with suppress(CallerError):  # Some configurations are refused.
        way(hostile, ada)
    assert traps.ran() == set(), way.__name__


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__.strip("_"))
def test_each_way_with_every_key_but_those_that_git_cannot_read(
    way: Callable[[GitRepository, User], None], hostile: GitRepository, ada: User, traps: Traps
) -> None:
    """Without the keys that make git refuse the repository, each way does its work."""
    ends = {"promisor", "remote.<name>.vcs", "include.path"}
    traps.set(hostile.folder, [key for key in KEYS if key not in ends])
    way(hostile, ada)
    assert traps.ran() == set()


def test_each_key_alone(hostile: GitRepository, ada: User, traps: Traps) -> None:
    """In the two ways that start most git commands in a repository and in its work tree."""
    config = hostile.folder / ".git/config"
    plain = config.read_bytes()
    for key in KEYS:
        traps.set(hostile.folder, [key])
        for way in (choices, import_from_a_work_tree):
            assert_nothing_runs(way, hostile, ada, traps)
        config.write_bytes(plain)


@pytest.mark.machine
@pytest.mark.parametrize("level", [*LEVELS, "unavailable"])
@pytest.mark.parametrize("key", quick_and_slow(["all"], KEYS))
def test_programs_that_a_command_configures_never_run_outside(
    key: str,
    level: str,
    hostile: GitRepository,
    traps: Traps,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run's own git directory, which a command may write as it likes. `unavailable`: a machine
    without isolation, where only tools write files."""
    if level == "unavailable":
        monkeypatch.setattr(levels, "is_available", lambda level: False)
        settings.SIGNALBOX_ISOLATION = ""
        assert confinement._has_no_isolation()
    elif levels.is_available(level):  # type: ignore[arg-type]
        settings.SIGNALBOX_ISOLATION = level
    else:
        pytest.skip(f"{level} is not available on this machine")
    place = run_place(hostile)
    tree = open_workspace(place).folder
    traps.set(tree, KEYS if key == "all" else [key])
    (tree / ".gitattributes").write_bytes(ATTRIBUTES)
    (tree / "a.txt").write_text("changed\n")
    changes = workspaces.changes_of(place, message="Work")
    assert "a.txt" in changes.files
    assert traps.ran() == set()


STARTED: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("core.fsmonitor",): ("status",),
    ("extensions.worktreeConfig",): ("status",),
    ("includeIf.onbranch:**.path",): ("status",),
    ("includeIf.hasconfig:remote.*.url:**.path",): ("status",),
    ("core.hooksPath",): ("update-ref", "refs/heads/x", "HEAD"),
    ("diff.external",): ("diff", "HEAD"),
    ("filter.f.clean",): ("add", "."),
    ("odd names of filters",): ("add", "."),
    ("gpg.program", "signatures"): ("commit", "--quiet", "--allow-empty", "-m", "x"),
}
"""Keys, and a command of plain git that starts their program."""


@pytest.mark.parametrize("keys", STARTED, ids=lambda keys: keys[0])
def test_the_traps_work(keys: tuple[str, ...], hostile: GitRepository, traps: Traps) -> None:
    """Without the safe settings git starts these programs, so that the table can fail."""
    traps.set(hostile.folder, keys)
    (hostile.folder / "a.txt").write_text("b\n")
    (hostile.folder / "z").write_text("z\n")
    subprocess.run(
        ["git", *STARTED[keys]],
        cwd=hostile.folder,
        env={**ENVIRONMENT, "HOME": "/nowhere"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert traps.ran()


# -- the list of keys

SUSPICIOUS = re.compile(
    r"cmd|command|program|hook|editor|pager|helper|driver|clean$|smudge|process|textconv|external"
    r"|proxy|askpass|ssh|vcs|receivepack|uploadpack|tunnel|browser|\.update$|insteadof|alias"
    r"|fsmonitor|template|include|viewer|\.tool|sign|path$",
    re.IGNORECASE,
)
NAME_NO_PROGRAM = re.compile(
    r"""^(
    colou?r\..*|column\..*|advice\..*|fsck\..*|receive\.fsck\..*|fetch\.fsck\..*|completion\.commands
    |core\.(hooksPath|fsmonitorHookVersion|quotePath|protectHFS|attributesFile)
    |diff\.<driver>\.(binary|wordRegex|xfuncname|cachetextconv)|merge\.<driver>\.(name|recursive)
    |(difftool|mergetool)\.(prompt|trustExitCode|hideResolved|keepBackup|keepTemporaries|writeToTemp)
    |mergetool\.(meld|vimdiff)\..*|mergetool\.<tool>\.(hideResolved|trustExitCode)
    |guitool\.<name>\.(?!cmd).*|http\..*|remote\.<name>\.proxy.*|help\.htmlPath
    |commit\.template|status\..*|format\..*|gpg\.ssh\.(allowedSignersFile|revocationFile)
    |gpg\.(format|minTrustLevel)|credential\.useHttpPath|commitGraph\..*|log\..*path
    |core\.(logAllRefUpdates|createObject)|rebase\..*|notes\..*|instaweb\.modulePath|index\..*
    |gitcvs\..*|gui\..*|repack\..*|receive\.(shallowUpdate|updateServerInfo)|rerere\..*
    |sendemail\.(alias.*|signedoffbycc|smtpssl.*)|sendemail\.<identity>\..*|fsmonitor\..*
    |tag\.gpgSign|stash\..*|.*showForcedUpdates|uploadpack\.(?!packObjectsHook).*|pack\..*|fetch\.output
    |push\..*|trailer\.(?!.*(cmd|command)).*|user\..*|imap\.(?!tunnel).*|clone\..*
    |submodule\.(?!<name>\.update).*|includeIf.*|worktree\..*|svn.*|credentialCache.*
    |remote\.<name>\.(skip.*|partial.*)|uploadpackfilter.*|uploadarchive.*|extensions\..*
    )$""",
    re.VERBOSE,
)
"""Keys of git's list whose names look like programs, and that name none."""


def test_the_table_has_every_key_of_the_installed_git(traps: Traps) -> None:
    listed = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True)
    table = {_plain(name) for key in KEYS for name, _ in traps.settings_of(key)}
    missing = [
        key
        for key in listed.stdout.replace("*", "").split()
        if SUSPICIOUS.search(key) and not NAME_NO_PROGRAM.match(key) and _plain(key) not in table
    ]
    assert missing == []


def _plain(key: str) -> str:
    """A key without its part in the middle, in lower case."""
    first, _, rest = key.lower().partition(".")
    if first in ("alias", "pager"):
        return first  # The rest is the name of a command.
    return f"{first}.{rest.rpartition('.')[2]}" if rest else first
