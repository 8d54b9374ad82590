"""The heat of a revision over HTTP."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.test import Client

from workflows.core.engine.events import Event
from workflows.models import Pack, Run, RunEvent


def recorded(pack: Pack, owner: User, revision: int, cost: float) -> Run:
    run = Run.objects.create(
        pack=pack, revision=revision, profile="", driver="model", owner=owner, last=3
    )
    at = {"position": "0", "state": "intake"}
    for event in (
        Event(n=1, at=10.0, type="state.entered", fields=at),
        Event(n=2, at=12.0, type="model.replied", fields={**at, "usage": {"cost": cost}}),
        Event(n=3, at=13.0, type="run.finished", fields={"status": "completed"}),
    ):
        RunEvent.objects.create(
            run=run, n=event.n, at=event.at, type=event.type, fields=event.fields
        )
    return run


def test_the_runs_of_one_revision_are_summed(support: Pack, ada: User, client: Client) -> None:
    client.force_login(ada)
    for revision, cost in ((1, 0.25), (1, 0.5), (2, 4.0)):
        recorded(support, ada, revision, cost)
    body = client.get(f"/api/v1/packs/{support.pk}/heat/?revision=1").json()
    assert (body["revision"], body["runs"], body["left_out"]) == (1, 2, 0)
    (intake,) = body["states"]
    assert (intake["state"], intake["visits"], intake["seconds"]) == ("intake", 2, 6.0)
    assert intake["cost"] == 0.75


def test_the_heat_of_a_fork_is_without_the_time_before_it_continued(
    support: Pack, ada: User, client: Client
) -> None:
    client.force_login(ada)
    run = Run.objects.create(
        pack=support, revision=1, profile="", driver="model", owner=ada, last=5
    )
    at = {"position": "0", "state": "intake"}
    for n, seconds, type, fields in (
        (1, 10.0, "run.started", {"forked_from": {"run": "x", "at": 3}}),
        (2, 10.0, "state.entered", at),
        # Types that heat does not read. Active time is on both sides of the fork point.
        (3, 14.0, "artifact.set", at),
        (4, 1_014.0, "artifact.set", at),
        (5, 1_017.0, "run.finished", {"status": "completed"}),
    ):
        RunEvent.objects.create(run=run, n=n, at=seconds, type=type, fields=fields)
    (intake,) = client.get(f"/api/v1/packs/{support.pk}/heat/?revision=1").json()["states"]
    assert intake["seconds"] == 7.0


def test_a_revision_is_a_number(support: Pack, ada: User, client: Client) -> None:
    client.force_login(ada)
    assert client.get(f"/api/v1/packs/{support.pk}/heat/?revision=x").status_code == 400
    assert client.get("/api/v1/packs/987654/heat/").status_code == 404
