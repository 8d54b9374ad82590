"""A graph that grew while it ran: over HTTP, as it was at any event, and as a pack of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from workflows.actions import packs, runs
from workflows.core.engine.signals import Reply
from workflows.core.pack.edits import Move
from workflows.models import Pack, Run
from workflows.selectors.sources import opened

MAIN = "team.agents.json"
TEXT = b"""{
  "agent_graph": 1, "x-own": 2.50,
  "nodes": [
    {"id": "lead", "role": "orchestrator", "instructions": "Begin."}
  ]
}
"""


def call(name: str, **args: Any) -> str:
    return json.dumps({"tool_call": {"name": name, "args": args}})


@pytest.fixture
def team() -> Pack:
    (pack,) = packs.import_files({MAIN: TEXT}, owner=None, name="Team").packs
    packs.edit(pack.pk, 1, [Move(positions={"lead": [40.0, 80.0]})], None)
    return Pack.objects.get(pk=pack.pk)


@pytest.fixture
def run(team: Pack) -> Run:
    """A run in which a model reply added an agent and an edge to it."""
    started = runs.start(team, driver="manual", options={})
    said = [
        call("spawn_node", label="Writer", alias="writer", roleTemplate="implementer"),
        call("create_edge", **{"from": "lead", "to": "writer"}),
    ]
    runs.signal(started.pk, Reply(at=2.0, key="0:1", text="\n".join(said)))
    return Run.objects.get(pk=started.pk)


def graph(site: Client, run: Run, query: str = "") -> tuple[list[str], list[str]]:
    body = site.get(f"/api/v1/runs/{run.pk}/graph/{query}").json()
    return [one["id"] for one in body["states"]], [one["id"] for one in body["transitions"]]


def test_the_graph_of_a_run_has_what_it_added(site: Client, run: Run) -> None:
    whole = (["lead", "writer"], ["lead|task|writer", "writer|task|lead"])
    assert graph(site, run) == whole
    assert graph(site, run, "?at=0") == (["lead"], [])
    events = site.get(f"/api/v1/runs/{run.pk}/events/").json()["events"]
    added = next(one["n"] for one in events if one["type"] == "agent_graph.node_added")
    assert graph(site, run, f"?at={added - 1}") == (["lead"], [])
    assert graph(site, run, f"?at={added}") == (["lead", "writer"], [])
    assert site.get(f"/api/v1/runs/{run.pk}/graph/?at=x").status_code == 400


def test_it_is_saved_as_a_pack_in_which_the_authors_bytes_stay(
    site: Client, run: Run, team: Pack, post: Any
) -> None:
    answer = post(f"runs/{run.pk}/save-graph/", {"name": "With a writer"})
    assert answer.status_code == 201
    assert answer.json()["name"] == "With a writer"
    pack = Pack.objects.get(pk=answer.json()["id"])
    written = opened(pack).files[MAIN]
    rest = iter(written)
    assert len(written) > len(TEXT)
    assert all(byte in rest for byte in TEXT)
    drawn = site.get(f"/api/v1/packs/{pack.pk}/graph/").json()
    assert ([one["id"] for one in drawn["states"]], len(drawn["transitions"])) == (
        ["lead", "writer"],
        2,
    )
    assert (drawn["states"][0]["x"], drawn["states"][0]["y"]) == (40.0, 80.0)
    assert opened(team).files[MAIN] == TEXT


@pytest.mark.parametrize(
    ("body", "says"), [({"at": 3}, "added no agents"), ({"at": 0}, "added no agents")]
)
def test_where_nothing_was_added_there_is_nothing_to_save(
    run: Run, post: Any, body: dict[str, int], says: str
) -> None:
    answer = post(f"runs/{run.pk}/save-graph/", body)
    assert answer.status_code == 422
    assert says in answer.json()["message"]


def test_graphs_of_other_dialects_do_not_grow(site: Client, post: Any) -> None:
    pack = packs.create_from_sample("promptpack/code-review", owner=None)
    run = runs.start(pack, driver="manual", options={})
    answer = post(f"runs/{run.pk}/save-graph/", {})
    assert answer.status_code == 422
    assert "adds nothing to its graph" in answer.json()["message"]
    assert len(graph(site, run)[0]) == len(graph(site, run, "?at=0")[0])


def test_the_graph_of_a_run_lacks_what_a_person_removed(site: Client, run: Run, post: Any) -> None:
    fired = post(
        f"runs/{run.pk}/signals/", {"type": "Fire", "event": "remove_edge:lead|task|writer"}
    )
    assert fired.status_code == 200
    assert graph(site, run) == (["lead", "writer"], ["writer|task|lead"])
    fired = post(f"runs/{run.pk}/signals/", {"type": "Fire", "event": "remove_node:lead"})
    assert graph(site, run) == (["writer"], [])
    events = site.get(f"/api/v1/runs/{run.pk}/events/").json()["events"]
    removed = next(one["n"] for one in events if one["type"] == "agent_graph.node_removed")
    assert graph(site, run, f"?at={removed - 1}") == (["lead", "writer"], ["writer|task|lead"])
    saved = post(f"runs/{run.pk}/save-graph/", {}).json()
    drawn = site.get(f"/api/v1/packs/{saved['id']}/graph/").json()
    assert [one["id"] for one in drawn["states"]] == ["writer"]
