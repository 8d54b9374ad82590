"""The graph of a run, as far as it grew, kept as a pack of its own."""

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
    """A new pack with the files of the run's revision and, written into them, what the run had
    added by event `at` (by now where None). Boxes stand where they stood. Every byte of the
    author's stays. Raises EditRefused with the reason, and Refused where graphs never grow."""
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
            summary="Boxes where they stood",
            head=now,
            after=now,
            layout=layout,
        )
        save_revision.save(pack, step)
    return pack
