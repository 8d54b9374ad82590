"""The reason why a run does not move at the moment."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from workflows.core.engine.run import FINISHED, RunState
from workflows.models import Approval, Job, Run, RunEvent
from workflows.selectors.status import live_workers

QUEUED = 2.0
"""Seconds that a run may be due before its wait is reported."""
SLOW = 15.0
"""Seconds that a model, tool or command may take before its wait is reported."""
SUBJECTS = {
    "AskModel": ("model", "The model's server has not answered for {}."),
    "CallTool": ("tool", "The tool has not answered for {}."),
    "RunCommand": ("command", "The command has been running for {}."),
}
"""Kind of a pending effect → the word for the API and the sentence."""


def wait_of(run: Run, state: RunState) -> dict[str, Any]:
    """`for`: worker, person, model, tool, command, or "" for a run that moves, has ended or is
    paused. `since`: seconds since 1970, or null. `text`: a sentence for a person."""
    if run.status in FINISHED or run.status == "paused":
        return _wait("", None, "")
    return _for_worker(run) or _for_person(run) or _for_effect(run, state) or _wait("", None, "")


def _for_worker(run: Run) -> dict[str, Any] | None:
    """A due job that no worker has."""
    now = time.time()
    job = Job.objects.filter(run=run, due_at__lt=now - QUEUED, leased_until__lte=now).first()
    if job is None:
        return None
    clock = datetime.fromtimestamp(job.due_at, UTC).strftime("%H:%M:%S UTC")
    reason = "" if live_workers().exists() else " No worker is running."
    return _wait("worker", job.due_at, f"Waiting for a worker since {clock}.{reason}")


def _for_person(run: Run) -> dict[str, Any] | None:
    """An open question, and the person whom it was passed to or the owner of the run."""
    open_ones = Approval.objects.filter(run=run, status=Approval.Status.OPEN)
    question = open_ones.select_related("passed_to").order_by("asked_at").first()
    if question is None:
        return None
    person = question.passed_to or run.owner
    name = person.get_username() if person else "a person"
    return _wait("person", question.asked_at.timestamp(), f"Waiting for {name}.")


def _for_effect(run: Run, state: RunState) -> dict[str, Any] | None:
    """The newest request without an answer, if a worker holds the run and it takes long."""
    now = time.time()
    at = RunEvent.objects.filter(run=run, n=run.last, run__job__leased_until__gt=now)
    newest = at.values_list("at", flat=True).first()
    if newest is None or now - newest < SLOW:
        return None
    kinds = [body["effect"] for key, body in state.pending.items() if key not in state.left_reasons]
    for kind, (subject, sentence) in SUBJECTS.items():
        if kind in kinds:
            return _wait(subject, newest, sentence.format(_duration(now - newest)))
    return None


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _wait(subject: str, since: float | None, text: str) -> dict[str, Any]:
    return {"for": subject, "since": since, "text": text}
