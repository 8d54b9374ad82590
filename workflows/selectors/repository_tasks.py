"""Tasks of repositories, as pages and the API show them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from roles.core.columns import columns
from roles.rows import found
from workflows.errors import NotThere
from workflows.models import Repository, RepositoryTask

STALE = timedelta(seconds=20)
"""Time without a sign of life after which the process of a task counts as dead."""
KEPT_SCAN = timedelta(minutes=10)
"""Time for which the result of a scan is used again."""
LABELS = {
    RepositoryTask.Kind.FETCH: "A fetch",
    RepositoryTask.Kind.SCAN: "A scan",
    RepositoryTask.Kind.FOLLOW: "An import of packs",
    RepositoryTask.Kind.PROPOSE: "A proposal",
}


def task_numbered(repository: int, id: int) -> RepositoryTask:
    """A task of a repository. Raises NotThere."""
    return found(
        RepositoryTask.objects.filter(repository=repository, pk=id),
        NotThere(f"This repository has no task {id}.", hint="It may have been deleted."),
    )


def running_task(repository: Repository) -> RepositoryTask | None:
    """The task that a process works on."""
    rows = RepositoryTask.objects.filter(repository=repository, status="running")
    return rows.first()


def newest_task(repository: Repository) -> RepositoryTask | None:
    """The last task that was begun."""
    return RepositoryTask.objects.filter(repository=repository).order_by("-pk").first()


def left_tasks() -> Sequence[RepositoryTask]:
    """Running tasks without a sign of life."""
    rows = RepositoryTask.objects.filter(status="running", beat_at__lt=timezone.now() - STALE)
    return list(rows.select_related("repository", "author"))


def finished_scan(repository: Repository, ref: str) -> RepositoryTask | None:
    """A finished scan of the commit that a branch or commit is at now; None if there is none."""
    name = ref or repository.default_branch
    rows = RepositoryTask.objects.filter(
        repository=repository, kind="scan", status="done",
        finished_at__gte=timezone.now() - KEPT_SCAN,
    )  # fmt: skip
    for task in rows.order_by("-pk"):
        if task.params.get("ref") == ref:
            now = repository.branches.get(name, task.result["commit"])
            return task if task.result["commit"] == now else None
    return None


def task_json(task: RepositoryTask, person: User) -> dict[str, Any]:
    """A task. Its result is shown to its author only."""
    refusal = task.refusal or {}
    shown = task.author_id in (None, person.pk)
    problem = f"{refusal.get('message', '')} {refusal.get('hint', '')}".strip()
    return {
        "id": task.pk,
        "repository": task.repository_id,
        "kind": task.kind,
        "title": LABELS[RepositoryTask.Kind(task.kind)],
        **columns(task, "status", "progress", "started_at", "finished_at"),
        "problem": problem,
        "result": task.result if shown else None,
    }
