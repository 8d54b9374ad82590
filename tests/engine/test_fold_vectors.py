"""Recorded runs fold to the views stored with them. The canvas folds the same logs to the same
views (`vectors.test.ts`), so the server and the browser agree on the state of a run."""

import json

import pytest

from scripts.fold_vectors import FOLDER, record, recordings, shared_view, vector_of
from tests.support.checks import each_row
from workflows.actions import packs
from workflows.core.dialects import dialects
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold, fold_all
from workflows.core.engine.run import FINISHED, RunState
from workflows.models import Run, RunEvent
from workflows.selectors.dynamic_graph import with_grown

VECTORS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


@each_row(VECTORS)
def test_the_server_folds_a_recorded_log_to_its_stored_views(name):
    vector = VECTORS[name]
    log = [Event.from_json(body) for body in vector["events"]]
    assert [event.n for event in log] == list(range(1, len(log) + 1))
    run, statuses = RunState(), []
    for event in log:
        after = fold(run, event)
        if after.status != run.status:
            statuses.append([after.n, after.status])
        run = after
    assert statuses == vector["statuses"]
    for view in vector["views"]:
        assert shared_view(fold_all(log[: view["n"]]), log) == view
    assert vector["views"][-1]["n"] == len(log)


def test_there_are_fifty_vectors_of_all_dialects_ends_and_waits():
    specs = recordings()
    assert [spec["name"] for spec in specs] == list(dict.fromkeys(spec["name"] for spec in specs))
    assert {spec["name"] for spec in specs} == set(VECTORS)
    assert len(VECTORS) >= 50
    assert {spec["pack"].partition("/")[0] for spec in specs} >= set(dialects()) - {"tiny"}
    views = [view for vector in VECTORS.values() for view in vector["views"]]
    assert {view["status"] for view in views} >= {*FINISHED, "running", "waiting", "paused"}
    kinds = {one["for"] for view in views for one in view["pending"].values()}
    assert kinds >= {"model", "tool", "command", "person", "event", "time"}
    assert any(len(view["positions"]) > 2 for view in views)
    assert any(view["grown"]["states"] and view["grown"]["transitions"] for view in views)


def test_the_samples_still_run_as_recorded():
    """If this fails the vectors are out of date: run scripts/fold_vectors.py. Texts may differ."""
    specs = recordings()
    for name, recorder in record(specs).items():
        now = vector_of(name, "", recorder.log)
        assert [_step(event) for event in now["events"]] == [
            _step(event) for event in VECTORS[name]["events"]
        ], name
        assert now["statuses"] == VECTORS[name]["statuses"]


def _step(event):
    return tuple(event.get(field) for field in ("type", "position", "state", "key", "transition"))


@pytest.mark.django_db
def test_additions_to_the_graph_are_read_from_the_stored_log():
    pack = packs.create("agent_graph", name="Team", owner=None)
    for vector in VECTORS.values():
        if not any("grown" in event for event in vector["events"]):
            continue
        row = Run.objects.create(pack=pack, revision=1, driver="rehearsal", last=0)
        RunEvent.objects.bulk_create(
            RunEvent(run=row, n=event.n, at=event.at, type=event.type, fields=event.fields)
            for event in map(Event.from_json, vector["events"])
        )
        for view in vector["views"]:
            graph = with_grown({"states": [], "transitions": []}, row, view["n"])
            ids = {kind: [one["id"] for one in graph[kind]] for kind in graph}
            assert ids == view["grown"]
