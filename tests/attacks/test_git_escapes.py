"""Escapes from a run through git: a hostile git directory, or a hostile work tree.

Each attack leaves a mark outside of everything that a run may write, or brings a secret into it.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.repos.conftest import PACK, set_files
from tests.support.git_repository import git, make_repository
from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect  # noqa: F401
from workflows.actions import repositories as actions
from workflows.errors import CallerError, RepositoryRefused
from workflows.repos import kept_branches
from workflows.repos.fetches import fetch
from workflows.repos.local_repositories import chosen_workspace
from workflows.repos.proposals import Proposal, propose
from workflows.repos.repository import allowed_roots, open_allowed
from workflows.repos.scans import track
from workflows.runner import sandbox, workspaces
from workflows.runner.isolation import levels
from workflows.runner.isolation.levels import LEVELS
from workflows.runner.sandbox import CommandResult
from workflows.runner.tools import files, workspace
from workflows.runner.tools.base import ToolFailed
from workflows.runner.workspaces import RunPlace, Workspace, WorkspaceChoice, open_workspace

SECRET = f"canary-{secrets.token_hex(8)}"
RUN = "6f1b2a34-0000-4000-8000-000000000001"


@pytest.fixture
def code(settings: Any, tmp_path: Path) -> Path:
    """The folder that the operator allows, next to the data folder."""
    settings.DATA = tmp_path / "data"
    settings.DATA.mkdir()
    (settings.DATA / "secret-key").write_text(SECRET)
    settings.SIGNALBOX_REPOSITORIES = [tmp_path / "code"]
    settings.SIGNALBOX_COMMAND_PATHS = []
    make_repository(tmp_path / "code/proj", {"a.txt": "one\n", "sub/b.txt": "two\n"})
    git(tmp_path / "code", "clone", "--quiet", "--bare", "proj", "bare.git")
    return tmp_path / "code"


@pytest.fixture(params=LEVELS)
def level(request: pytest.FixtureRequest, settings: Any) -> str:
    if not levels.is_available(request.param):
        pytest.skip(f"{request.param} is not available on this machine")
    settings.SIGNALBOX_ISOLATION = request.param
    return str(request.param)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A file outside of everything that a run may write."""
    (tmp_path / "outside").mkdir()
    return tmp_path / "outside/mark"


def place_in(settings: Any, kind: Any, path: Path) -> RunPlace:
    choice = WorkspaceChoice(**chosen_workspace(kind, str(path), ""))  # type: ignore[arg-type]
    return RunPlace(
        root=settings.DATA / "workspaces", name=RUN, choice=choice, allowed=allowed_roots()
    )


def shell(place: RunPlace, script: str) -> CommandResult:
    """One command of the run."""
    found: Workspace = open_workspace(place)
    return asyncio.run(
        sandbox.run(
            ("sh", "-c", script),
            folder=found.folder,
            timeout=60,
            extra=found.environment,
            files=found.files,
        )
    )


# -- a workspace that is a git directory


@pytest.mark.parametrize(
    "path",
    ["proj/.git", "proj/.git/objects", "proj/.git/hooks", "bare.git", "bare.git/hooks", "linked"],
)
def test_a_git_directory_is_no_workspace(code: Path, settings: Any, path: str) -> None:
    (code / "linked").symlink_to("proj/.git")
    with pytest.raises(RepositoryRefused, match="belongs to git"):
        chosen_workspace("folder", str(code / path), "")
    # A run that was started before the folder became one, or before this was checked.
    earlier = WorkspaceChoice(kind="folder", path=str(code / path))
    place = RunPlace(
        root=settings.DATA / "workspaces", name=RUN, choice=earlier, allowed=allowed_roots()
    )
    with pytest.raises(CallerError, match="may not work in"):
        open_workspace(place)


def test_a_workspace_that_becomes_a_git_directory_is_refused_from_then_on(
    code: Path, settings: Any
) -> None:
    (code / "plain").mkdir()
    place = place_in(settings, "folder", code / "plain")
    assert open_workspace(place).folder == code / "plain"
    git(code / "plain", "init", "--quiet", "--bare")
    with pytest.raises(CallerError, match="belongs to git"):
        open_workspace(place)


def test_a_workspace_that_was_replaced_by_a_link_is_refused(code: Path, settings: Any) -> None:
    (code / "plain").mkdir()
    place = place_in(settings, "folder", code / "plain")
    open_workspace(place)
    (code / "plain").rmdir()
    (code / "plain").symlink_to(settings.DATA)
    with pytest.raises(CallerError):
        open_workspace(place)


@pytest.mark.parametrize(
    "path", ["bare.git/config", "bare.git/hooks/pre-commit", "proj/.GIT/config", "bare.git/new/x"]
)
@pytest.mark.parametrize("operation", ["write", "read", "delete"])
def test_a_tool_keeps_out_of_git_directories(code: Path, path: str, operation: str) -> None:
    arguments = {"path": path, "content": "x"}
    work = files.CHANGES.get(operation) or files.WORK[operation]
    with pytest.raises(ToolFailed, match="belongs to git"):
        work(code, arguments)


@pytest.mark.parametrize("last", ["HEAD", "objects/x", "refs/heads/main"])
def test_a_tool_cannot_make_a_git_directory(code: Path, last: str) -> None:
    """Git reads the configuration of any folder with these three."""
    parts = ["HEAD", "objects/x", "refs/heads/main", "config"]
    for part in parts:
        if part not in (last, "config"):
            workspace.inside(code, f"new/{part}").parent.mkdir(parents=True, exist_ok=True)
            workspace.write(code, code / "new" / part, part, "ref: refs/heads/main")
    with pytest.raises(ToolFailed, match="git"):
        workspace.inside(code, f"new/{last}")


def test_searches_leave_git_directories_out(code: Path) -> None:
    names = {path.relative_to(code).as_posix() for path in workspace.walk(code)}
    assert names == {"proj/a.txt", "proj/sub/b.txt"}


@pytest.mark.machine
def test_a_command_in_a_folder_cannot_write_the_repositories_in_it(
    code: Path, settings: Any, level: str
) -> None:
    place = place_in(settings, "folder", code)
    script = (
        "for d in proj/.git bare.git; do git -C $d config core.fsmonitor evil;"
        " echo evil >> $d/config; echo evil > $d/hooks/pre-commit; done; cat proj/a.txt"
    )
    result = shell(place, script)
    for control in (code / "proj/.git", code / "bare.git"):
        assert "evil" not in (control / "config").read_text()
        assert not (control / "hooks/pre-commit").exists()
    if level == "landlock":
        assert "Landlock" in result.stderr
    else:
        assert "one" in result.stdout


# -- a work tree


@pytest.fixture
def tree(code: Path, settings: Any, level: str) -> RunPlace:
    """A run in a work tree of `proj`, in each level of isolation."""
    return place_in(settings, "git", code / "proj")


@pytest.mark.machine
def test_alternates_that_a_command_writes_open_nothing(
    tree: RunPlace, settings: Any, code: Path
) -> None:
    make_repository(code / "other", {"b.txt": SECRET})
    for path in (settings.DATA, code / "other"):
        shell(
            tree,
            f'g="$(git rev-parse --git-common-dir)"; mkdir -p "$g/objects/info";'
            f'echo {path} > "$g/objects/info/alternates";'
            f"echo {path} > {code}/proj/.git/objects/info/alternates",
        )
        result = shell(tree, f"cat {path}/secret-key {path}/b.txt; ls -R {path}")
        assert SECRET not in result.stdout
        assert "secret-key" not in result.stdout


HOSTILE = {
    "a configuration of its own": """
        mkdir cfg; cd cfg; git init -q --bare .; cd ..
        cp -r "$(git rev-parse --git-common-dir)/objects" cfg/ 2>/dev/null
        cp -r "$(git rev-parse --git-common-dir)/refs" cfg/ 2>/dev/null
        cp "$(git rev-parse --git-common-dir)/packed-refs" cfg/ 2>/dev/null
        g="$(git rev-parse --git-dir)"
        name=$(printf 'filter.\\377.clean')
        printf '* filter=\\377\\n' > .gitattributes
        git config -f cfg/config "$name" '{trap}'
        cp cfg/config "$g/config"
        git config -f cfg/config core.fsmonitor '{trap}'
        echo "$PWD/cfg" > "$g/commondir"
        echo changed > a.txt
    """,
    "filters and monitors": """
        git config filter.e.clean '{trap}'; git config filter.e.process '{trap}'
        git config core.fsmonitor '{trap}'; git config core.hooksPath "$PWD/hooks"
        git config diff.e.textconv '{trap}'; git config diff.external '{trap}'
        mkdir hooks; printf '#!/bin/sh\\n{trap}\\n' > hooks/reference-transaction
        cp hooks/reference-transaction hooks/post-index-change; chmod +x hooks/*
        printf '* filter=e diff=e\\n' > .gitattributes; echo changed > a.txt
    """,
    "a repository in a folder that cannot be listed": """
        mkdir -p nested; cd nested; git init -q .; echo x > x; git add x
        git -c user.name=a -c user.email=a@b commit -qm x; cd ..
        git add nested 2>/dev/null; git commit -qm nested
        git -C nested config filter.e.clean '{trap}'; git -C nested config core.fsmonitor '{trap}'
        printf '* filter=e\\n' > nested/.gitattributes; echo y > nested/x
        echo changed > a.txt; chmod 0311 nested
    """,
}


@pytest.mark.machine
@pytest.mark.parametrize("attack", HOSTILE)
def test_no_program_that_a_command_names_runs_outside(
    tree: RunPlace, trap: Path, attack: str, code: Path
) -> None:
    script = HOSTILE[attack].replace("{trap}", f"touch {trap}; cat")
    shell(tree, script)
    try:
        changes = workspaces.changes_of(tree, message="Work")
    finally:
        assert not trap.exists()
    assert "a.txt" in changes.files, changes
    workspaces.remove(tree)
    assert git(code / "proj", "show", f"{changes.ref}:a.txt") == "changed"
    assert git(code / "proj", "fsck", "--strict", "--no-dangling") == ""


@pytest.mark.machine
@pytest.mark.parametrize("where", ["logs", "refs", "objects"])
def test_links_that_a_command_leaves_are_not_followed(
    tree: RunPlace, trap: Path, code: Path, where: str
) -> None:
    trap.write_text("as it was\n")
    name = {"logs": f"logs/refs/signalbox/runs/{RUN}", "refs": f"refs/signalbox/runs/{RUN}"}
    target = name.get(where, "objects/info/commit-graph")
    shell(
        tree,
        f'for g in "$(git rev-parse --git-common-dir)" {code}/proj/.git; do'
        f' mkdir -p "$(dirname "$g/{target}")"; ln -sfn {trap} "$g/{target}"; done;'
        f" rm -rf .git/objects; ln -s {trap.parent} .git/objects; echo changed > a.txt",
    )
    with suppress(CallerError):
        workspaces.changes_of(tree, message="Work")
    assert trap.read_text() == "as it was\n"
    assert list(trap.parent.iterdir()) == [trap]


@pytest.mark.machine
def test_a_command_changes_nothing_of_the_repository(tree: RunPlace, code: Path) -> None:
    """Not even its branches: the run has a clone of its own."""
    before = git(code / "proj", "for-each-ref")
    result = shell(
        tree,
        "echo two >> a.txt && git commit -qam two && git branch mine &&"
        " git update-ref refs/heads/main HEAD && git log --oneline | wc -l",
    )
    assert result.stdout.strip() == "2", result
    assert git(code / "proj", "for-each-ref") == before


# -- not as root, where a folder can be entered but not listed


@pytest.mark.machine
def test_a_repository_that_cannot_be_listed_runs_nothing_for_an_ordinary_user(
    tmp_path: Path,
) -> None:
    """A nested repository with a filter of its own, in a folder of mode 0311."""
    if os.getuid():
        pytest.skip("needs root, to become an ordinary user")
    home = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tests.attacks.unlistable", str(home)],
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])},
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        assert "saved" in done.stdout
        assert not (home / "mark").exists()
    finally:
        subprocess.run(["rm", "-rf", str(home)], check=False)


# -- a repository that an untrusted user may write


@pytest.mark.django_db
def test_a_push_to_a_folder_runs_no_program_of_its_configuration(
    code: Path, trap: Path, ada: User
) -> None:
    hostile = make_repository(
        code / "hostile", {path: text.decode() for path, text in PACK.items()}
    )
    git(code, "clone", "--quiet", "--bare", "proj", "lender.git")
    control = hostile / ".git"
    for key in ("core.alternateRefsCommand", "core.fsmonitor", "core.sshCommand", "core.pager"):
        git(hostile, "config", key, f"touch {trap}; true")
    (control / "objects/info/alternates").write_text(f"{code}/lender.git/objects\n")
    (control / "hooks").mkdir(exist_ok=True)
    for name in ("reference-transaction", "pre-receive", "update", "post-update", "post-receive"):
        (control / "hooks" / name).write_text(f"#!/bin/sh\ntouch {trap}\n")
        (control / "hooks" / name).chmod(0o755)
    row = actions.create(ada, url=str(hostile), name="Hostile")
    row = fetch(row.pk)
    assert row.problem == ""
    (pack,) = track(row, "", ["a.flow.json"], ada).packs
    set_files(pack, {"a.flow.json": PACK["a.flow.json"].replace(b"One", b"Eins")})
    made = propose([pack], Proposal(branch="signalbox/a", title="a", message="a"), ada)
    assert git(hostile, "-c", "core.fsmonitor=false", "rev-parse", "signalbox/a") == made["commit"]
    assert not trap.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("where", ["logs", "refs", "objects"])
def test_links_in_a_repository_are_not_followed_by_what_the_server_writes(
    code: Path, trap: Path, where: str
) -> None:
    control = code / "proj/.git"
    trap.write_text("as it was\n")
    if where == "logs":
        (control / "logs/refs/heads/kept").parent.mkdir(parents=True, exist_ok=True)
        (control / "logs/refs/heads/kept").symlink_to(trap)
    elif where == "refs":
        (control / "refs/heads/x").symlink_to(trap.parent)
    else:
        (control / "objects/pack").rmdir()
        (control / "objects/pack").symlink_to(trap.parent)
    branch = "x/kept" if where == "refs" else "kept"
    git(code / "proj", "commit", "--quiet", "--allow-empty", "-m", "Two")
    base = git(code / "proj", "rev-parse", "HEAD")
    with pytest.raises(RepositoryRefused, match="is a link"):
        kept_branches.keep_branch(control, branch, base, message="Again")
    assert trap.read_text() == "as it was\n"
    assert list(trap.parent.iterdir()) == [trap]


def test_objects_are_borrowed_from_allowed_folders_only(code: Path, settings: Any) -> None:
    (settings.DATA / "objects").mkdir()
    (code / "proj/.git/objects/info/alternates").write_text(f"{settings.DATA}/objects\n")
    with pytest.raises(CallerError, match="objects"):
        open_workspace(place_in(settings, "git", code / "proj"))
    with pytest.raises(RepositoryRefused, match="objects"):
        open_allowed(code / "proj")
