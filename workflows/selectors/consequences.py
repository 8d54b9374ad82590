"""Consequences of a change of a stored pack, computed apart from the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from django.contrib.auth.models import User
from django.db.models import QuerySet

from roles.rights import visible
from workflows.consequences.consequences import Consequences, TakenTransition
from workflows.core.engine.events import Event
from workflows.core.engine.rehearsal.rehearse import Limits as WalkLimits
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.isolation import Limits
from workflows.models import Pack, Run
from workflows.selectors.known_tools import known_tools
from workflows.selectors.pack_work import on_pack
from workflows.selectors.runs import log
from workflows.selectors.sources import dialect_named

REHEARSED_RUNS = 50
SECONDS = 10.0
"""Of each of the two rehearsals."""
LIMITS = Limits(seconds=40)
WALK = WalkLimits(steps=2_000, total=20_000, covered=True)
MAX_RUNS = 100
"""Recorded runs that one answer replays, newest first."""


def consequences_of(
    pack: Pack,
    before: Files,
    after: Files,
    edits: Sequence[Edit] = (),
    *,
    runs: QuerySet[Run] | None = None,
    rehearse: bool = True,
    drawn: bool = False,
) -> Consequences:
    """Consequences of the change from some files of a pack to others. `runs`: the runs of which the
    newest are replayed; None: no run is. Raises TookTooLong."""
    logs = {} if runs is None else logs_of(runs)
    found: Consequences = on_pack(
        "Comparing the two versions",
        "proposed",
        dialect_named(pack.dialect),
        before,
        after,
        pack.profile,
        edits=edits,
        tools=known_tools(pack) if rehearse else None,
        logs=None if runs is None else logs,
        runs=REHEARSED_RUNS,
        walk=WALK,
        seconds=SECONDS,
        drawn=drawn,
        limits=LIMITS,
        hint="Split the pack, or propose fewer edits.",
    )
    return replace(found, removed_taken=tuple(_removed_taken(found, logs)))


def _removed_taken(
    found: Consequences, logs: Mapping[str, Sequence[Event]]
) -> Iterator[TakenTransition]:
    """The transitions that the change removes and that runs took, each with the newest of them."""
    removed = set(found.difference.transitions.removed if found.difference else ())
    for run, events in logs.items():
        for event in events:
            taken = event.fields.get("transition")
            if event.type == "transition.taken" and taken in removed:
                removed.discard(taken)
                yield TakenTransition(transition=taken, run=run, n=event.n)


def logs_of(runs: QuerySet[Run]) -> dict[str, list[Event]]:
    """The events of the newest of these runs by their ids."""
    newest = runs.order_by("-created_at", "pk")[:MAX_RUNS]
    return {str(run.pk): events for run in newest if (events := log(run))}


def completed_runs(pack: Pack, person: User | None = None) -> QuerySet[Run]:
    """The completed runs of a pack; with a person, those that the person may see."""
    runs = Run.objects.filter(pack=pack, status="completed")
    return runs if person is None else visible(runs, person)
