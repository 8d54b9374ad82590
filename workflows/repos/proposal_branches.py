"""The branch of a proposal in the mirror: its name, what it is based on, and the commits of
others."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from django.contrib.auth.models import User

from workflows.core.pack.relocation import file_name_of
from workflows.errors import RepositoryRefused
from workflows.models import Change, TrackedPack
from workflows.models import Repository as Row
from workflows.repos import exports
from workflows.repos.commits import Person
from workflows.repos.mirror import ORIGIN
from workflows.repos.repository import Repository
from workflows.repos.target_merges import Proposed, merge_target
from workflows.selectors.repositories import base_files, open_change
from workflows.selectors.sources import opened
from workflows.selectors.sync_points import last_export


def branch_name(row: TrackedPack, mirror: Repository) -> str:
    """The branch of the pack's open change, or a free one."""
    change = open_change(row.pack)
    if change is not None and change.repository_id == row.repository_id:
        return change.branch
    words = file_name_of(row.pack.name)
    taken = set(
        Change.objects.filter(repository=row.repository_id).values_list("branch", flat=True)
    )
    for number in range(1, 10_000):
        name = f"signalbox/{words}" if number == 1 else f"signalbox/{words}-{number}"
        if name not in taken and mirror.commit_named(ORIGIN + name) is None:
            return name
    return f"signalbox/{words}-new"


def adopt(mirror: Repository, repository: Row, branch: str) -> str | None:
    """Bring our branch to the commits that others pushed to it, also instead of ours. Returns its
    commit. Raises RepositoryRefused for a branch that is not ours."""
    ours = mirror.commit_named(f"refs/heads/{branch}")
    theirs = mirror.commit_named(ORIGIN + branch)
    if theirs is None or theirs == ours or (ours and mirror.contains(ours, theirs)):
        return ours
    if not Change.objects.filter(repository=repository, branch=branch).exists():
        raise RepositoryRefused(
            f"The repository has a branch {branch!r} already.",
            hint="Choose another name.",
            where="branch",
        )
    mirror.git.run("update-ref", f"refs/heads/{branch}", theirs)
    return theirs


def reset(mirror: Repository, branch: str, to: str | None) -> None:
    """Undo commits that were not pushed."""
    ref = f"refs/heads/{branch}"
    if to is None:
        mirror.git.attempt("update-ref", "-d", ref)
    else:
        mirror.git.attempt("update-ref", ref, to)


def prepare_export(
    mirror: Repository, branch: str, rows: Sequence[TrackedPack], committer: Person
) -> exports.ExportRequest:
    """The export of packs of one branch. After a pull, our branch gets the commits that were
    pulled. Raises RepositoryRefused and Conflict."""
    base = _base(mirror, rows, [row.base_commit for row in rows])
    packs = [
        Proposed(
            paths={*base_files(row), *opened(row.pack).files},
            exported=last_export(row.pack_id, str(mirror.common), branch),
        )
        for row in rows
    ]
    merge_target(mirror, branch, base, packs, committer)
    tip = mirror.commit_named(f"refs/heads/{branch}")
    rewritten = any(_is_replaced(mirror, tip, one.exported) for one in packs)
    if rewritten:
        exported = [one.exported or row.base_commit for one, row in zip(packs, rows, strict=True)]
        base = _base(mirror, rows, exported)
    return exports.ExportRequest(
        repository=mirror,
        branch=branch,
        folder="",
        base=base if tip is None or rewritten else "",
        others=[row.pack for row in rows[1:]],
        rewritten=rewritten,
    )


def _is_replaced(mirror: Repository, tip: str | None, exported: str | None) -> bool:
    """True if others replaced a commit of ours on the branch, as a squash or a rebase does."""
    return (
        tip is not None
        and exported is not None
        and mirror.has_commit(exported)
        and not mirror.contains(tip, exported)
    )


def _base(mirror: Repository, rows: Sequence[TrackedPack], commits: Sequence[str]) -> str:
    """The newest of the commits, one for each pack. It must have the same files of the others."""
    newest = mirror.newest(commits)
    if newest is None or not all(
        mirror.same_files(commit, newest, base_files(row))
        for row, commit in zip(rows, commits, strict=True)
    ):
        raise RepositoryRefused(
            "These packs are based on different commits of the branch.",
            hint="Pull each of them, or propose them one after the other.",
            where="others",
        )
    return newest


def committer_of(row: TrackedPack, user: User) -> Person:
    """The committer of the repository, or the user who proposes."""
    repository = row.repository
    if not repository.committer_name:
        return person_of(user)
    return Person(name=repository.committer_name, email=repository.committer_email)


def person_of(user: User) -> Person:
    """A user as an author."""
    return Person(name=user.get_full_name() or user.get_username(), email=user.email)


def commands(row: TrackedPack, branch: str) -> list[str]:
    """Commands for a clone of one's own that bring the proposal there and merge it."""
    quoted, target = shlex.quote(branch), shlex.quote(row.branch)
    return [
        f"git fetch origin {quoted}",
        f"git switch {target}",
        f"git merge --no-ff FETCH_HEAD -m {shlex.quote(f'Merge {branch}')}",
        f"git push origin {target}",
    ]
