"""Rehearsal of an opened pack within a time limit. Nothing is stored."""

from __future__ import annotations

from typing import Any

from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import Limits, Rehearsal
from workflows.errors import CannotStart
from workflows.isolation import Limits as ProcessLimits
from workflows.isolation import Stopped, run_apart
from workflows.opened_packs.known_tools import Known, check_available
from workflows.opened_packs.view import View

SECONDS = 15.0
LIMITS = Limits(steps=2_000, total=20_000)
SPARE = 10
"""Seconds for reading the pack before the rehearsal, and for its last step."""


def rehearsed_json(pack_view: View, known: Known, **how: int) -> dict[str, Any]:
    """A rehearsal with the events of the run that is kept; see `rehearsed`."""
    made = rehearsed(pack_view, known, **how)
    return {**made.to_json(), "events": [event.to_json() for event in made.log]}


def rehearsed(pack_view: View, known: Known, *, runs: int, seed: int, walk: int = 0) -> Rehearsal:
    """Rehearse a pack, in a process of its own. Runs that do not fit into the time are left out.
    `walk`: the number of the run whose events are returned.

    Raises CannotRun or CannotStart if it cannot be rehearsed, or if no run fits into the time, or
    if it names a tool that is not known.
    """
    if not pack_view.readable:
        raise CannotRun("This pack cannot be read, so it cannot be rehearsed.")
    tools = known()
    check_available(pack_view.drawn.named_tools, tools)
    try:
        made: Rehearsal = run_apart(
            "rehearsed",
            pack_view.dialect.name,
            pack_view.files,
            pack_view.profile,
            tools=tools,
            runs=runs,
            seed=seed,
            limits=ProcessLimits(seconds=max(1, round(SECONDS) + SPARE)),
            walk=LIMITS,
            seconds=SECONDS,
            keep=walk,
        )
    except Stopped as stopped:
        raise CannotStart(
            stopped.sentence("The rehearsal"), hint="Ask for fewer runs.", where="runs"
        ) from None
    if not made.runs:
        raise CannotStart(
            f"The rehearsal took longer than {SECONDS:.0f} seconds.",
            hint="Ask for fewer runs.",
            where="runs",
        )
    return made
