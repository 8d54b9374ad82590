"""Repositories, the packs that follow them, and proposed changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db.models import Count, Q

from roles.core.columns import columns
from roles.rights import Level, level_of, visible
from roles.rows import found
from workflows.core.pack.files import Files
from workflows.core.rules.kit import count_of
from workflows.errors import NotThere, RepositoryRefused
from workflows.models import Change, ChangeCommit, Pack, Repository, SyncPoint, TrackedPack
from workflows.selectors.repository_tasks import newest_task, task_json
from workflows.selectors.sources import opened
from workflows.selectors.sync_points import files_at_point

Status = Literal["in-step", "edited", "changed", "both", "gone"]
"""Changes since the base commit: none, here, in the repository, on both sides; or the pack is no
longer on its branch."""
STATUS_LABELS: dict[Status, str] = {
    "in-step": "in step",
    "edited": "edited here",
    "changed": "changed there",
    "both": "changed on both sides",
    "gone": "gone from the branch",
}


def repositories(person: User) -> list[dict[str, Any]]:
    """The repositories that a user may see, by name."""
    rows = visible(Repository.objects.all(), person).order_by("name", "pk")
    counted = rows.annotate(
        tracked=Count("packs", distinct=True),
        proposed=Count("changes", filter=Q(changes__status=Change.Status.OPEN), distinct=True),
    )
    return [repository_json(row, person) for row in counted]


def repository_numbered(id: int) -> Repository:
    """A repository by number. Raises NotThere."""
    return found(
        Repository.objects.filter(pk=id),
        NotThere(f"There is no repository {id}.", hint="It may have been deleted."),
    )


def repository_json(row: Repository, person: User) -> dict[str, Any]:
    """A repository without its credential."""
    tracked = getattr(row, "tracked", None)
    proposed = getattr(row, "proposed", None)
    return {
        **columns(row, "id", "name", "url", "default_branch", "forge", "api_url"),
        **columns(row, "credential", "username"),
        "has_credential": bool(row.sealed_credential),
        **columns(row, "app_id", "installation_id"),
        "has_hook_secret": bool(row.sealed_hook_secret),
        **columns(row, "committer_name", "committer_email", "git_wins", "poll_seconds"),
        "branches": [
            {"name": name, "commit": commit} for name, commit in sorted(row.branches.items())
        ],
        **columns(row, "fetched_at", "problem"),
        "packs": row.packs.count() if tracked is None else tracked,
        "changes_open": (
            row.changes.filter(status=Change.Status.OPEN).count() if proposed is None else proposed
        ),
        "states": states_of(row, person),
        "level": level_of(person, row).name.lower(),
        "task": task_json(task, person) if (task := newest_task(row)) else None,
    }


def tracked_packs(row: Repository, person: User) -> list[TrackedPack]:
    """The packs of a repository that a user may see, by place."""
    packs = visible(Pack.objects.all(), person)
    rows = TrackedPack.objects.filter(repository=row, pack__in=packs).select_related("pack")
    return list(rows.order_by("branch", "main"))


def states_of(row: Repository, person: User) -> dict[Status, int]:
    """The number of packs that a user may see in each state."""
    counted = Counter(status_of(one) for one in tracked_packs(row, person))
    return {status: counted[status] for status in STATUS_LABELS}


NEEDS: Sequence[tuple[Status, str, str]] = (
    ("gone", "error", "gone from the branch"),
    ("both", "warning", "changed on both sides"),
    ("changed", "warning", "behind"),
    ("edited", "accent", "ahead"),
)
"""States of packs that need a user, with the colour and the words of their badge."""


def needs_of(row: Mapping[str, Any]) -> list[dict[str, str]]:
    """Work that a repository, as `repository_json` describes it, has for its users, the most urgent
    first."""
    needs = (
        [{"kind": "failing", "colour": "error", "text": "fetch fails"}] if row["problem"] else []
    )
    needs += [
        {"kind": status, "colour": colour, "text": f"{row['states'][status]} {words}"}
        for status, colour, words in NEEDS
        if row["states"][status]
    ]
    if row["changes_open"]:
        waiting = f"{count_of(row['changes_open'], 'proposal')} open"
        needs.append({"kind": "proposal", "colour": "accent", "text": waiting})
    return needs


def packs_by_branch(row: Repository, person: User) -> list[tuple[str, list[dict[str, Any]]]]:
    """Each followed branch with the packs that a user may see: number, name, place, status and the
    open change that proposes the pack."""
    proposed = {
        one.pack_id: one.change
        for one in ChangeCommit.objects.filter(
            change__repository=row, change__status=Change.Status.OPEN
        ).select_related("change")
    }
    rows = [
        (
            one.branch,
            {
                "pack": one.pack_id,
                "name": one.pack.name,
                "main": one.main,
                "base_commit": one.base_commit,
                "status": (status := status_of(one)),
                "status_label": STATUS_LABELS[status],
                "change": proposed.get(one.pack_id),
            },
        )
        for one in tracked_packs(row, person)
    ]
    return [(branch, [one for _, one in some]) for branch, some in groupby(rows, itemgetter(0))]


def tracked(pack: Pack) -> TrackedPack | None:
    """The place of a pack in a repository; None if it has none."""
    return TrackedPack.objects.filter(pack=pack).select_related("repository", "pack").first()


def tracked_here(pack: Pack) -> TrackedPack:
    """As `tracked`. Raises NotThere for a pack without a repository."""
    row = tracked(pack)
    if row is None:
        raise NotThere(
            "This pack follows no repository.",
            hint="Open a repository's page and choose its packs there.",
        )
    return row


def tracked_together(packs: Sequence[Pack]) -> list[TrackedPack]:
    """The places of packs that are proposed in one commit, in this order. Raises NotThere, and
    RepositoryRefused for packs of different branches."""
    rows = [tracked_here(pack) for pack in {pack.pk: pack for pack in packs}.values()]
    first = rows[0]
    for row in rows:
        if (row.repository_id, row.branch) != (first.repository_id, first.branch):
            raise RepositoryRefused(
                f"{row.pack.name} does not follow the branch {first.branch!r} of"
                f" {first.repository.name}.",
                hint="Packs of one proposal follow the same branch.",
                where="others",
            )
    return rows


def edited_beside(row: TrackedPack, person: User) -> list[TrackedPack]:
    """The other packs of the branch that a user may edit and that have changes of their own only,
    by place."""
    packs = visible(Pack.objects.all(), person, Level.EDIT)
    rows = TrackedPack.objects.filter(
        repository=row.repository_id, branch=row.branch, pack__in=packs
    ).exclude(pk=row.pk)
    rows = rows.select_related("pack").order_by("main")
    return [one for one in rows if status_of(one) == "edited"]


def base_files(row: TrackedPack) -> Files:
    """The pack's files at its base commit."""
    points = SyncPoint.objects.filter(pack=row.pack_id, commit=row.base_commit)
    point = points.order_by("-pk").first()
    return Files({}) if point is None else files_at_point(point)


def commit_of(pack: Pack, revision: int) -> str:
    """The commit that has exactly the files of a revision; "" if the pack follows no repository or
    has changes of its own."""
    row = TrackedPack.objects.filter(pack=pack).first()
    if row is None:
        return ""
    if revision == row.base_revision:
        return "" if row.base_edited else row.base_commit
    return row.base_commit if opened(pack, revision).files == base_files(row) else ""


def is_read_only(pack: Pack) -> bool:
    """True if the pack follows a repository whose files win over edits."""
    return TrackedPack.objects.filter(pack=pack, repository__git_wins=True).exists()


def is_edited(row: TrackedPack) -> bool:
    """True if the pack has changes that its base commit lacks."""
    if row.pack.head == row.base_revision:
        return row.base_edited
    return opened(row.pack).files != base_files(row)


def status_of(row: TrackedPack) -> Status:
    """The state of a pack against its repository, as of the last fetch."""
    if row.upstream == TrackedPack.Upstream.GONE:
        return "gone"
    edited, changed = is_edited(row), row.upstream == TrackedPack.Upstream.CHANGED
    if edited and changed:
        return "both"
    return "edited" if edited else "changed" if changed else "in-step"


def needs_pull(row: TrackedPack) -> bool:
    """True if newer commits of the branch have to be pulled before a proposal. One more commit of
    an open change needs no pull: the pull request has its own place in the history."""
    status = status_of(row)
    return status == "changed" or (status == "both" and open_change(row.pack) is None)


def changes_of(row: Repository, person: User) -> list[dict[str, Any]]:
    """The proposed changes of a repository, newest first."""
    rows = Change.objects.filter(repository=row).order_by("-pk").select_related("author")
    visible_ids = set(visible(Pack.objects.all(), person).values_list("pk", flat=True))
    return [change_json(one, visible_ids) for one in rows.prefetch_related("commits__pack")]


def open_change(pack: Pack) -> Change | None:
    """The newest open change with a commit of this pack."""
    rows = Change.objects.filter(commits__pack=pack, status=Change.Status.OPEN)
    return rows.order_by("-pk").first()


def open_changes(row: Repository) -> Sequence[Change]:
    """The open changes of a repository."""
    return list(Change.objects.filter(repository=row, status=Change.Status.OPEN).order_by("pk"))


def change_json(row: Change, visible_ids: set[int] | None = None) -> dict[str, Any]:
    """A change with its commits; `visible_ids`: the packs that are listed, None for all."""
    return {
        **columns(row, "id", "branch", "target", "title", "description"),
        **columns(row, "status", "number", "url", "problem"),
        "author": row.author.get_username() if row.author else "",
        "created_at": row.created_at.isoformat(),
        "commits": [
            {
                "pack": one.pack_id,
                "pack_name": one.pack.name,
                **columns(one, "revision", "commit", "created_at"),
            }
            for one in row.commits.all()
            if visible_ids is None or one.pack_id in visible_ids
        ],
    }


def upstream_json(pack: Pack) -> dict[str, Any] | None:
    """The place of a pack in its repository, and its state there; None if it follows none."""
    row = tracked(pack)
    if row is None:
        return None
    repository, change = row.repository, open_change(pack)
    return {
        "repository": {
            "id": repository.pk,
            **columns(repository, "name", "url", "git_wins", "forge"),
        },
        **columns(row, "branch", "main", "base_commit", "upstream_commit"),
        "status": status_of(row),
        **columns(repository, "fetched_at", "problem"),
        "change": change_json(change) if change else None,
    }
