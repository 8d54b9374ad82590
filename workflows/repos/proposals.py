"""Proposals: changes of packs as a commit on a branch of ours, pushed, with a pull request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from django.contrib.auth.models import User

from workflows.actions import repositories as actions
from workflows.errors import CallerError, Conflict, RepositoryRefused
from workflows.models import Change, Pack, TrackedPack
from workflows.repos import exports
from workflows.repos.commits import Person, checked_message
from workflows.repos.fetches import compare, mirror_of, stored
from workflows.repos.mirror import ORIGIN, locked, update_mirror
from workflows.repos.network_git import Progress, ignore
from workflows.repos.proposal_branches import (
    adopt,
    commands,
    committer_of,
    person_of,
    prepare_export,
    reset,
)
from workflows.repos.remotes import remote_of
from workflows.repos.requests import open_request
from workflows.selectors.repositories import (
    change_json,
    needs_pull,
    status_of,
    tracked_together,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A commit and its pull request. `tree`: the result of the plan; "": any. `author`: None for
    the user who proposes."""

    branch: str
    title: str
    message: str
    description: str = ""
    tree: str = ""
    author: Person | None = None
    pull_request: bool = True

    def to_json(self) -> dict[str, Any]:
        """The parameters of a task."""
        return asdict(self)

    @classmethod
    def from_json(cls, params: Mapping[str, Any]) -> Proposal:
        """The proposal that `to_json` wrote; other keys are left out."""
        author = params["author"]
        return cls(
            **{
                **{one.name: params[one.name] for one in fields(cls)},
                "author": Person(**author) if author else None,
            }
        )


def propose(
    packs: Sequence[Pack], proposal: Proposal, author: User, progress: Progress = ignore
) -> dict[str, Any]:
    """Commit packs of one branch together on a branch of ours, push it, and open a pull request
    where the repository has a forge. Raises Conflict if the branch has to be pulled first,
    RepositoryRefused and NotThere."""
    checked_message(proposal.message)
    repository = tracked_together(packs)[0].repository
    remote = remote_of(repository, progress)
    with locked(repository.pk) as lock:
        listing = update_mirror(repository.pk, remote, lock)
        repository = stored(repository, listing)
        compare(repository)
        rows = tracked_together(packs)
        for row in rows:
            _check_status(row)
        mirror = mirror_of(repository)
        before = adopt(mirror, repository, proposal.branch)
        try:
            request = prepare_export(mirror, proposal.branch, rows, committer_of(rows[0], author))
            made = exports.commit(rows[0].pack, request, _commit(rows[0], proposal, author))
            remote.push(replace(mirror.git, kept_open=(lock,)), proposal.branch)
        except CallerError:
            reset(mirror, proposal.branch, before)
            raise
        ref = ORIGIN + proposal.branch
        mirror.git.run("update-ref", ref, f"refs/heads/{proposal.branch}")
    change = actions.store_proposal(
        {row.pack: row.pack.head for row in rows}, made["commit"], author,
        repository=repository, branch=proposal.branch, target=rows[0].branch,
        title=proposal.title.strip() or proposal.message.splitlines()[0],
        description=proposal.description,
    )  # fmt: skip
    if proposal.pull_request and repository.forge:
        change = request_for(change)
    return {
        "change": change_json(change),
        "commit": made["commit"],
        "pushed": True,
        "problem": change.problem,
        "commands": commands(rows[0], proposal.branch),
    }


def request_for(change: Change) -> Change:
    """Open the pull request of a pushed change, or find it. A refusal is recorded at the change."""
    try:
        number, url = open_request(change.repository, change)
    except RepositoryRefused as refused:
        problem = refused.sentence
        return actions.store_request(change, None, "", problem)
    return actions.store_request(change, number, url)


def _check_status(row: TrackedPack) -> None:
    if needs_pull(row):
        raise Conflict(
            f"The branch {row.branch!r} has newer changes of {row.pack.name}.",
            hint="Pull first, then propose.",
            where="branch",
        )
    if status_of(row) == "in-step":
        raise RepositoryRefused(
            f"{row.pack.name} is the same as on the branch {row.branch!r}.",
            hint="Change it first.",
            where="branch",
        )


def _commit(row: TrackedPack, proposal: Proposal, user: User) -> exports.CommitRequest:
    return exports.CommitRequest(
        message=proposal.message,
        author=proposal.author or person_of(user),
        committer=committer_of(row, user),
        tree=proposal.tree,
    )
