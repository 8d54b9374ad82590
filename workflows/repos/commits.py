"""A pack's files as one commit on a new branch of a local working copy.

Objects and one ref are added; work tree, index, HEAD and every other branch stay as they are.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from dulwich.errors import NotGitRepository
from dulwich.objects import Commit as GitCommit
from dulwich.objects import ObjectID
from dulwich.refs import Ref, check_ref_format
from dulwich.repo import Repo

from workflows.core.pack.files import Files, clean_path
from workflows.errors import RepositoryRefused
from workflows.repos.trees import tree_with


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRequest:
    """What to write where. `folder` is put before every path ("" keeps them as they are)."""

    repository: Path
    branch: str
    message: str
    author_name: str
    author_email: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult:
    """`unchanged`: the newest commit holds these bytes already, so nothing was written."""

    commit: str
    branch: str
    paths: tuple[str, ...]
    unchanged: bool


def commit_files(asked: CommitRequest, files: Files) -> CommitResult:
    """Write the commit. Raises RepositoryRefused with a sentence, and BadFiles for unsafe paths."""
    if not asked.message.strip():
        raise RepositoryRefused("A commit needs a message.", where="message")
    prefix = f"{clean_path(asked.folder.strip('/'))}/" if asked.folder.strip("/") else ""
    placed = Files.of({f"{prefix}{path}": data for path, data in files.items()})
    with _repository(asked.repository) as repo:
        ref = _new_branch(repo, asked.branch)
        parent: ObjectID | None = repo.refs.as_dict().get(Ref(b"HEAD"))
        before = _tree_of(repo, parent)
        tree = tree_with(repo.object_store, before, placed)
        paths = tuple(placed)
        if tree == before and parent:
            return CommitResult(
                commit=parent.decode(), branch=asked.branch, paths=paths, unchanged=True
            )
        made = _git_commit(asked, tree, parent)
        repo.object_store.add_object(made)
        if not repo.refs.add_if_new(ref, made.id):
            raise _branch_taken_error(repo, asked.branch)
        return CommitResult(
            commit=made.id.decode(), branch=asked.branch, paths=paths, unchanged=False
        )


def allowed_roots() -> Sequence[Path]:
    """Folders below which the operator lets us write."""
    return [Path(folder).resolve() for folder in settings.SIGNALBOX_REPOSITORIES]


def _repository(path: Path) -> Repo:
    roots = allowed_roots()
    if not roots:
        raise RepositoryRefused(
            "This server writes to no repositories.",
            hint="Its operator can allow folders in SIGNALBOX_REPOSITORIES.",
            where="repository",
        )
    hint = f"Repositories may lie below {', '.join(map(str, roots))}."
    real = path.resolve() if path.is_absolute() and "\0" not in str(path) else None
    if real is None or not any(real.is_relative_to(root) for root in roots):
        raise RepositoryRefused(
            "This folder is not one the server may write to.", hint=hint, where="repository"
        )
    try:
        repo = Repo(str(real))
    except (NotGitRepository, OSError, ValueError):
        raise RepositoryRefused(
            f"There is no git repository in {path}.",
            hint="Give the folder that holds `.git`.",
            where="repository",
        ) from None
    control = Path(repo.controldir()).resolve()
    if not any(control.is_relative_to(root) for root in roots):
        repo.close()
        raise RepositoryRefused(
            "The repository behind this folder lies where the server may not write.",
            hint=hint,
            where="repository",
        )
    return repo


def _new_branch(repo: Repo, branch: str) -> Ref:
    """The ref of a branch that is not there yet. Raises RepositoryRefused."""
    ref = Ref(b"refs/heads/" + branch.encode())
    if branch.startswith("-") or branch == "HEAD" or not check_ref_format(ref):
        raise RepositoryRefused(f"{branch!r} is not a branch name git accepts.", where="branch")
    if _is_taken(repo, branch):
        raise _branch_taken_error(repo, branch)
    return ref


def _is_taken(repo: Repo, branch: str) -> bool:
    """Whether a branch has this name, is checked out under it, or stands in the way of it."""
    wanted = b"refs/heads/" + branch.encode()
    known = set(repo.refs.allkeys()) | {repo.refs.follow(Ref(b"HEAD"))[0][-1]}
    return any(
        ref == wanted or ref.startswith(wanted + b"/") or wanted.startswith(ref + b"/")
        for ref in known
    )


def _branch_taken_error(repo: Repo, branch: str) -> RepositoryRefused:
    base = branch.replace("/", "-") if _has_parent_branch(repo, branch) else branch
    free = next(
        name for number in range(2, 10_000) if not _is_taken(repo, name := f"{base}-{number}")
    )
    return RepositoryRefused(
        f"There is a branch {branch!r} already; existing branches are never moved.",
        hint=f"{free!r} is free.",
        where="branch",
        free=free,
    )


def _has_parent_branch(repo: Repo, branch: str) -> bool:
    wanted = b"refs/heads/" + branch.encode()
    return any(wanted.startswith(ref + b"/") for ref in repo.refs.allkeys())


def _tree_of(repo: Repo, commit: ObjectID | None) -> ObjectID | None:
    if commit is None:
        return None
    found = repo[commit]
    assert isinstance(found, GitCommit)
    tree: ObjectID = found.tree
    return tree


def _git_commit(asked: CommitRequest, tree: ObjectID, parent: ObjectID | None) -> GitCommit:
    made = GitCommit()
    made.tree = tree
    made.parents = [parent] if parent else []
    made.author = made.committer = _identity(asked)
    made.author_time = made.commit_time = int(time.time())
    made.author_timezone = made.commit_timezone = 0
    made.encoding = b"UTF-8"
    made.message = asked.message.strip().encode() + b"\n"
    return made


def _identity(asked: CommitRequest) -> bytes:
    """`Name <email>`, without the characters that would end either early."""

    def plain(text: str) -> str:
        return "".join(char for char in text if char not in "<>\n\r\0").strip()

    name = plain(asked.author_name) or "signalbox"
    email = plain(asked.author_email) or f"{name.replace(' ', '.')}@localhost"
    return f"{name} <{email}>".encode()
