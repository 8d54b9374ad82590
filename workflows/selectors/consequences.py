"""Consequences of a change of a stored pack, computed apart from the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from roles.rights import visible
from workflows.consequences.affected_runs import PLACES
from workflows.consequences.consequences import Consequences, TakenTransition
from workflows.core.engine.events import Event
from workflows.core.engine.rehearsal.rehearse import Limits as WalkLimits
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.isolation import Limits
from workflows.models import Pack, Run, RunEvent
from workflows.opened_packs.pack_work import on_pack
from workflows.selectors.known_tools import known_tools
from workflows.selectors.runs import event_of, log
from workflows.selectors.sources import dialect_named

REHEARSED_RUNS = 50
SECONDS = 10.0
"""Of each of the two rehearsals."""
LIMITS = Limits(seconds=40)
WALK = WalkLimits(steps=2_000, total=20_000, covered=True)
MAX_RUNS = 100
"""Recorded runs that one answer replays, newest first."""
MOVES = ("state.entered", "transition.taken")
"""Events that show where a run is."""


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
    newest = [] if runs is None else list(_newest(runs))
    work = partial(
        on_pack,
        "Comparing the two versions",
        limits=LIMITS,
        hint="Split the pack, or propose fewer edits.",
    )
    versions = dialect_named(pack.dialect), before, after, pack.profile
    states = work("affected", *versions) if newest else None
    logs = _logs(newest) if states is None else _affected_logs(newest, states)
    found: Consequences = work(
        "proposed",
        *versions,
        edits=edits,
        tools=known_tools(pack) if rehearse else None,
        logs=None if runs is None else logs,
        runs=REHEARSED_RUNS,
        walk=WALK,
        seconds=SECONDS,
        drawn=drawn,
    )
    return replace(found, runs=len(newest), removed_taken=tuple(_removed_taken(found, logs)))


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
    return _logs(_newest(runs))


def _logs(runs: Iterable[Run]) -> dict[str, list[Event]]:
    return {str(run.pk): events for run in runs if (events := log(run))}


def _newest(runs: QuerySet[Run]) -> QuerySet[Run]:
    return runs.order_by("-created_at", "pk")[:MAX_RUNS]


def _affected_logs(runs: Sequence[Run], states: frozenset[str]) -> dict[str, list[Event]]:
    """The events of the runs that came to one of these states, each up to a step after it has left
    the last of them."""
    moves = RunEvent.objects.filter(run__in=runs, type__in=MOVES).order_by("run", "n")
    parts = Q(pk=None)
    for run, rows in groupby(moves.values_list("run", "n", "type", "fields"), itemgetter(0)):
        path = list(rows)
        there = [at for at, (*_, fields) in enumerate(path) if states & _places(fields)]
        if not there:
            continue
        last = there[-1]
        has_left = path[last][2] == "transition.taken" and last + 2 < len(path)
        parts |= Q(run=run, n__lte=path[last + 2][1]) if has_left else Q(run=run)
    logs: dict[str, list[Event]] = {}
    for row in RunEvent.objects.filter(parts).order_by("run", "n"):
        logs.setdefault(str(row.run_id), []).append(event_of(row))
    return {str(run.pk): logs[str(run.pk)] for run in runs if str(run.pk) in logs}


def _places(fields: Mapping[str, Any]) -> set[str]:
    return {str(fields[name]) for name in PLACES if name in fields}


def completed_runs(pack: Pack, person: User | None = None) -> QuerySet[Run]:
    """The completed runs of a pack; with a person, those that the person may see."""
    runs = Run.objects.filter(pack=pack, status="completed")
    return runs if person is None else visible(runs, person)
