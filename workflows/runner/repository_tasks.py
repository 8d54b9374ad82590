"""Work on repositories that may outlast its request: fetches, scans, imports, proposals.

A request begins a task, and a thread of its process works on it. The request waits a few seconds;
after that it answers with the state of the task. One task of a repository runs at a time. If its
process dies, a worker continues it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as StillRunning
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import DatabaseError, close_old_connections, connection

from workflows.actions import repository_tasks as actions
from workflows.core.pack.files import TooMuch
from workflows.errors import CallerError, Conflict, RepositoryRefused
from workflows.models import Repository, RepositoryTask
from workflows.repos import proposals, registration, scans
from workflows.repos.fetches import update
from workflows.repos.network_git import Progress, ignore, stopped_by
from workflows.repos.pulls import follow
from workflows.repos.remote import CredentialRefused
from workflows.responses.error_bodies import body
from workflows.selectors.packs import pack_named
from workflows.selectors.repository_tasks import LABELS, finished_scan, left_tasks, running_task

log = logging.getLogger(__name__)
WAIT = 3.0
"""Seconds that a request waits for its task."""
PARALLEL = 8
"""Tasks of one process that work at the same time."""
PER_USER = 2
"""Tasks of one user that work at the same time. Further ones wait and hold no place of others."""
MAX_ATTEMPTS = 3
"""Processes that work on a task before it fails."""
BEAT_INTERVAL = 0.5
LONGEST_SILENCE = 2.0
"""Seconds between two signs of life of a task without progress."""
Kind = RepositoryTask.Kind
Refusal = CallerError | TooMuch
_turns = threading.BoundedSemaphore(PARALLEL)
_user_turns: defaultdict[int | None, threading.BoundedSemaphore] = defaultdict(
    lambda: threading.BoundedSemaphore(PER_USER)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A task after the wait of its request, running or ended."""

    task: RepositoryTask
    refusal: Refusal | None = None

    @property
    def is_running(self) -> bool:
        return self.task.status == RepositoryTask.Status.RUNNING

    def result(self) -> Any:
        """The result of an ended task. Raises its refusal."""
        if self.refusal is not None:
            raise self.refusal
        return self.task.result


def add(owner: User, params: Mapping[str, Any]) -> Repository:
    """Add a repository and fetch it. One whose credential is refused within `WAIT` is not kept.
    Raises BadRequest and RepositoryRefused."""
    row = registration.add(owner, params)
    outcome = start(row, Kind.FETCH, {}, owner)
    if isinstance(outcome.refusal, CredentialRefused):
        registration.delete(row.pk)
        refused = outcome.refusal
        raise RepositoryRefused(refused.message, hint=refused.hint, where="secret")
    row.refresh_from_db()
    return row


def start(
    repository: Repository, kind: str, params: Mapping[str, Any], author: User | None
) -> Outcome:
    """Begin a task, or join the same one that is running, and wait `WAIT` seconds. Raises Conflict
    if another task is running."""
    deadline = time.monotonic() + WAIT
    task = actions.begin(repository, kind, params, author)
    while task is None:
        running = running_task(repository)
        if running is not None and (running.kind, running.params) == (kind, dict(params)):
            return _joined(running, deadline)
        if running is not None and time.monotonic() > deadline:
            raise Conflict(
                f"{LABELS[Kind(running.kind)]} of this repository is running since "
                f"{running.started_at:%H:%M:%S} UTC.",
                hint="Try again when it has ended.",
                where="repository",
            )
        time.sleep(0.1)
        task = actions.begin(repository, kind, params, author)
    refusal: Refusal | None = None
    try:
        in_background(task).result(max(0.0, deadline - time.monotonic()))
    except StillRunning:
        pass
    except (CallerError, TooMuch) as refused:
        refusal = refused
    task.refresh_from_db()
    return Outcome(task=task, refusal=refusal)


def scan(repository: Repository, ref: str, author: User) -> Outcome:
    """Begin a scan, or return a finished one of the same commit."""
    done = finished_scan(repository, ref)
    return Outcome(task=done) if done else start(repository, Kind.SCAN, {"ref": ref}, author)


def fetch_soon(repository: Repository) -> bool:
    """Begin a fetch and do not wait for it. False if another task is running."""
    task = actions.begin(repository, Kind.FETCH, {}, None)
    if task is not None:
        in_background(task)
    return task is not None


def end(task: RepositoryTask, person: User) -> None:
    """End a task that is running. Its process ends git within a few seconds. Raises Conflict."""
    sentence = f"{person.get_username()} ended this."
    if not actions.fail(task, body("ended", sentence)):
        raise Conflict("This task has ended already.", where="task")


def continue_left() -> int:
    """Continue the tasks whose process died. Returns their number."""
    continued = 0
    for task in left_tasks():
        if not actions.take_over(task):
            continue
        if task.attempts > MAX_ATTEMPTS:
            sentence = "The server stopped several times while it worked on this."
            actions.fail(task, body("interrupted", sentence, hint="Try again."))
            continue
        in_background(task)
        continued += 1
    return continued


def in_background(task: RepositoryTask) -> Future[None]:
    """Work on a task in a thread. The thread does not keep the process from its end."""
    future: Future[None] = Future()
    threading.Thread(
        target=_work_in_thread, args=(task, future), name="repository-task", daemon=True
    ).start()
    return future


def work(task: RepositoryTask, progress: Progress = ignore) -> None:
    """Work on a task and record its end. Raises what it raised."""
    try:
        result = _WORK[Kind(task.kind)](task, progress)
    except (CallerError, TooMuch) as refused:
        code, hint = getattr(refused, "code", "too_much"), getattr(refused, "hint", "")
        actions.fail(task, body(code, refused.message, hint=hint))
        raise
    except Exception:
        log.exception("A task of the repository %s failed", task.repository_id)
        sentence = "The server could not complete this. Its log has the reason."
        actions.fail(task, body("internal_error", sentence, hint="Try again."))
        raise
    actions.finish(task, result)


def _joined(task: RepositoryTask, deadline: float) -> Outcome:
    while time.monotonic() < deadline and task.status == RepositoryTask.Status.RUNNING:
        time.sleep(0.1)
        task.refresh_from_db()
    refusal = None
    if task.refusal:
        words = task.refusal
        refusal = RepositoryRefused(words["message"], hint=words["hint"], where=words["where"])
    return Outcome(task=task, refusal=refusal)


def _work_in_thread(task: RepositoryTask, future: Future[None]) -> None:
    signs = _SignsOfLife(task)
    close_old_connections()
    try:
        user = task.author_id or task.repository.owner_id
        with _user_turns[user], _turns, stopped_by(signs.lost):
            work(task, signs.show)
    except BaseException as error:
        signs.stop()
        future.set_exception(error)
    else:
        signs.stop()
        future.set_result(None)
    finally:
        connection.close()


class _SignsOfLife:
    """Writes the progress of a task, and that its process is alive, from a thread of its own."""

    def __init__(self, task: RepositoryTask) -> None:
        self._task, self._line, self._ended = task, "", threading.Event()
        self.lost = threading.Event()
        """Set once the task is no longer this process's: a user ended or deleted it."""
        threading.Thread(target=self._write, name="repository-task-beat", daemon=True).start()

    def show(self, line: str) -> None:
        self._line = line

    def stop(self) -> None:
        self._ended.set()

    def _write(self) -> None:
        written, last = "", time.monotonic()
        while not self._ended.wait(BEAT_INTERVAL):
            line, now = self._line, time.monotonic()
            if line == written and now - last < LONGEST_SILENCE:
                continue
            try:
                if not actions.beat(self._task, line):
                    self.lost.set()
                written, last = line, now
            except DatabaseError:
                log.warning("The progress of a repository task could not be written")
        connection.close()


def _fetch(task: RepositoryTask, progress: Progress) -> None:
    follow(update(task.repository_id, progress))


def _scan(task: RepositoryTask, progress: Progress) -> dict[str, Any]:
    return scans.scan(task.repository, str(task.params["ref"]), progress)


def _follow(task: RepositoryTask, progress: Progress) -> dict[str, Any]:
    assert task.author is not None
    params = task.params
    made = scans.track(task.repository, params["ref"], params["packs"], task.author, progress)
    return {"packs": [pack.pk for pack in made.packs]}


def _propose(task: RepositoryTask, progress: Progress) -> dict[str, Any]:
    assert task.author is not None
    proposal = proposals.Proposal.from_json(task.params)
    packs = [pack_named(id) for id in task.params["packs"]]
    return proposals.propose(packs, proposal, task.author, progress)


_WORK: Mapping[RepositoryTask.Kind, Callable[[RepositoryTask, Progress], Any]] = {
    Kind.FETCH: _fetch,
    Kind.SCAN: _scan,
    Kind.FOLLOW: _follow,
    Kind.PROPOSE: _propose,
}
