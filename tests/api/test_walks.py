"""The walks of a rehearsal, over HTTP."""

from __future__ import annotations

from typing import Any

from workflows.models import Pack


def test_a_walk_can_be_opened_as_a_run(support: Pack, post: Any) -> None:
    asked = {"runs": 5, "seed": 3}
    listed = post(f"packs/{support.pk}/rehearse/", asked).json()
    assert [walk["number"] for walk in listed["walks"]] == list(range(1, listed["runs"] + 1))
    assert listed["events"] == []
    for walk in listed["walks"]:
        opened = post(f"packs/{support.pk}/rehearse/", {**asked, "walk": walk["number"]}).json()
        log = opened["events"]
        assert [event["n"] for event in log] == list(range(1, walk["events"] + 1))
        assert log[-1]["type"] == "run.finished"
        assert log[-1]["status"] == walk["outcome"]
        assert opened["walks"] == listed["walks"]


def test_the_shortest_path_to_a_transition_is_in_a_walk(support: Pack, post: Any) -> None:
    asked = {"runs": 5, "seed": 3}
    listed = post(f"packs/{support.pk}/rehearse/", asked).json()
    assert set(listed["taken_in"]) == set(listed["shortest"])
    for id, way in listed["taken_in"].items():
        log = post(f"packs/{support.pk}/rehearse/", {**asked, "walk": way["walk"]}).json()["events"]
        event = log[way["event"] - 1]
        assert event["type"] in ("transition.taken", "run.finished")
        assert id.split("|")[0] in (event.get("source"), event.get("state"))
