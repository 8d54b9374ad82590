"""Answers to the interrupts of a stream, given with the request for the stream that continues."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User

from roles.rights import Level
from workflows.actions import runs
from workflows.actions.approval_answers import GIVEN, answer
from workflows.core.engine.signals import Control
from workflows.errors import AnsweredMeanwhile, BadRequest, NotThere
from workflows.models import Approval, Run
from workflows.plugins.ag_ui.core.interrupts import answer_in, place_of
from workflows.rights.gate import require
from workflows.selectors import runs as read
from workflows.selectors.approval_deadlines import YES_OR_NO

UNKNOWN = "No interrupt has this id."


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A run that was interrupted after event `start`, and the answer to each of its questions."""

    run: Run
    start: int
    answers: tuple[tuple[Approval, Mapping[str, Any]], ...]


def read_resume(pack_id: int, entries: Iterable[Mapping[str, Any]], person: User) -> Resumed:
    """The interrupted run that these entries answer. Raises BadRequest and NotThere for entries
    that are no complete answer to one interruption of a run of this pack, and NotAllowed."""
    by_key: dict[str, Mapping[str, Any]] = {}
    places: set[tuple[str, int]] = set()
    for entry in entries:
        place = place_of(entry["interruptId"])
        if place is None:
            raise BadRequest(UNKNOWN, where="resume.interruptId")
        id, n, key = place
        places.add((id, n))
        if key in by_key:
            raise BadRequest(f"The interrupt {id}:{n}:{key} is answered twice.", where="resume")
        by_key[key] = entry
    if len(places) != 1:
        raise BadRequest("Answer the interrupts of one stream only.", where="resume")
    id, start = places.pop()
    run = _run_of(pack_id, id)
    rows = {row.key: row for row in Approval.objects.filter(run=run)}
    unknown = [key for key in by_key if key not in rows]
    if unknown or start > run.last:
        raise BadRequest(UNKNOWN, where="resume.interruptId")
    for key in by_key:
        require(person, rows[key], Level.EDIT)
    left = [key for key, row in rows.items() if row.status == "open" and key not in by_key]
    if left:
        raise BadRequest(
            "Answer all open questions of the run.",
            hint=f"Without an answer: {', '.join(left)}.",
            where="resume",
        )
    answers = tuple((rows[key], entry) for key, entry in by_key.items())
    return Resumed(run=run, start=start, answers=answers)


def answer_all(resumed: Resumed, *, by: str) -> None:
    """Pass the answers on to the run, as those of the queue of approvals. Raises BadRequest for one
    that its question does not take, and AnsweredMeanwhile."""
    for approval, _ in resumed.answers:
        if approval.status != Approval.Status.OPEN:
            who = approval.answered_by or "The run"
            raise AnsweredMeanwhile(
                f"{who} has already answered or ended this question.",
                hint=f"Follow the run with GET /api/v1/runs/{resumed.run.pk}/ag-ui/.",
            )
    for approval, entry in resumed.answers:
        if entry["status"] == "resolved":
            given = answer_in(approval.kind, entry.get("payload"))
            edited = {GIVEN: given.pop("edited")} if "edited" in given else None
            answer(approval.pk, **given, edited=edited, by=by)
        elif approval.kind in YES_OR_NO:
            answer(approval.pk, approve=False, by=by)
        else:
            runs.signal(resumed.run.pk, Control(at=time.time(), what="cancel"), by=by)
            return


def _run_of(pack_id: int, id: str) -> Run:
    try:
        run = read.run_named(str(UUID(id)))
    except (ValueError, NotThere):
        raise BadRequest(UNKNOWN, where="resume.interruptId") from None
    if run.pack_id != pack_id:
        raise BadRequest(UNKNOWN, where="resume.interruptId")
    return run
