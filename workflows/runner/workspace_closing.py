"""The end of a run's workspace: its changes are recorded, and a work tree is removed.

A worker closes it when the run has ended. The periodic task closes those of killed workers, and of
runs that were cancelled while they waited. Every step can be repeated.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import UUID

from django.conf import settings

from workflows.actions import runs
from workflows.core.engine.run import FINISHED
from workflows.errors import CallerError, NotThere, RepositoryRefused
from workflows.models import Run, RunEvent
from workflows.repos import kept_branches, run_changes
from workflows.repos.worktrees import KEPT_REFS
from workflows.runner import workspaces
from workflows.runner.left_processes import end_left_processes
from workflows.runner.tool_calls import place_of
from workflows.runner.workspaces import Author, RunPlace, WorkspaceChanges
from workflows.selectors.sources import opened

log = logging.getLogger(__name__)

CLOSED = "workspace.closed"
KEPT_MARKS = ".kept"
"""Folder of one file per run whose commit a ref holds, named by the run, with the repository."""


def close(run_id: UUID) -> None:
    """Record and remove the workspace of a run that has ended. Does nothing for other runs."""
    root = settings.DATA / "workspaces"
    if not (root / str(run_id)).is_dir():
        return
    row = Run.objects.select_related("pack", "owner").filter(pk=run_id).first()
    if row is None or row.status not in FINISHED:
        return
    place = place_of(row, opened(row.pack, row.revision).files)
    with _closing(place):
        if not workspaces.is_open(place):
            return
        if not RunEvent.objects.filter(run_id=run_id, type=CLOSED).exists():
            _record(row, place)
        workspaces.remove(place)


@contextmanager
def _closing(place: RunPlace) -> Iterator[None]:
    """Wait for other threads and processes that close the same workspace: the worker of the run,
    the periodic task, and a person who keeps the changes as soon as the run has ended."""
    try:
        handle = os.open(place.folder, os.O_RDONLY)
    except FileNotFoundError:
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def close_left_over() -> int:
    """Close the workspaces of ended and deleted runs, and forget the commits of deleted runs.
    Returns their number."""
    return sum(_close_left_over(folder) for folder in _left_over()) + _forget_deleted()


def keep_branch(row: Run, branch: str, *, message: str, author: Author, by: str) -> str:
    """Keep what the run changed as a branch. Returns its commit. Raises RepositoryRefused."""
    if row.status not in FINISHED:
        raise RepositoryRefused(
            "The run has not ended.", hint="Cancel it, or wait for its end.", where="run"
        )
    close(row.pk)
    closed = RunEvent.objects.filter(run_id=row.pk, type=CLOSED).first()
    commit = closed.fields.get("commit", "") if closed else ""
    if not commit:
        raise RepositoryRefused("The run changed nothing in a repository.", where="run")
    repository = Path(row.options["workspace"]["path"])
    made = kept_branches.keep_branch(repository, branch, commit, message=message, author=author)
    fields = {"branch": branch, "commit": made, "by": by}
    runs.note_about_workspace(row.pk, "workspace.kept", fields)
    return made


def message_of(row: Run) -> str:
    """The default message of a commit of this run."""
    return f"{row.pack.name[:60]}: run {str(row.pk)[:8]}"


def _record(row: Run, place: RunPlace) -> None:
    try:
        changes = workspaces.changes_of(place, message=message_of(row))
        fields = changes.to_json()
    except (CallerError, OSError, ValueError) as error:
        log.exception("The changes of run %s cannot be computed", row.pk)
        changes = WorkspaceChanges(kind=place.choice.kind)
        fields = {**changes.to_json(), "error": f"The changes cannot be computed: {error}"}
    if place.choice.kind == "pack" and not changes.files:
        return
    if changes.ref:
        mark = place.root / KEPT_MARKS / place.name
        mark.parent.mkdir(exist_ok=True)
        mark.write_text(place.choice.path)
    with suppress(NotThere):
        runs.note_about_workspace(row.pk, CLOSED, fields, once=True)


def _left_over() -> Iterator[Path]:
    root = settings.DATA / "workspaces"
    for record in root.glob(f"*/{workspaces.RECORD}"):
        yield record.parent


def _close_left_over(folder: Path) -> bool:
    choice, run_id = workspaces.recorded(folder), _id_of(folder)
    if choice is None or run_id is None:
        return False
    status = Run.objects.filter(pk=run_id).values_list("status", flat=True).first()
    try:
        if status in FINISHED or status is None:
            end_left_processes(folder.name)
        if status in FINISHED:
            close(run_id)
            return True
        if status is None:
            workspaces.remove(RunPlace(root=folder.parent, name=folder.name, choice=choice))
            return True
    except Exception:
        log.exception("The workspace %s cannot be closed; retrying later", folder)
    return False


def _forget_deleted() -> int:
    marks = settings.DATA / "workspaces" / KEPT_MARKS
    named = {id: mark for mark in marks.glob("*") if (id := _id_of(mark)) is not None}
    existing = (
        set(Run.objects.filter(pk__in=named).values_list("pk", flat=True)) if named else set()
    )
    gone = [id for id in named if id not in existing]
    for run_id in gone:
        run_changes.forget(Path(named[run_id].read_text()), f"{KEPT_REFS}{run_id}")
        named[run_id].unlink(missing_ok=True)
    return len(gone)


def _id_of(place: Path) -> UUID | None:
    with suppress(ValueError):
        return UUID(place.name)
    return None
