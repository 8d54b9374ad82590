"""Lists of runs take the same number of queries for one run and for a hundred."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from workflows.models import Pack, Run, RunEvent
from workflows.selectors import runs


def make_runs(pack: Pack, owner: User, count: int, states: int = 2) -> list[Run]:
    rows = [
        Run(pack=pack, revision=1, profile="documented", driver="rehearsal", owner=owner)
        for _ in range(count)
    ]
    Run.objects.bulk_create(rows)
    RunEvent.objects.bulk_create(
        RunEvent(run=row, n=2 * i + 1, at=0.0, type="state.entered", fields={"state": f"s{i}"})
        for row in rows
        for i in range(states)
    )
    RunEvent.objects.bulk_create(
        RunEvent(run=row, n=2 * i + 2, at=0.0, type="state.left", fields={"state": f"s{i}"})
        for row in rows
        for i in range(states)
    )
    return rows


@pytest.mark.parametrize("address", ["/runs/", "/api/v1/runs/?limit=100"])
def test_a_list_of_runs_takes_as_many_queries_for_one_as_for_a_hundred(
    site: Client, pack: Pack, ada: User, address: str
) -> None:
    make_runs(pack, ada, 1)
    counts = []
    for count in (1, 99):
        with CaptureQueriesContext(connection) as queries:
            assert site.get(address).status_code == 200
        counts.append(len(queries))
        make_runs(pack, ada, count)
    with CaptureQueriesContext(connection) as queries:
        assert site.get(address).status_code == 200
    assert {*counts, len(queries)} == {counts[0]}


def test_a_path_holds_the_newest_states_of_its_own_run(pack: Pack, ada: User) -> None:
    short, long = make_runs(pack, ada, 1, states=3)[0], make_runs(pack, ada, 1, states=40)[0]
    empty = make_runs(pack, ada, 1, states=0)[0]
    paths = [row["path"] for row in runs.runs_json([long, empty, short])]
    assert paths == [
        [f"s{i}" for i in range(40 - runs.PATH, 40)],
        [],
        ["s0", "s1", "s2"],
    ]


def test_more_runs_than_one_query_reads_keep_their_paths(
    pack: Pack, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "PATHS_PER_QUERY", 3)
    rows = make_runs(pack, ada, 7)
    assert [row["path"] for row in runs.runs_json(rows)] == [["s0", "s1"]] * 7


def test_a_started_run_has_the_path_of_the_list(pack: Pack, ada: User) -> None:
    for states in (0, 3, 40):
        run = make_runs(pack, ada, 1, states=states)[0]
        run.last = 2 * states
        (listed,) = runs.runs_json([run])
        for limit in (1000, 5):
            started = runs.started_json(run, limit)
            assert started.pop("events") == runs.events(run, 0, limit)
            assert started == listed
