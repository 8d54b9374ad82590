"""Every sample that ships runs through a worker, as a visitor's first run does."""

from __future__ import annotations

import asyncio
import logging

import pytest
from asgiref.sync import sync_to_async

from workflows.actions import runs
from workflows.actions.run_programs import program_of
from workflows.actions.samples import load_samples
from workflows.core.dialects import dialects
from workflows.core.engine.fold import fold_all
from workflows.core.engine.rehearsal.rehearse import simulated_inputs
from workflows.models import Artifact, Job, Run, RunEvent
from workflows.runner.worker import worker as running_worker
from workflows.selectors.runs import event_of

pytestmark = pytest.mark.django_db(transaction=True)


def begin_all() -> int:
    dialects().pop("tiny", None)
    packs = load_samples()
    for pack in packs:
        inputs = simulated_inputs(
            program_of(Run(pack=pack, revision=pack.head, profile=pack.profile))
        )
        runs.start(pack, driver="rehearsal", options={"seed": 1, "inputs": inputs})
    return len(packs)


async def test_every_sample_completes_a_rehearsal(caplog: pytest.LogCaptureFixture) -> None:
    begun = await sync_to_async(begin_all)()
    async with asyncio.timeout(120), running_worker() as worker:
        await worker.run_until_idle()
    ended = [run async for run in Run.objects.select_related("pack")]
    assert len(ended) == begun > 0
    for run in ended:
        assert run.status in ("completed", "budget_exhausted"), (run.pack.name, run.reason)
        events = [event_of(row) async for row in RunEvent.objects.filter(run=run).order_by("n")]
        assert [event.n for event in events] == list(range(1, run.last + 1))
        folded = fold_all(events)
        kept = {item.name async for item in Artifact.objects.filter(run=run)}
        assert kept == set(folded.artifacts)
    assert not await Job.objects.aexists()
    assert [said for said in caplog.records if said.levelno >= logging.ERROR] == []
