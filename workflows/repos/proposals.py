"""Proposals: a pack's changes as a commit on a branch of ours, pushed, with a pull request."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from django.contrib.auth.models import User

from workflows.actions import repositories as actions
from workflows.bindings.run_context import program_from_log
from workflows.core.compare.difference import difference
from workflows.core.compare.drawn_difference import as_svg
from workflows.core.engine.program import CannotRun
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.verify import verify
from workflows.errors import CallerError, Conflict, RepositoryRefused
from workflows.models import Change, Pack, Run, TrackedPack
from workflows.repos import exports
from workflows.repos.commits import Person, checked_message
from workflows.repos.fetches import compare, mirror_of
from workflows.repos.mirror import ORIGIN, locked, update_mirror
from workflows.repos.network_git import Progress, ignore
from workflows.repos.pulls import findings_change
from workflows.repos.remotes import remote_of
from workflows.repos.repository import Repository
from workflows.repos.requests import open_request
from workflows.repos.target_merges import merge_target
from workflows.selectors.rehearsals import rehearsed
from workflows.selectors.repositories import (
    base_files,
    change_json,
    open_change,
    repository_numbered,
    status_of,
    tracked_here,
)
from workflows.selectors.runs import log
from workflows.selectors.sources import Opened, opened, read
from workflows.selectors.sync_points import last_export

MAX_RUNS = 20
"""Recorded runs that a plan checks."""
REHEARSED_RUNS = 50


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


def propose_plan(
    pack: Pack, author: User, *, branch: str = "", check: bool = False
) -> dict[str, Any]:
    """Preview of a proposal: changes of text, drawing and findings; with `check` also coverage and
    recorded runs that would diverge. Commits nothing. Raises RepositoryRefused and NotThere."""
    row = tracked_here(pack)
    mirror = mirror_of(row.repository)
    name = branch or _branch_name(row, mirror)
    head, base = opened(pack), read(pack.pk, opened(pack).dialect, base_files(row))
    status = status_of(row)
    with locked(row.repository_id):
        before = _adopt(mirror, name)
        try:
            _merge_target(mirror, name, row, _committer(row, author))
            commit = exports.preview(pack, _request(row, mirror, name))
        finally:
            _reset(mirror, name, before)
    body = {
        "branch": name,
        "target": row.branch,
        "status": status,
        "needs_pull": status in ("changed", "both"),
        "commit": commit,
        "svg": _svg(base, head, pack.profile),
        "title": _title(pack),
        "message": _title(pack),
        "commands": _commands(row, name),
        **findings_change(pack, base, head),
        "coverage": None,
        "diverging_runs": None,
    }
    if check:
        body["coverage"] = {
            "before": _coverage(pack, base), "after": _coverage(pack, head),
        }  # fmt: skip
        body["diverging_runs"] = _diverging(pack, head)
    return body


def propose(
    pack: Pack, proposal: Proposal, author: User, progress: Progress = ignore
) -> dict[str, Any]:
    """Commit the pack on a branch of ours, push it, and open a pull request where the repository
    has a forge. Raises Conflict if the branch has to be pulled first, and RepositoryRefused."""
    checked_message(proposal.message)
    row = tracked_here(pack)
    repository = row.repository
    remote = remote_of(repository, progress)
    with locked(repository.pk) as lock:
        listing = update_mirror(repository.pk, remote, lock)
        actions.store_fetch(repository.pk, listing.branches, listing.default)
        repository = repository_numbered(repository.pk)
        compare(repository)
        row = tracked_here(pack)
        _check_status(row)
        mirror = mirror_of(repository)
        before = _adopt(mirror, proposal.branch)
        try:
            _merge_target(mirror, proposal.branch, row, _committer(row, author))
            made = exports.commit(
                pack, _request(row, mirror, proposal.branch), _commit(row, proposal, author)
            )
            remote.push(replace(mirror.git, kept_open=(lock,)), proposal.branch)
        except CallerError:
            _reset(mirror, proposal.branch, before)
            raise
        ref = ORIGIN + proposal.branch
        mirror.git.run("update-ref", ref, f"refs/heads/{proposal.branch}")
    change = actions.store_proposal(
        pack, pack.head, made["commit"], author,
        repository=repository, branch=proposal.branch, target=row.branch,
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
        "commands": _commands(row, proposal.branch),
    }


def request_for(change: Change) -> Change:
    """Open the pull request of a pushed change, or find it. A refusal is recorded at the change."""
    try:
        number, url = open_request(change.repository, change)
    except RepositoryRefused as refused:
        problem = f"{refused.message} {refused.hint}".strip()
        return actions.store_request(change, None, "", problem)
    return actions.store_request(change, number, url)


def _check_status(row: TrackedPack) -> None:
    match status_of(row):
        case "changed" | "both":
            raise Conflict(
                f"The branch {row.branch!r} has newer changes of this pack.",
                hint="Pull first, then propose.",
                where="branch",
            )
        case "in-step":
            raise RepositoryRefused(
                f"The pack is the same as on the branch {row.branch!r}.",
                hint="Change it first.",
                where="branch",
            )


def _branch_name(row: TrackedPack, mirror: Repository) -> str:
    """The branch of the pack's open change, or a free one."""
    change = open_change(row.pack)
    if change is not None and change.repository_id == row.repository_id:
        return change.branch
    words = re.sub(r"[^a-z0-9]+", "-", row.pack.name.lower()).strip("-")[:60] or "pack"
    taken = set(
        Change.objects.filter(repository=row.repository_id).values_list("branch", flat=True)
    )
    for number in range(1, 10_000):
        name = f"signalbox/{words}" if number == 1 else f"signalbox/{words}-{number}"
        if name not in taken and mirror.commit_named(ORIGIN + name) is None:
            return name
    return f"signalbox/{words}-new"


def _adopt(mirror: Repository, branch: str) -> str | None:
    """Bring our branch to the commits that others pushed to it. Returns its commit. Raises
    RepositoryRefused if it has commits that are not ours to build on."""
    ours = mirror.commit_named(f"refs/heads/{branch}")
    theirs = mirror.commit_named(ORIGIN + branch)
    if theirs is None or theirs == ours:
        return ours
    if ours is None and not Change.objects.filter(branch=branch).exists():
        raise RepositoryRefused(
            f"The repository has a branch {branch!r} already.",
            hint="Choose another name.",
            where="branch",
        )
    if ours is None or mirror.contains(theirs, ours):
        mirror.git.run("update-ref", f"refs/heads/{branch}", theirs)
        return theirs
    if mirror.contains(ours, theirs):
        return ours
    raise RepositoryRefused(
        f"The branch {branch!r} was rewritten in the repository.",
        hint="Choose another name.",
        where="branch",
    )


def _merge_target(mirror: Repository, branch: str, row: TrackedPack, committer: Person) -> None:
    """After a pull, our branch needs the commits that were pulled."""
    paths = {*base_files(row), *opened(row.pack).files}
    exported = last_export(row.pack_id, str(mirror.common), branch)
    merge_target(mirror, branch, row.base_commit, paths, exported, committer)


def _reset(mirror: Repository, branch: str, to: str | None) -> None:
    """Undo commits that were not pushed."""
    ref = f"refs/heads/{branch}"
    if to is None:
        mirror.git.attempt("update-ref", "-d", ref)
    else:
        mirror.git.attempt("update-ref", ref, to)


def _request(row: TrackedPack, mirror: Repository, branch: str) -> exports.ExportRequest:
    is_new = mirror.commit_named(f"refs/heads/{branch}") is None
    base = row.base_commit if is_new else ""
    return exports.ExportRequest(repository=mirror, branch=branch, folder="", base=base)


def _commit(row: TrackedPack, proposal: Proposal, user: User) -> exports.CommitRequest:
    return exports.CommitRequest(
        message=proposal.message,
        author=proposal.author or _person(user),
        committer=_committer(row, user),
        tree=proposal.tree,
    )


def _committer(row: TrackedPack, user: User) -> Person:
    """The committer of the repository, or the user who proposes."""
    repository = row.repository
    if not repository.committer_name:
        return _person(user)
    return Person(name=repository.committer_name, email=repository.committer_email)


def _person(user: User) -> Person:
    return Person(name=user.get_full_name() or user.get_username(), email=user.email)


def _title(pack: Pack) -> str:
    return f"Change {pack.name}"


def _svg(before: Opened, after: Opened, profile: str) -> str:
    if not (before.source.readable and after.source.readable):
        return ""
    found = difference(after.dialect, before.source, after.source, profile)
    return as_svg(before.under(profile).graph, after.under(profile).graph, found)


def _commands(row: TrackedPack, branch: str) -> list[str]:
    """Commands for a clone of one's own that bring the proposal there and merge it."""
    quoted, target = shlex.quote(branch), shlex.quote(row.branch)
    return [
        f"git fetch origin {quoted}",
        f"git switch {target}",
        f"git merge --no-ff FETCH_HEAD -m {shlex.quote(f'Merge {branch}')}",
        f"git push origin {target}",
    ]


def _coverage(pack: Pack, version: Opened) -> dict[str, Any]:
    try:
        made = rehearsed(pack, runs=REHEARSED_RUNS, seed=1, of=version.under(pack.profile))
    except (CannotRun, CallerError) as cannot:
        return {"taken": 0, "of": 0, "problem": str(cannot)}
    total = len(made.transitions)
    return {"taken": total - len(made.unreached), "of": total, "problem": ""}


def _diverging(pack: Pack, head: Opened) -> list[dict[str, Any]]:
    """The newest finished runs that would take another path with the pack as it is now."""
    try:
        program = head.dialect.program(head.source, pack.profile)
    except CannotRun:
        return []
    runs = Run.objects.filter(pack=pack, status="completed").order_by("-created_at")[:MAX_RUNS]
    found = []
    for run in runs:
        events = log(run)
        try:
            verdict = verify(program_from_log(program, events[0].fields), events)
        except InvalidRecording:
            continue
        if verdict.divergence:
            found.append(
                {
                    "run": str(run.pk),
                    "n": verdict.divergence.n,
                    "message": verdict.divergence.message,
                }
            )
    return found
