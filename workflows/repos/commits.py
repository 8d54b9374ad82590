"""Commits of a pack's files on a new branch of a local repository.

Adds objects and one ref; work tree, index, HEAD and every other branch stay unchanged.
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
    """Repository, branch and author of a commit. `folder` prefixes every path ("" keeps them)."""

    repository: Path
    branch: str
    message: str
    author_name: str
    author_email: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult:
    """`unchanged`: the newest commit has these bytes already, so nothing was written."""

    commit: str
    branch: str
    paths: tuple[str, ...]
    unchanged: bool


def commit_files(request: CommitRequest, files: Files) -> CommitResult:
    """Write the commit. Raises RepositoryRefused with a sentence, and BadFiles for unsafe paths."""
    if not request.message.strip():
        raise RepositoryRefused("A commit needs a message.", where="message")
    prefix = f"{clean_path(request.folder.strip('/'))}/" if request.folder.strip("/") else ""
    placed = Files.of({f"{prefix}{path}": data for path, data in files.items()})
    with _repository(request.repository) as repo:
        ref = _new_branch(repo, request.branch)
        parent: ObjectID | None = repo.refs.as_dict().get(Ref(b"HEAD"))
        before = _tree_of(repo, parent)
        tree = tree_with(repo.object_store, before, placed)
        paths = tuple(placed)
        if tree == before and parent:
            return CommitResult(
                commit=parent.decode(), branch=request.branch, paths=paths, unchanged=True
            )
        commit = _git_commit(request, tree, parent)
        repo.object_store.add_object(commit)
        if not repo.refs.add_if_new(ref, commit.id):
            raise _branch_taken_error(repo, request.branch)
        return CommitResult(
            commit=commit.id.decode(), branch=request.branch, paths=paths, unchanged=False
        )


def allowed_roots() -> Sequence[Path]:
    """Folders below which the operator allows writes."""
    return [Path(folder).resolve() for folder in settings.SIGNALBOX_REPOSITORIES]


def _repository(path: Path) -> Repo:
    roots = allowed_roots()
    if not roots:
        raise RepositoryRefused(
            "This server may not write to repositories.",
            hint="Its operator can allow folders in SIGNALBOX_REPOSITORIES.",
            where="repository",
        )
    hint = f"Allowed folders: {', '.join(map(str, roots))}."
    real = path.resolve() if path.is_absolute() and "\0" not in str(path) else None
    if real is None or not any(real.is_relative_to(root) for root in roots):
        raise RepositoryRefused(
            "The server may not write to this folder.", hint=hint, where="repository"
        )
    try:
        repo = Repo(str(real))
    except (NotGitRepository, OSError, ValueError):
        raise RepositoryRefused(
            f"There is no git repository in {path}.",
            hint="Enter the folder that contains `.git`.",
            where="repository",
        ) from None
    control = Path(repo.controldir()).resolve()
    if not any(control.is_relative_to(root) for root in roots):
        repo.close()
        raise RepositoryRefused(
            "The repository of this folder is in a folder that the server may not write to.",
            hint=hint,
            where="repository",
        )
    return repo


def _new_branch(repo: Repo, branch: str) -> Ref:
    """The ref of a branch that does not exist yet. Raises RepositoryRefused."""
    ref = Ref(b"refs/heads/" + branch.encode())
    if branch.startswith("-") or branch == "HEAD" or not check_ref_format(ref):
        raise RepositoryRefused(f"{branch!r} is not a valid branch name.", where="branch")
    if _is_taken(repo, branch):
        raise _branch_taken_error(repo, branch)
    return ref


def _is_taken(repo: Repo, branch: str) -> bool:
    """Return True if the branch exists, is checked out, or conflicts with a branch that is its
    folder."""
    wanted = b"refs/heads/" + branch.encode()
    existing = set(repo.refs.allkeys()) | {repo.refs.follow(Ref(b"HEAD"))[0][-1]}
    return any(
        ref == wanted or ref.startswith(wanted + b"/") or wanted.startswith(ref + b"/")
        for ref in existing
    )


def _branch_taken_error(repo: Repo, branch: str) -> RepositoryRefused:
    base = branch.replace("/", "-") if _has_parent_branch(repo, branch) else branch
    free = next(
        name for number in range(2, 10_000) if not _is_taken(repo, name := f"{base}-{number}")
    )
    return RepositoryRefused(
        f"The branch {branch!r} exists already; existing branches are never moved.",
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
    newest = repo[commit]
    assert isinstance(newest, GitCommit)
    tree: ObjectID = newest.tree
    return tree


def _git_commit(request: CommitRequest, tree: ObjectID, parent: ObjectID | None) -> GitCommit:
    commit = GitCommit()
    commit.tree = tree
    commit.parents = [parent] if parent else []
    commit.author = commit.committer = _identity(request)
    commit.author_time = commit.commit_time = int(time.time())
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    commit.message = request.message.strip().encode() + b"\n"
    return commit


def _identity(request: CommitRequest) -> bytes:
    """`Name <email>`, without characters that would end either part early."""

    def plain(text: str) -> str:
        return "".join(char for char in text if char not in "<>\n\r\0").strip()

    name = plain(request.author_name) or "signalbox"
    email = plain(request.author_email) or f"{name.replace(' ', '.')}@localhost"
    return f"{name} <{email}>".encode()
