"""One action on several runs, each with an outcome of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.contrib.auth.models import User

from roles.rights import Level, visible
from workflows.actions import runs
from workflows.core.engine.signals import Control
from workflows.errors import CallerError
from workflows.models import Pack, Run

BulkAction = Literal["cancel", "retry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result for one run. `message` is "" if the action was done; `run` is the id of a run that
    was started."""

    id: str
    message: str = ""
    run: str = ""


OF_ITS_OWNER = ("commands", "tools", "allowed_tools")


def act_on_runs(
    action: BulkAction, ids: Sequence[UUID], person: User, source: str
) -> list[Outcome]:
    """Cancel runs, or start each again with the same revision, inputs and driver. Runs are
    independent: a refusal of one does not stop the others."""
    rows = Run.objects.select_related("pack").filter(pk__in=ids)
    level = Level.EDIT if action == "cancel" else Level.READ
    by_id = {row.pk: row for row in rows}
    allowed = set(visible(rows, person, level).values_list("pk", flat=True))
    readable = set(visible(rows, person).values_list("pk", flat=True))
    return [
        _outcome(action, id, by_id, allowed, readable, person, source) for id in dict.fromkeys(ids)
    ]


def _outcome(
    action: BulkAction,
    id: UUID,
    by_id: Mapping[UUID, Run],
    allowed: set[UUID],
    readable: set[UUID],
    person: User,
    source: str,
) -> Outcome:
    if id not in readable:
        return Outcome(id=str(id), message="There is no run with this id.")
    if id not in allowed:
        return Outcome(id=str(id), message="You may see this run, but not change it.")
    try:
        if action == "retry":
            return Outcome(id=str(id), run=str(_again(by_id[id], person, source).pk))
        runs.signal(id, Control(at=time.time(), what="cancel"), by=person.get_username())
        return Outcome(id=str(id))
    except CallerError as refused:
        return Outcome(id=str(id), message=refused.sentence)


def _again(row: Run, person: User, source: str) -> Run:
    options = runs.start_options(row.options)
    if row.owner_id != person.pk:
        # Permission to run commands is not inherited, nor are commands.
        options = {name: value for name, value in options.items() if name not in OF_ITS_OWNER}
    pack = visible(Pack.objects.filter(pk=row.pack_id), person).get()
    return runs.start(
        pack,
        revision=row.revision,
        driver=row.driver,
        options=options,
        owner=person,
        profile=row.profile,
        source=source,
    )
