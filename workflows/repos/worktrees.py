"""Work trees of a run: linked to a local repository, made for the run, and removed after it.

HEAD is detached, so that no branch is checked out a second time. The changes of the run become
one commit on its base, held by a ref outside `refs/heads` until a user keeps it as a branch. The
user's work tree, index, HEAD and branches stay as they are.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.work_tree_git import Git, GitFailed, command_environment

PREFIX = "signalbox-"
"""Start of the name of every work tree that is made here."""
KEPT_REFS = "refs/signalbox/runs/"
MAX_DIFF = 200_000
"""Characters of a diff."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worktree:
    """A work tree at `folder` of the repository whose `.git` folder is `repository`. `base` is the
    commit it began at, `name` that of the run."""

    repository: Path
    folder: Path
    base: str
    name: str

    @property
    def git_dir(self) -> Path:
        return self.repository / "worktrees" / self.folder.name

    @property
    def git(self) -> Git:
        return Git(git_dir=self.git_dir, work_tree=self.folder)

    @property
    def is_whole(self) -> bool:
        return self.folder.is_dir() and (self.git_dir / "HEAD").is_file()

    def written_by_git(self) -> tuple[Path, ...]:
        """The folders of the repository that a command's own commits write. Its configuration, its
        hooks and the other work trees are not among them."""
        common = (self.repository / name for name in ("objects", "refs", "logs", "reftable"))
        return (*common, self.git_dir)

    def read_by_git(self) -> tuple[Path, ...]:
        """The repository, and the repositories that it borrows objects from."""
        return (self.repository, *_borrowed(self.repository / "objects"))

    def environment(self) -> dict[str, str]:
        """Variables for the commands of a pack that run in it."""
        return command_environment(self.git)


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """The author of a commit."""

    name: str = "Signalbox"
    email: str = "signalbox@localhost"

    def environment(self) -> dict[str, str]:
        return {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", _plain(self.name)), ("EMAIL", _plain(self.email)))
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The changes of a run: one commit on the base, "" if nothing changed. `left_out`: folders that
    are repositories of their own, which a commit cannot contain."""

    base: str
    commit: str = ""
    ref: str = ""
    files: tuple[str, ...] = ()
    diff: str = ""
    left_out: tuple[str, ...] = ()


def resolve(control: Path, ref: str) -> str:
    """The commit of a ref, as it is meant in the work tree of this git folder. Raises
    RepositoryRefused."""
    wanted = ref.strip() or "HEAD"
    try:
        if wanted.startswith("-") or "\0" in wanted:
            raise GitFailed("not a name")
        git = Git(git_dir=control)
        return git.text("rev-parse", "--verify", "--quiet", f"{wanted}^{{commit}}")
    except GitFailed:
        raise RepositoryRefused(
            f"The repository has no commit {wanted[:100]!r}.",
            hint="Name a branch, a tag or a commit.",
            where="workspace",
        ) from None


def add(tree: Worktree) -> None:
    """Make the work tree. Remains of an earlier attempt, and of work trees whose folder is gone,
    are removed first. Raises RepositoryRefused."""
    remove(tree)
    prune(tree.repository)
    tree.folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        Git(git_dir=tree.repository).run(
            "worktree", "add", "--quiet", "--force", "--detach", str(tree.folder), tree.base
        )
    except GitFailed as failed:
        remove(tree)
        raise RepositoryRefused(
            f"The work tree cannot be made: {failed}.", where="workspace"
        ) from None


def restore(tree: Worktree, commit: str) -> None:
    """Give a fresh work tree the content of a commit, as changes to its base that are not yet
    staged. Raises GitFailed."""
    tree.git.run("read-tree", "--reset", "-u", commit)
    tree.git.run("reset", "--quiet", "--mixed", tree.base)


def saved_commit(repository: Path, name: str) -> str:
    """The commit that holds a run's changes; "" for none."""
    try:
        return Git(git_dir=repository).text(
            "rev-parse", "--verify", "--quiet", f"{KEPT_REFS}{name}"
        )
    except GitFailed:
        return ""


def save(tree: Worktree, *, message: str, author: Author | None = None) -> Changes:
    """Write everything that differs from the base as one commit, and hold it by a ref. Files that
    the repository ignores are left out. Raises GitFailed."""
    index = tree.git_dir / "signalbox-index"
    index.unlink(missing_ok=True)
    git = Git(
        git_dir=tree.git_dir,
        work_tree=tree.folder,
        environment={"GIT_INDEX_FILE": str(index), **(author or Author()).environment()},
    )
    try:
        git.run("read-tree", "HEAD")
        left_out = _repositories_inside(tree.folder)
        git.run("add", "--all", "--", ".", *(f":(exclude,literal){path}" for path in left_out))
        content = git.text("write-tree")
    finally:
        index.unlink(missing_ok=True)
    if content == git.text("rev-parse", f"{tree.base}^{{tree}}"):
        return Changes(base=tree.base, left_out=left_out)
    commit = git.run(
        "commit-tree", content, "-p", tree.base, "-F", "-", stdin=_message(git, tree, message)
    )
    made = commit.decode().strip()
    ref = f"{KEPT_REFS}{tree.name}"
    git.run("update-ref", "--no-deref", ref, made)
    found = changes(tree.repository, base=tree.base, commit=made)
    return replace(found, ref=ref, left_out=left_out)


def changes(repository: Path, *, base: str, commit: str) -> Changes:
    """The files and the diff between two commits. Raises GitFailed."""
    git = Git(git_dir=repository)
    plain = ("-r", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
    names = git.run("diff-tree", *plain, "-z", "--name-only", base, commit)
    diff = git.run("diff-tree", *plain, "-p", "-M", "--no-color", base, commit)
    text = diff.decode("utf-8", "replace")
    if len(text) > MAX_DIFF:
        text = f"{text[:MAX_DIFF]}\n… the diff is longer than this\n"
    files = tuple(name.decode("utf-8", "replace") for name in names.split(b"\0") if name)
    return Changes(base=base, commit=commit, files=files, diff=text)


def check_branch(repository: Path, branch: str) -> None:
    """Raise RepositoryRefused if no branch of this name can be made."""
    git = Git(git_dir=repository)
    try:
        if branch.startswith("-") or branch == "HEAD":
            raise GitFailed("not a name")
        git.run("check-ref-format", f"refs/heads/{branch}")
    except (GitFailed, ValueError):
        raise RepositoryRefused(f"{branch!r} is not a valid branch name.", where="branch") from None
    if _exists(git, f"refs/heads/{branch}"):
        raise _taken(git, branch)


def keep_branch(
    repository: Path, branch: str, commit: str, *, message: str = "", author: Author | None = None
) -> str:
    """Make a branch at a run's commit, with another message if one is given. Returns the commit of
    the branch. Raises RepositoryRefused."""
    check_branch(repository, branch)
    git = Git(git_dir=repository, environment=(author or Author()).environment())
    try:
        if message.strip():
            commit = git.run(
                "commit-tree", f"{commit}^{{tree}}", "-p", f"{commit}^", "-F", "-",
                stdin=f"{message.strip()}\n".encode(),
            ).decode().strip()  # fmt: skip
        missing = "0" * len(commit)
        git.run("update-ref", "--no-deref", f"refs/heads/{branch}", commit, missing)
    except GitFailed as failed:
        raise RepositoryRefused(
            f"The branch {branch!r} cannot be made: {failed}.", where="branch"
        ) from None
    return commit


def remove(tree: Worktree) -> None:
    """Remove the work tree: its folder, and its entry in the repository. Idempotent."""
    remove_folder(tree.folder)
    remove_folder(tree.git_dir)
    with suppress(OSError):
        tree.git_dir.parent.rmdir()


def forget(repository: Path, ref: str) -> None:
    """Delete the ref that holds a run's commit. Branches keep theirs."""
    if ref.startswith(KEPT_REFS):
        with suppress(GitFailed):
            Git(git_dir=repository).run("update-ref", "--no-deref", "-d", ref)


def prune(repository: Path) -> None:
    """Remove the entries of work trees made here whose folder is gone. Entries of the user's own
    work trees stay, also if their folder is missing: it may be on another disk."""
    entries = repository / "worktrees"
    for entry in entries.glob(f"{PREFIX}*") if entries.is_dir() else ():
        try:
            place = Path((entry / "gitdir").read_text().strip())
        except OSError:
            continue
        if place.parent.name == entry.name and not place.exists():
            remove_folder(entry)


def _borrowed(objects: Path) -> tuple[Path, ...]:
    """Folders of objects that `git clone --shared` and `--reference` refer to."""
    try:
        lines = (objects / "info" / "alternates").read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return ()
    return tuple(objects / line for line in lines if line and not line.startswith("#"))


def _message(git: Git, tree: Worktree, message: str) -> bytes:
    """The message, followed by the subjects of the commits that the run made itself."""
    try:
        own = git.text("log", "--reverse", "--format=%s", f"{tree.base}..HEAD")
    except GitFailed:
        own = ""
    subjects = "\n".join(f"- {line}" for line in own.splitlines()[:50])
    parts = [message.strip() or "Work of a run", subjects]
    return ("\n\n".join(part for part in parts if part) + "\n").encode()


def _repositories_inside(top: Path) -> tuple[str, ...]:
    found = []
    for place, folders, files in os.walk(top):
        inside = Path(place).relative_to(top).as_posix()
        if inside != "." and ".git" in (*folders, *files):
            found.append(inside)
            folders.clear()
        elif ".git" in folders:
            folders.remove(".git")
    return tuple(sorted(found))


def _exists(git: Git, ref: str) -> bool:
    try:
        git.run("rev-parse", "--verify", "--quiet", ref)
    except GitFailed:
        return False
    return True


def _taken(git: Git, branch: str) -> RepositoryRefused:
    free = next(
        name
        for number in range(2, 10_000)
        if not _exists(git, f"refs/heads/{(name := f'{branch}-{number}')}")
    )
    return RepositoryRefused(
        f"The branch {branch!r} exists already; existing branches are never moved.",
        hint=f"{free!r} is free.",
        where="branch",
        free=free,
    )


def _plain(text: str) -> str:
    return "".join(char for char in text if char not in "<>\n\r\0").strip() or "Signalbox"


def remove_folder(folder: Path) -> None:
    """Delete a folder, a file or a link. A missing one is no error."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.is_dir():
        for place, folders, _ in os.walk(folder):
            for name in folders:
                _make_writable(Path(place, name))
        shutil.rmtree(folder)


def _make_writable(folder: Path) -> None:
    """A command may have left folders without write permission."""
    if not folder.is_symlink() and folder.stat().st_mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(OSError):
            folder.chmod(stat.S_IRWXU)
