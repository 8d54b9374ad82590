"""Repositories and the packs that follow them: all writes of their rows. Credentials are
write-only."""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from roles.rows import unless_taken
from workflows.actions.sync_points import Location, record
from workflows.core.pack.files import Files
from workflows.db.text import is_storable, to_storable
from workflows.errors import BadRequest, Conflict
from workflows.models import (
    Change,
    ChangeCommit,
    Pack,
    Repository,
    Revision,
    SyncPoint,
    TrackedPack,
)
from workflows.security.encryption import encrypt
from workflows.selectors.repositories import repository_numbered

LEAST_POLL = 30
"""The shortest time between two fetches by the clock, in seconds."""
TEXTS = {
    "name": 100, "url": 500, "api_url": 500, "username": 100,
    "app_id": 40, "installation_id": 40, "committer_name": 100, "committer_email": 200,
}  # fmt: skip
"""Text fields, with the number of characters that they can have."""
CONNECTION_FIELDS = ("url", "credential", "username", "app_id", "installation_id", "api_url")
"""Fields whose change asks for the credential again: it would be sent elsewhere."""


def create(owner: User | None, **params: Any) -> Repository:
    """Add a repository. Callers check the address first. Fields as of models.Repository, and
    `secret`. Raises BadRequest."""
    row = Repository(owner=owner)
    _set(row, params)
    if not row.name:
        row.name = row.url.rstrip("/").removesuffix(".git").rpartition("/")[2][:100]
    row.sealed_credential = encrypt(_secret(params.get("secret", "")))
    _check(row)
    row.save()
    return row


@transaction.atomic
def change(id: int, **params: Any) -> Repository:
    """Change the given fields. A secret that is left out is kept, unless it would be sent
    elsewhere. Raises BadRequest and NotThere."""
    row = repository_numbered(id)
    before = [getattr(row, field) for field in CONNECTION_FIELDS]
    _set(row, params)
    moved = before != [getattr(row, field) for field in CONNECTION_FIELDS]
    if "secret" in params:
        row.sealed_credential = encrypt(_secret(params["secret"]))
    elif row.credential == Repository.Credential.NONE:
        row.sealed_credential = ""
    elif row.sealed_credential and moved:
        raise BadRequest(
            "The credential was entered for another address. Enter it again to use it here.",
            where="secret",
        )
    _check(row)
    row.save()
    return row


def delete(id: int) -> None:
    """Delete a repository. Its packs stay and follow it no longer. Raises NotThere."""
    repository_numbered(id).delete()


def new_hook_secret(id: int) -> str:
    """Replace the secret of the webhook. It is returned here only. Raises NotThere."""
    secret = "whsec_" + b64encode(secrets.token_bytes(32)).decode()
    row = repository_numbered(id)
    row.sealed_hook_secret = encrypt(secret)
    row.save(update_fields=["sealed_hook_secret"])
    return secret


def request_fetch(id: int) -> None:
    """Let a worker fetch soon."""
    Repository.objects.filter(pk=id).update(fetch_wanted=True)


def claim_fetch(row: Repository) -> bool:
    """True for the one caller that does a due fetch."""
    rows = Repository.objects.filter(pk=row.pk, fetched_at=row.fetched_at)
    rows = rows.filter(fetch_wanted=row.fetch_wanted)
    return rows.update(fetch_wanted=False, fetched_at=timezone.now()) == 1


def store_fetch(id: int, branches: Mapping[str, str], default: str) -> None:
    """Record a successful fetch. `default`: "" where the repository names none."""
    row = repository_numbered(id)
    row.branches = dict(branches)
    row.default_branch = default[:250] or row.default_branch
    row.fetched_at, row.fetch_wanted, row.problem = timezone.now(), False, ""
    row.save(update_fields=["branches", "default_branch", "fetched_at", "fetch_wanted", "problem"])


def store_problem(id: int, problem: str) -> None:
    """Record why a fetch failed. The branches of the last one stay."""
    Repository.objects.filter(pk=id).update(
        problem=to_storable(problem)[:1_000], fetched_at=timezone.now(), fetch_wanted=False
    )


@transaction.atomic
def follow(pack: Pack, repository: Repository, branch: str, at: Location, files: Files) -> None:
    """Let a pack follow a branch of a repository, from a commit that has these files. Raises
    Conflict if another pack does."""
    record(pack, SyncPoint.Kind.IMPORT, at, revision=pack.head, files=files)
    taken = Conflict(f"Another pack follows {pack.main} on {branch}.", where="main")
    with unless_taken(taken):
        TrackedPack.objects.update_or_create(
            pack=pack,
            defaults={
                "repository": repository,
                "branch": branch,
                "main": pack.main,
                "base_commit": at.commit,
                "base_revision": pack.head,
                "base_edited": False,
                "upstream_commit": at.commit,
                "upstream": TrackedPack.Upstream.SAME,
            },
        )


@transaction.atomic
def follow_branch(row: TrackedPack, branch: str) -> None:
    """Let a pack follow another branch of its repository, with the same base. Raises Conflict if
    another pack does."""
    others = TrackedPack.objects.filter(
        repository=row.repository_id, branch=branch, main=row.main
    ).exclude(pk=row.pk)
    if others.exists():
        raise Conflict(f"Another pack follows {row.main} on {branch}.", where="branch")
    row.branch = branch
    row.save(update_fields=["branch"])


def retarget(repository: Repository, old: str, new: str) -> None:
    """Record that the target of open changes has another name."""
    Change.objects.filter(repository=repository, target=old, status=Change.Status.OPEN).update(
        target=new
    )


def store_upstream(row: TrackedPack, commit: str, upstream: TrackedPack.Upstream) -> None:
    """Record how the pack's files at a newer commit compare with the base."""
    row.upstream_commit, row.upstream = commit, upstream
    row.save(update_fields=["upstream_commit", "upstream"])


@transaction.atomic
def move_base(
    row: TrackedPack, at: Location, files: Files, *, revision: int, edited: bool, main: str = ""
) -> None:
    """Set the base to a commit that has these files. `edited`: the revision has further
    changes."""
    record(row.pack, SyncPoint.Kind.IMPORT, at, revision=revision, files=files)
    row.base_commit = row.upstream_commit = at.commit
    row.base_revision, row.base_edited = revision, edited
    row.upstream, row.main = TrackedPack.Upstream.SAME, main or row.main
    row.save()


def sign_pull(revision: Revision, commit: str, author: str) -> None:
    """Record the commit that a pull brought, and its author."""
    revision.commit, revision.commit_author = commit, to_storable(author)[:200]
    revision.save(update_fields=["commit", "commit_author"])


@transaction.atomic
def store_proposal(
    revisions: Mapping[Pack, int], commit: str, author: User | None, *, repository: Repository,
    branch: str, target: str, title: str, description: str,
) -> Change:  # fmt: skip
    """Record a commit of packs on a branch of ours, as a new change or as one more commit of it."""
    row, _ = Change.objects.update_or_create(
        repository=repository,
        branch=branch,
        defaults={"status": Change.Status.OPEN},
        create_defaults={
            "target": target,
            "title": to_storable(title)[:300],
            "description": to_storable(description),
            "author": author,
        },
    )
    for pack, revision in revisions.items():
        if not row.commits.filter(pack=pack, commit=commit).exists():
            ChangeCommit.objects.create(
                change=row, pack=pack, revision=revision, commit=commit, author=author
            )
    return row


def store_request(row: Change, number: int | None, url: str, problem: str = "") -> Change:
    """Record the pull request of a change, or why there is none."""
    row.number, row.url = number or row.number, url[:500] or row.url
    row.problem = to_storable(problem)[:1_000]
    row.save()
    return row


def close(row: Change, status: Change.Status) -> None:
    """Record that a change was merged or closed."""
    row.status, row.problem = status, ""
    row.save()


def _set(row: Repository, params: Mapping[str, Any]) -> None:
    for field, most in TEXTS.items():
        if field in params:
            setattr(row, field, _text(field, str(params[field]), most))
    for field in ("forge", "credential", "git_wins", "poll_seconds"):
        if field in params:
            setattr(row, field, params[field])


def _check(row: Repository) -> None:
    if row.poll_seconds and row.poll_seconds < LEAST_POLL:
        raise BadRequest(
            f"Fetches by the clock are at least {LEAST_POLL} seconds apart.",
            hint="Enter 0 for none.",
            where="poll_seconds",
        )
    if row.credential != Repository.Credential.NONE and not row.sealed_credential:
        raise BadRequest("Enter the credential.", where="secret")
    ssh = row.url.startswith("ssh://") or "://" not in row.url
    if row.credential == Repository.Credential.SSH_KEY and not ssh:
        raise BadRequest("An SSH key needs an ssh address.", where="credential")
    if row.credential == Repository.Credential.GITHUB_APP and not (
        row.app_id.isdigit() and row.installation_id.isdigit()
    ):
        raise BadRequest(
            "A GitHub App needs the numbers of the app and of its installation.", where="app_id"
        )


def _text(field: str, value: str, most: int) -> str:
    text = value.strip()
    if len(text) > most or not is_storable(text) or any(ord(char) < 32 for char in text):
        raise BadRequest(f"This field has at most {most} plain characters.", where=field)
    return text


def _secret(value: str) -> str:
    text = value.strip()
    if len(text) > 20_000 or not is_storable(text):
        raise BadRequest("This is not a credential.", where="secret")
    return text
