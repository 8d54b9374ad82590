"""Packs of several files: an agent's folder is read as one pack, at any depth."""

import json
from pathlib import Path

import pytest

from workflows.core.dialects import dialects


@pytest.fixture
def agent(tmp_path):
    """Our own sample, laid out as a repository has it."""
    files = dialects()["steps_registry"].samples()["triage-bot"]
    for path, data in files.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    (registry,) = tmp_path.rglob("steps_registry.json")
    return registry


def written(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize("what", ["file", "folder", "tree"])
def test_file_folder_and_tree_name_the_same_pack(cli, agent, tmp_path, what):
    argument = {"file": agent, "folder": agent.parent, "tree": tmp_path}[what]
    said = cli("check", argument, "--format", "json")
    (pack,) = said.json["packs"]
    assert said.code == 0, said.out
    assert Path(pack["path"]) == agent.relative_to(tmp_path)
    assert (pack["dialect"], pack["counts"]["error"]) == ("steps_registry", 0)


def test_an_agent_can_be_checked_from_inside_its_folder(cli, agent, monkeypatch):
    monkeypatch.chdir(agent.parent)
    said = cli("check", "steps_registry.json", "--format", "json")
    assert said.code == 0
    assert said.json["packs"][0]["path"] == "steps_registry.json"


def test_an_edit_touches_the_files_it_must_and_no_other(cli, agent, tmp_path, write):
    body = cli("graph", agent).json
    victim = next(state["id"] for state in body["states"] if state["id"] != body["entry"])
    edits = write("edits.json", [{"type": "rename_state", "id": victim, "new_id": f"{victim}x"}])
    before = written(tmp_path)
    said = cli("edit", agent, "--edits", edits)
    after = written(tmp_path)
    changed = {path for path in after if before.get(path) != after[path]}
    assert said.code == 0, said.err
    assert agent.relative_to(tmp_path) in changed
    assert {line.split(" ", 1)[1] for line in said.out.splitlines()[:-1]} == {
        path.as_posix() for path in changed
    }
    steps = json.loads(agent.read_text())["steps"]
    assert victim not in steps
    assert f"{victim}x" in steps


def test_another_folder_gets_every_file_of_the_pack(cli, agent, tmp_path, write):
    body = cli("graph", agent).json
    arrow = body["transitions"][0]["id"]
    edits = write("edits.json", [{"type": "disconnect", "transition": arrow}])
    said = cli("edit", agent, "--edits", edits, "-o", tmp_path / "out")
    assert said.code == 0, said.err
    copied = written(tmp_path / "out")
    assert agent.relative_to(tmp_path) in copied
    assert len(copied) > 1


def test_a_rehearsal_simulates_the_results_of_commands(cli, agent):
    said = cli("run", agent, "--json")
    assert said.code == 0, said.out
    assert said.events[-1]["status"] == "completed"
    again = cli("run", agent, "--json")
    assert exits(said)
    assert exits(said) == exits(again)


def test_a_command_without_an_answer_leaves_the_run_waiting(cli, agent, write):
    rehearsed = cli("run", agent, "--json").events
    replies = [
        {"structured": event["structured"]}
        for event in rehearsed
        if event["type"] == "model.replied"
    ]
    said = cli("run", agent, "--script", write("replies.json", {"replies": replies}))
    assert said.code == 4, said.out
    assert "RunCommand in" in said.out.splitlines()[-1]
    commands = {"commands": [{"exit": 0, "stdout": "fine"}], "repeat_last": True}
    script = write("script.json", {**commands, "replies": replies})
    said = cli("run", agent, "--script", script, "--json")
    assert said.code == 0, said.out
    assert said.events[-1]["status"] == "completed"
    assert any(event["type"] == "command.finished" for event in said.events)


def exits(said):
    return [event["exit"] for event in said.events if event["type"] == "command.finished"]


def test_in_planning_a_command_is_refused_and_recorded(cli, agent):
    said = cli("run", agent, "--mode", "PLANNING", "--json")
    assert said.events[0]["mode"] == "PLANNING"
    exits = {event["exit"] for event in said.events if event["type"] == "command.finished"}
    assert exits == {126}
    assert cli("run", agent, "--mode", "dreaming").code == 2
