"""Rehearsal of a stored pack within a time limit. Nothing is stored."""

from __future__ import annotations

from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.rehearse import Limits, Rehearsal
from workflows.errors import CannotStart
from workflows.isolation import Limits as ProcessLimits
from workflows.isolation import Stopped, run_apart
from workflows.models import Pack
from workflows.selectors.known_tools import check_available, known_tools
from workflows.selectors.sources import view

SECONDS = 15.0
LIMITS = Limits(steps=2_000, total=20_000)
SPARE = 10
"""Seconds for reading the pack before the rehearsal, and for its last step."""


def rehearsed(pack: Pack, *, runs: int, seed: int, keep: int = 0) -> Rehearsal:
    """Rehearse a pack, in a process of its own. Runs that do not fit into the time are left out.
    `keep`: the number of the run whose events are returned.

    Raises CannotRun or CannotStart if it cannot be rehearsed, or if no run fits into the time, or
    if it names a tool that this server does not have.
    """
    pack_view = view(pack)
    if not pack_view.readable:
        raise CannotRun("This pack cannot be read, so it cannot be rehearsed.")
    tools = known_tools(pack)
    check_available(pack_view.drawn.named_tools, tools)
    try:
        made: Rehearsal = run_apart(
            "rehearsed",
            pack.dialect,
            pack_view.files,
            pack.profile,
            tools=tools,
            runs=runs,
            seed=seed,
            limits=ProcessLimits(seconds=max(1, round(SECONDS) + SPARE)),
            walk=LIMITS,
            seconds=SECONDS,
            keep=keep,
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
