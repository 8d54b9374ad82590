"""A team of agents survives kills of its workers."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.runner.test_killed_worker import kill_after, to_the_end
from workflows.actions import packs, runs
from workflows.core.engine.fold import fold_all
from workflows.core.engine.run import RunState
from workflows.models import Job, Run, RunEvent
from workflows.selectors.runs import event_of

DATA = Path(__file__).resolve().parents[1] / "dialects/agent_graph/run/data"


@pytest.mark.skipif(sys.platform != "linux", reason="A dead process is found by /proc")
@pytest.mark.django_db(transaction=True)
def test_a_team_survives_kills_during_parallel_work() -> None:
    files = {"team.agents.json": (DATA / "two-workers.agents.json").read_bytes()}
    (pack,) = packs.import_files(files, owner=None).packs
    script = json.loads((DATA / "two-workers.script.json").read_text())
    run = runs.start(pack, driver="script", options={"script": script, "delay_ms": 10})
    for commits in (1, 2, 0, 1, 3, 2):
        kill_after(commits)
    halfway = Run.objects.get(pk=run.pk)
    to_the_end()

    assert halfway.finished_at is None
    events = [event_of(row) for row in RunEvent.objects.filter(run=run).order_by("n")]
    assert events[-1].fields["reason"] == "Written and checked."
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    for kind in ("model.asked", "model.replied", "tool.called", "tool.returned"):
        keys = Counter(event.fields["key"] for event in events if event.type == kind)
        assert set(keys.values()) == {1}, kind
    sent = Counter(e.fields["envelope"]["id"] for e in events if e.type == "agent_graph.handoff")
    assert (len(sent), set(sent.values())) == (7, {1})
    added = [e.fields["node"]["id"] for e in events if e.type == "agent_graph.node_added"]
    assert added == ["writer", "checker", "reader"]
    assert most_at_once(events) >= 2
    assert not Job.objects.exists()


def most_at_once(events: list[Any]) -> int:
    """Number of agents that ran at the same time."""
    most, folded = 0, RunState()
    for event in events:
        folded = fold_all([event], folded)
        models = [one for one in folded.pending.values() if one["effect"] == "AskModel"]
        most = max(most, len(models))
    return most
