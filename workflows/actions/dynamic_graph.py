"""Saving the graph of a run, with the states it added, as a new pack."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from workflows.actions import save_revision
from workflows.actions.packs import import_files
from workflows.actions.save_revision import Step
from workflows.errors import Refused
from workflows.models import Pack, Revision, Run
from workflows.selectors.layout import layout_at
from workflows.selectors.runs import log
from workflows.selectors.sources import opened


@transaction.atomic
def save_graph(run: Run, *, owner: User | None, name: str = "", at: int | None = None) -> Pack:
    """Create a pack from the run's revision, with the states and transitions that the run had added
    by event `at` (None for all). Positions are copied, and the author's bytes are kept. Raises
    EditRefused with the reason, and Refused for a dialect whose runs never change their graph."""
    here = opened(run.pack, run.revision)
    if not here.dialect.dynamic:
        raise Refused(f"{here.dialect.label}: a run of such a pack adds nothing to its graph.")
    events = [event for event in log(run) if at is None or event.n <= at]
    after = here.dialect.with_additions(here.source, events)
    called = name.strip() or f"{run.pack.name} (grown)"
    origin = f"grown in a run of {run.pack.name}"
    (pack,) = import_files(after.files, owner=owner, origin=origin, name=called).packs
    layout = layout_at(run.pack_id, run.revision)
    if layout:
        now = opened(pack)
        step = Step(
            kind=Revision.Kind.EDIT,
            author=owner,
            summary="Copy positions",
            head=now,
            after=now,
            layout=layout,
        )
        save_revision.save(pack, step)
    return pack
