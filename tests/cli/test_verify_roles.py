"""Recorded runs of a server with roles, gates, templates and a mode."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.runner.test_role_gates import FAIL, PASS, STATE, bound, pending, reply, taken, verdict
from workflows.actions import runs
from workflows.actions.packs import create_from_sample, import_files
from workflows.actions.templates import put
from workflows.core.dialects import dialects
from workflows.core.engine.replay.recording import script_of
from workflows.models import Run
from workflows.selectors.runs import log

pytestmark = pytest.mark.django_db(transaction=True)

GATED = dialects()["steps_registry"]
HELPER = '[template]\nname = "helper"\ncapabilities = ["review_diffs"]\n\nYou help.\n'
BOSS = {"id": "boss", "role": "helper", "capabilities": {"edgeManagement": "all"}}
TEAM = {"agent_graph": 1, "nodes": [{**BOSS, "instructions": "Begin."}]}
ARGUMENTS = {"label": "Scout", "roleTemplate": "investigator"}
SPAWN = {"tool_call": {"name": "spawn_node", "args": ARGUMENTS}}


@pytest.fixture
def gated() -> Run:
    """A run in PLANNING whose gate gives no clear verdict, then fails, then passes."""
    pack = create_from_sample("steps_registry/blank", owner=None)
    bound(pack, STATE, PASS, FAIL)
    run = runs.start(pack, driver="manual", options={"mode": "PLANNING"})
    reply(run, text="It looks fine.")
    reply(run, tool_calls=verdict("fail"))
    reply(run, text="APPROVED: it is")
    assert taken(run) == [FAIL, PASS]
    return run


@pytest.fixture
def sample(write: Any) -> Any:
    """The files of the pack that the run was of."""
    for path, data in GATED.samples()["blank"].items():
        write(f"pack/{path}", data)
    return "pack"


def lines(run: Run) -> str:
    return "".join(json.dumps(event.to_json()) + "\n" for event in log(run))


def test_verdicts_are_read_again_without_the_server(
    cli: Any, write: Any, gated: Run, sample: str
) -> None:
    said = cli("verify", sample, write("gated.jsonl", lines(gated)))
    assert said.code == 0, said.out + said.err
    assert "Reworded" in said.out


def test_a_script_of_such_a_run_repeats_it(cli: Any, write: Any, gated: Run, sample: str) -> None:
    script = script_of(log(gated))
    assert script["beside"]["mode"] == "PLANNING"
    said = cli("verify", sample, write("gated.json", script))
    assert said.code == 0, said.out + said.err
    again = cli("run", sample, "--script", write("again.json", script), "--json")
    assert [one["label"] for one in again.events if one["type"] == "transition.taken"] == [
        FAIL,
        PASS,
    ]
    assert again.events[0]["gates"] == script["beside"]["gates"]
    del script["beside"]
    assert cli("verify", sample, write("bare.json", script)).code == 1


def test_templates_of_the_server_come_with_the_run(cli: Any, write: Any) -> None:
    put("helper", HELPER)
    text = json.dumps(TEAM).encode()
    (pack,) = import_files({"team.agents.json": text}, owner=None).packs
    run = runs.start(pack, driver="manual", options={})
    reply(run, text=json.dumps(SPAWN))
    assert pending(run)["effect"] == "AskModel"  # refused: this template may not
    path = write("team.agents.json", text)
    assert cli("verify", path, write("with.jsonl", lines(run))).code == 0
    first, *rest = [json.loads(line) for line in lines(run).splitlines()]
    del first["templates"]
    assert cli("verify", path, write("without.json", [first, *rest])).code == 1


@pytest.mark.parametrize(
    ("beside", "says"),
    [
        ([], "must be an object"),
        ({"mode": "DREAMING"}, "Unknown mode 'DREAMING'"),
        ({"gates": []}, "`gates` of a run"),
        ({"gates": {"a": 3}}, "The gate at 'a'"),
        ({"gates": {"a": {"pass": "x", "fail": "y", "outputs": {"gate_pass": 3}}}}, "The gate"),
        ({"templates": {"helper": None}}, "texts by name"),
    ],
)
def test_an_invalid_run_context_is_reported(
    cli: Any, write: Any, sample: str, beside: Any, says: str
) -> None:
    script = write("odd.json", {"replies": [], "beside": beside})
    for said in (cli("verify", sample, script), cli("run", sample, "--script", script)):
        assert (said.code, says in said.err) == (2, True), said.err
