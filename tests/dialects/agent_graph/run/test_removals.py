"""Agents and edges that a person removes from the graph of a run."""

from dataclasses import replace

from tests.dialects.agent_graph.run.scripted_run import (
    LEAD,
    PAIR,
    ScriptedRun,
    call,
    edge,
    graph,
    node,
)
from workflows.core.engine.effects import AskHuman
from workflows.core.engine.fold import fold_all

TEAM = graph(
    LEAD,
    node("coder"),
    node("tester", instructions="Test."),
    edges=[
        edge("lead", "coder"),
        edge("coder", "tester", bidirectional=False),
        edge("lead", "tester"),
    ],
    run_mode="INTERACTIVE",
)


def test_a_removed_agent_takes_its_edges_along_and_ends_its_turn():
    stage = ScriptedRun(TEAM)
    assert stage.awake() == ["lead", "tester"]
    stage.fire("remove_node:tester")
    assert stage.awake() == ["lead"]
    (gone,) = stage.of("agent_graph.node_removed")
    assert gone["node"] == "tester"
    assert gone["shrunk"] == {
        "states": ["tester"],
        "transitions": ["coder|task|tester", "lead|task|tester", "tester|task|lead"],
    }
    ends = [
        (one["edge"]["from"], one["edge"]["to"]) for one in stage.of("agent_graph.edge_removed")
    ]
    assert ends == [("coder", "tester"), ("lead", "tester")]
    stage.reply("lead", call("send_handoff", to="tester", message="Hi."))
    assert stage.results()[-1][1] is False
    assert "- tester" not in stage.prompt("lead")["blocks"]["task"]


def test_the_orchestrator_gets_a_message():
    stage = ScriptedRun(TEAM)
    stage.reply("lead", "Waiting.")
    stage.fire("remove_node:tester")
    assert "A person removed Tester (tester) from the team." in stage.task("lead")


def test_removing_the_only_active_agent_leaves_the_run_with_another():
    pair = graph(
        node("a", instructions="Go."), node("b"), edges=[edge("a", "b")], run_mode="INTERACTIVE"
    )
    stage = ScriptedRun(pair)
    stage.fire("remove_node:a")
    assert stage.effect("b", AskHuman).schema["properties"]["to"]["enum"] == ["b"]
    stage.fire("remove_node:b")
    assert stage.events == (), "The last agent stays."
    stage.fire("remove_node:nobody")
    assert stage.events == ()


def test_an_approval_of_a_removed_agent_is_cancelled():
    gated = node("b", permissions={"cliPermissionsMode": "gated"}, instructions="Go")
    stage = ScriptedRun(graph(node("a"), gated, run_mode="INTERACTIVE"))
    stage.reply("b", call("list_files"))
    assert stage.effect("b", AskHuman)
    stage.fire("remove_node:b")
    assert stage.of("agent_graph.approval")[-1]["resolution"] == "cancelled"
    assert {effect.state for effect in [stage.effect()]} == {"a"}


def test_a_question_about_the_team_lists_who_is_left():
    stage = ScriptedRun(TEAM)
    stage.reply("tester", "Done.")
    stage.reply("lead", "Done.")
    assert stage.effect().schema["properties"]["to"]["enum"] == ["lead", "coder", "tester"]
    stage.fire("remove_node:coder")
    stage.reply("lead", "Done.")
    assert stage.effect().schema["properties"]["to"]["enum"] == ["lead", "tester"]


def test_one_direction_of_a_two_way_edge_is_removed():
    stage = ScriptedRun(PAIR)
    stage.fire("remove_edge:coder|task|lead")
    (gone,) = stage.of("agent_graph.edge_removed")
    assert gone["shrunk"] == {"states": [], "transitions": ["coder|task|lead"]}
    stage.reply("lead", call("send_handoff", to="coder", message="Go."))
    stage.reply("coder", call("send_handoff", to="lead", message="Back."))
    assert [one[:2] for one in stage.results()] == [("send_handoff", True), ("send_handoff", False)]


def test_a_removed_edge_can_be_added_again():
    stage = ScriptedRun(PAIR)
    stage.fire("remove_edge:lead|task|coder")
    stage.fire("remove_edge:coder|task|lead")
    assert len(stage.of("agent_graph.edge_removed")) == 2
    stage.reply(
        "lead",
        call("create_edge", **{"from": "lead", "to": "coder"}),
        call("send_handoff", to="coder", message="Go."),
    )
    assert [one[1] for one in stage.results()] == [True, True]


def test_a_new_agent_never_gets_the_id_of_a_removed_one():
    stage = ScriptedRun(PAIR)
    stage.fire("remove_node:coder")
    stage.reply("lead", call("spawn_node", label="Coder", roleTemplate="implementer"))
    assert stage.of("agent_graph.node_added")[0]["node"]["id"] == "coder-2"


def test_the_log_folds_to_the_same_run():
    stage = ScriptedRun(TEAM)
    stage.fire("remove_node:tester")
    stage.fire("remove_edge:lead|task|coder")
    again = fold_all(stage.log)
    assert replace(again, now=0.0) == replace(stage.run, now=0.0)
