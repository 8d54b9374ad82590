"""A run whose log the test writes itself, and hubs that do not wait long."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable

import pytest
from django.db import transaction

from workflows.live.hub import Hub
from workflows.models import Pack, Run, RunEvent

Write = Callable[[int], None]
MakeHub = Callable[..., Hub]


@pytest.fixture
def run(transactional_db: None) -> Run:
    pack = Pack.objects.create(name="Watched", dialect="tiny", profile="plain", main="x", head=1)
    return Run.objects.create(pack=pack, revision=1, profile="plain", driver="manual")


@pytest.fixture
def write(run: Run) -> Write:
    """Add events to the run's log, without a notification. In one transaction, as the server does:
    a socket that has an event never reads an older `last`."""

    @transaction.atomic
    def add(count: int) -> None:
        row = Run.objects.get(pk=run.pk)
        numbers = range(row.last + 1, row.last + count + 1)
        RunEvent.objects.bulk_create(
            RunEvent(run=row, n=n, at=time.time(), type="tiny.note", fields={"text": f"é {n}"})
            for n in numbers
        )
        Run.objects.filter(pk=run.pk).update(last=row.last + count, status="running")

    return add


@pytest.fixture
async def make_hub() -> AsyncIterator[MakeHub]:
    made: list[Hub] = []

    def make(poll: float = 60.0, gap: float = 0.0, frames: int = 200) -> Hub:
        made.append(Hub(poll=poll, gap=gap, frames=frames))
        return made[-1]

    yield make
    for hub in made:
        await hub.close()
