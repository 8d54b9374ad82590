"""Recorded runs of a pack, checked against the pack as it is now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from workflows.bindings.run_context import program_from_log
from workflows.core.compare.drawn_divergence import divergence_svg
from workflows.core.engine.program import CannotRun, Program
from workflows.core.engine.replay.recording import InvalidRecording
from workflows.core.engine.replay.verify import Verdict, verify
from workflows.models import Pack, Run
from workflows.selectors.runs import log
from workflows.selectors.sources import opened

MAX_RUNS = 20
"""Recorded runs that one answer checks."""


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


def verified_runs(pack: Pack, runs: QuerySet[Run]) -> Iterator[VerifiedRun]:
    """The verdicts of the newest of these runs of the pack. Runs whose log cannot be replayed are
    left out."""
    head = opened(pack)
    graph = head.under(pack.profile).graph
    program: Program | CannotRun
    try:
        program = head.dialect.program(head.source, pack.profile)
    except CannotRun as cannot:
        program = cannot
    for run in runs.select_related("owner").order_by("-created_at", "pk")[:MAX_RUNS]:
        events = log(run)
        if not events:
            continue
        today = program
        try:
            if not isinstance(today, CannotRun):
                today = program_from_log(today, events[0].fields)
            verdict = verify(today, events)
        except InvalidRecording:
            continue
        found = verdict.divergence
        svg = divergence_svg(graph, events, found) if found else ""
        yield VerifiedRun(run=run, verdict=verdict, svg=svg)
