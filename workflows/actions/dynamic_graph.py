"""Saving the graph of a run, with the states it added, as a new pack."""

from __future__ import annotations

from django.contrib.auth.models import User

from workflows.actions.packs import import_files
from workflows.errors import Refused
from workflows.models import Pack, Run
from workflows.selectors.layout import layout_at
from workflows.selectors.runs import log
from workflows.selectors.sources import opened


def save_graph(run: Run, *, owner: User | None, name: str = "", at: int | None = None) -> Pack:
    """Create a pack from the run's revision, with the states and transitions that the run had added
    by event `at` (None for all). Positions are copied, and the author's bytes are kept. Raises
    EditRefused with the reason, and Refused for a dialect whose runs never change their graph."""
    here = opened(run.pack, run.revision)
    if not here.dialect.dynamic:
        raise Refused(f"{here.dialect.label}: a run of such a pack adds nothing to its graph.")
    events = [event for event in log(run) if at is None or event.n <= at]
    after = here.dialect.with_additions(here.source, events)
    made = import_files(
        after.files,
        owner=owner,
        origin=f"grown in a run of {run.pack.name}",
        name=name.strip() or f"{run.pack.name} (grown)",
        layout=layout_at(run.pack_id, run.revision),
    )
    return made.packs[0]
