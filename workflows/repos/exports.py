"""Exports of packs to git: a preview, or a commit on a branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.db import transaction

from roles.core.file_diffs import unified
from workflows.actions.file_merge import Place
from workflows.actions.sync_points import Location, record
from workflows.core.pack.files import Files, clean_path
from workflows.errors import Conflict, NotThere, RepositoryRefused
from workflows.models import Pack, SyncPoint
from workflows.opened_packs.view import Opened
from workflows.repos.branches import target_branch
from workflows.repos.checkouts import Checkout
from workflows.repos.commits import Person, checked_message, make_commits, move_branch
from workflows.repos.export_plan import PackSide, Plan, plan_export
from workflows.repos.git import GitFailed
from workflows.repos.joint_exports import joined
from workflows.repos.repository import Repository
from workflows.repos.scratch import Entry, Scratch, scratch
from workflows.selectors.revision_files import files_at, paths_ever
from workflows.selectors.sources import opened
from workflows.selectors.sync_points import known_commits, last_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """Destination of an export.

    `folder`: the pack's folder in the repository, None: where it was before. `base`: a commit that
    the pack is based on, "": the recorded one. `revision`: None: the newest. `others`: packs that
    are committed together with it, at their newest revision. `rewritten`: others replaced the
    branch's commits, so it need not contain `base`. `checkout`: commit in this work tree, on top of
    its HEAD.
    """

    repository: Repository
    branch: str
    folder: str | None = None
    base: str = ""
    revision: int | None = None
    others: Sequence[Pack] = ()
    rewritten: bool = False
    checkout: Checkout | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRequest:
    """Message and people of a commit. `tree`: the result of the preview; "": any."""

    message: str
    author: Person
    committer: Person
    tree: str = ""


def preview(pack: Pack, request: ExportRequest) -> dict[str, Any]:
    """The commit that an export would make, with a text difference of each file. Writes nothing.

    Raises RepositoryRefused, NotThere and BadFiles.
    """
    repository = request.repository
    folder, number = _folder(pack, repository, request), _number(pack, request)
    with scratch(repository) as area:
        plan = _plan(pack, repository, area, request, folder)
        return {
            **_described(plan, folder, number),
            "files": [] if plan.conflicts else _file_changes(area, plan),
            "conflicts": [place.to_json() for place in plan.conflicts],
            "findings": list(plan.findings),
        }


def commit(pack: Pack, request: ExportRequest, how: CommitRequest) -> dict[str, Any]:
    """Commit a revision to a branch and record the commit.

    Raises Conflict if pack and branch changed the same place, RepositoryRefused, NotThere and
    BadFiles.
    """
    message = checked_message(how.message)
    repository = request.repository
    folder, number = _folder(pack, repository, request), _number(pack, request)
    with scratch(repository) as area:
        plan = _plan(pack, repository, area, request, folder)
        if plan.conflicts:
            raise _conflict(plan)
        if how.tree and how.tree != plan.tree:
            raise RepositoryRefused(
                "The branch or the pack has changed since the preview.",
                hint="Look at the preview again, then commit.",
                where="tree",
            )
        body = _described(plan, folder, number)
        prefix = f"{folder}/" if folder else ""
        versions = _versions(pack, request)
        committed = [(one, at, opened(one, at).files) for one, at in versions]
        paths = [prefix + path for _, _, files in committed for path in files]
        changes = [_change(plan, path, entry) for path, entry in plan.entries.items()]
        if plan.unchanged:
            if request.checkout and not plan.branch.tip:
                request.checkout.move(area, plan, plan.unchanged, "")
            return {**body, "commit": plan.unchanged, "paths": paths, "files": changes}
        made = make_commits(area, plan, message, author=how.author, committer=how.committer)
        area.keep()
        at = Location(
            repository=repository.source,
            folder=folder,
            commit=made.own,
            branch=plan.branch.name,
        )
        with transaction.atomic():
            for one, revision, files in committed:
                record(one, SyncPoint.Kind.EXPORT, at, revision=revision, files=files)
            if request.checkout:
                request.checkout.move(area, plan, made.tip, message.partition("\n")[0])
            else:
                move_branch(repository, plan, made.tip)
        return {
            **body,
            "commit": made.tip,
            "branch": plan.branch.name,
            "paths": paths,
            "files": changes,
        }


def _folder(pack: Pack, repository: Repository, request: ExportRequest) -> str:
    if request.folder is None:
        return last_folder(pack, repository.source)
    plain = request.folder.strip("/")
    return clean_path(plain) if plain else ""


def _number(pack: Pack, request: ExportRequest) -> int:
    number = pack.head if request.revision is None else request.revision
    if not 1 <= number <= pack.head:
        raise NotThere(
            f"There is no revision {number} of this pack; the newest is {pack.head}.",
            where="revision",
        )
    return number


def _plan(
    pack: Pack, repository: Repository, area: Scratch, request: ExportRequest, folder: str
) -> Plan:
    here = request.checkout
    side = joined([_side(one, number, here) for one, number in _versions(pack, request)], folder)
    target = here.branch(request.branch) if here else target_branch(repository, request.branch)
    return plan_export(
        repository, area, side, target=target, folder=folder, base=request.base,
        rewritten=request.rewritten,
    )  # fmt: skip


def _versions(pack: Pack, request: ExportRequest) -> Sequence[tuple[Pack, int]]:
    """The exported packs, each with its revision."""
    return [(pack, _number(pack, request)), *((one, one.head) for one in request.others)]


def _side(pack: Pack, number: int, checkout: Checkout | None) -> PackSide:
    here = opened(pack, number)
    side = PackSide(
        files=Files.of(here.files),
        known=known_commits(pack, up_to=number),
        first=files_at(pack.pk, 1),
        check=partial(_checked, pack, here),
    )
    if checkout is None:
        return side
    # In the folder a file is the pack's until the file is gone.
    return replace(
        side, known=(), first=Files(dict.fromkeys(checkout.absent(paths_ever(pack)), b""))
    )


def _checked(
    pack: Pack, before: Opened, files: Files
) -> tuple[Sequence[Place], Sequence[dict[str, Any]]]:
    """Conflicts and new errors of merged files."""
    after = Opened(before.dialect, files)
    if before.readable and not after.readable:
        first = after.drawn.problems[0].message if after.drawn.problems else ""
        reason = f"With both sides' changes the pack can no longer be read. {first}".strip()
        return [Place(path=pack.main, reason=reason)], ()
    had = {_key(one) for one in before.under(pack.profile).findings_json}
    errors = [one for one in after.under(pack.profile).findings_json if one["level"] == "error"]
    return (), [one for one in errors if _key(one) not in had]


def _key(finding: dict[str, Any]) -> tuple[str, str]:
    return finding["code"], finding["message"]


def _described(plan: Plan, folder: str, number: int) -> dict[str, Any]:
    parents = [plan.onto] if plan.onto else []
    return {
        "branch": plan.branch.name if plan.branch.tip else "",
        "new_branch": plan.branch.tip is None,
        "folder": folder,
        "revision": number,
        "base": plan.base.commit or "",
        "base_source": plan.base.source,
        "parent": parents[0] if parents else "",
        "tree": plan.tree,
        "merges": plan.merges and not plan.unchanged,
        "unchanged": plan.unchanged is not None,
    }


def _change(plan: Plan, path: str, entry: Entry | None) -> dict[str, str]:
    change = "changed" if path in plan.before else "added"
    return {"path": path, "change": "deleted" if entry is None else change}


def _file_changes(area: Scratch, plan: Plan) -> list[dict[str, str]]:
    return [
        {
            **_change(plan, path, entry),
            "diff": _difference(area, path, plan.before.get(path), entry),
        }
        for path, entry in sorted(plan.entries.items())
    ]


def _difference(area: Scratch, path: str, old: Entry | None, new: Entry | None) -> str:
    try:
        before = area.content(old.id) if old else None
        after = area.content(new.id) if new else None
    except GitFailed:
        return f"The contents of {path} are not in this clone, so no difference is shown.\n"
    return unified(path, before, after)


def _conflict(plan: Plan) -> Conflict:
    count = len(plan.conflicts)
    where = plan.conflicts[0].path
    more = f" and {count - 1} more" if count > 1 else ""
    if plan.base.commit is None:
        message = (
            f"{where}{more} in the repository differs from the pack, and no commit is known that"
            " the pack is based on."
        )
        hint = "Name that commit as `base`; `base` HEAD replaces what the repository has now."
    else:
        message = (
            f"The pack and the branch {plan.branch.name!r} changed the same place: {where}{more}."
        )
        hint = "Export to a new branch and merge it with git. Nothing was changed."
    return Conflict(
        message,
        hint=hint,
        where=where,
        base=plan.base.commit or "",
        theirs=plan.onto or "",
        places=[place.to_json() for place in plan.conflicts],
    )
