"""A run that has ended, made without a worker."""

from __future__ import annotations

from django.contrib.auth.models import User

from workflows.actions import runs
from workflows.core.engine.fold import pending_effects
from workflows.models import Pack, Run
from workflows.runner.simulated import rehearse_answer
from workflows.selectors.sources import view


def recorded(pack: Pack, owner: User) -> Run:
    """A run that a rehearsal has played to its end."""
    run = runs.start(pack, driver="rehearsal", options={"seed": 1}, owner=owner)
    log, graph = runs.work_of(run.pk), view(pack).graph
    while pending := pending_effects(log.run):
        log = runs.deliver(run.pk, rehearse_answer(pending[0], log.run, graph, {}), held=log)
    return Run.objects.get(pk=run.pk)
