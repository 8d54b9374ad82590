"""Cases and recorded runs of a pack, checked against the pack as it is now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from workflows.consequences.recordings import CaseVerdict
from workflows.core.engine.events import Event
from workflows.core.engine.program import CannotRun
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.verify import Verdict
from workflows.errors import Unreadable
from workflows.isolation import Limits
from workflows.models import Pack, Run
from workflows.opened_packs.pack_work import on_pack
from workflows.selectors.runs import log
from workflows.selectors.sources import opened

MAX_RUNS = 20
"""Recorded runs that one answer checks."""
LIMITS = Limits(seconds=40)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRun:
    """A run and its verdict. `svg`: the first divergence on the graph, "" if there is none."""

    run: Run
    verdict: Verdict
    svg: str = ""

    def to_json(self) -> dict[str, Any]:
        """The shape of the API."""
        found = self.verdict.divergence
        return {
            "run": str(self.run.pk),
            "revision": self.run.revision,
            "created_at": self.run.created_at,
            "holds": self.verdict.holds,
            "events": self.verdict.events,
            "reworded": list(self.verdict.reworded),
            "n": found.n if found else None,
            "message": found.message if found else "",
            "svg": self.svg,
        }


def verified(
    pack: Pack, runs: QuerySet[Run] | None = None
) -> tuple[list[CaseVerdict], list[VerifiedRun]]:
    """The verdicts on the cases of the newest revision, and on the newest of these runs of the
    pack. Runs whose log cannot be replayed are left out. Raises TookTooLong."""
    newest = () if runs is None else runs.select_related("owner").order_by("-created_at", "pk")
    rows = {str(run.pk): run for run in newest[:MAX_RUNS]}
    logs = {id: events for id, run in rows.items() if (events := log(run))}
    here, hint = opened(pack), "Delete some of its cases."
    cases, found = on_pack(
        "Replaying the runs of this pack", "verified", here.dialect, here.files, pack.profile,
        logs=logs, limits=LIMITS, hint=hint,
    )  # fmt: skip
    return cases, [
        VerifiedRun(run=rows[id], verdict=verdict, svg=svg) for id, verdict, svg in found
    ]


def recorded(pack: Pack, files: Mapping[str, str]) -> tuple[Sequence[Event], Verdict]:
    """The log of a run that another runtime has written into these files, and the verdict on it.
    Nothing is stored. Raises Unreadable and TookTooLong."""
    here = opened(pack)
    if not here.source.readable:
        raise Unreadable("This pack cannot be read, so no run of it can be shown.")
    data = {path: text.encode("utf-8", "surrogatepass") for path, text in files.items()}
    try:
        log, verdict = on_pack(
            "Repeating this run", "recorded", here.dialect, here.files, pack.profile,
            written=data, limits=LIMITS,
        )  # fmt: skip
    except (InvalidRecording, CannotRun) as bad:
        raise Unreadable(str(bad), hint="Choose the files of one run together.") from None
    return log, verdict
