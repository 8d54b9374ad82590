"""Tasks of repositories: begun, kept alive, ended. Of several processes one works on a task."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from workflows.db.text import to_storable
from workflows.models import Repository, RepositoryTask

KEPT = 20
"""Tasks of a repository that are kept, newest first."""
Running = RepositoryTask.Status.RUNNING


def begin(
    repository: Repository, kind: str, params: Mapping[str, Any], author: User | None
) -> RepositoryTask | None:
    """A new task; None if another one of this repository is running."""
    try:
        with transaction.atomic():
            task = RepositoryTask.objects.create(
                repository=repository, kind=kind, params=dict(params), author=author,
                beat_at=timezone.now(),
            )  # fmt: skip
    except IntegrityError:
        return None
    old = RepositoryTask.objects.filter(repository=repository).order_by("-pk")[KEPT:]
    RepositoryTask.objects.filter(pk__in=[one.pk for one in old]).exclude(status=Running).delete()
    return task


def beat(task: RepositoryTask, progress: str) -> bool:
    """A sign of life with the newest progress line. False if another process took the task over."""
    text = to_storable(progress)[:200]
    return _mine(task).update(beat_at=timezone.now(), progress=text) == 1


def take_over(task: RepositoryTask) -> bool:
    """True for the one process that continues a task whose process died."""
    rows = _mine(task).filter(beat_at=task.beat_at)
    taken = rows.update(attempts=task.attempts + 1, beat_at=timezone.now(), progress="") == 1
    task.refresh_from_db()
    return taken


def finish(task: RepositoryTask, result: Any) -> None:
    """Record the result of a task."""
    _end(task, RepositoryTask.Status.DONE, result=result)


def fail(task: RepositoryTask, refusal: Mapping[str, Any]) -> bool:
    """Record why a task failed, as an error body. False if it has ended before."""
    return _end(task, RepositoryTask.Status.FAILED, refusal=dict(refusal))


def _end(task: RepositoryTask, status: str, **values: Any) -> bool:
    ended = _mine(task).update(status=status, progress="", finished_at=timezone.now(), **values)
    with suppress(RepositoryTask.DoesNotExist):
        task.refresh_from_db()
    return ended == 1


def _mine(task: RepositoryTask) -> QuerySet[RepositoryTask]:
    return RepositoryTask.objects.filter(pk=task.pk, status=Running, attempts=task.attempts)
