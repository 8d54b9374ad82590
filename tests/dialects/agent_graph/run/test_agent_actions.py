"""Agents at work: the graph that grows, replies owed, changes kept, circles found."""

from tests.dialects.agent_graph.run.scripted_run import (
    LEAD,
    PAIR,
    ScriptedRun,
    call,
    edge,
    graph,
    node,
)
from tests.support.checks import each_row
from workflows.core.engine.effects import AskHuman, AskModel


def test_an_addition_has_the_states_and_transitions_for_the_canvas():
    stage = ScriptedRun(PAIR)
    stage.reply(
        "lead",
        call("spawn_node", label="Docs", roleTemplate="planner"),
        call("create_edge", **{"from": "coder", "to": "docs"}),
    )
    (node_added,) = stage.of("agent_graph.node_added")
    (state,) = node_added["grown"]["states"]
    assert (state["id"], state["kind"], state["role"]) == ("docs", "planner", "planner")
    assert node_added["grown"]["transitions"] == []
    (edge_added,) = stage.of("agent_graph.edge_added")
    ids = [arrow["id"] for arrow in edge_added["grown"]["transitions"]]
    assert ids == ["coder|task|docs", "docs|task|coder"]


def test_two_edges_of_one_name_are_two_arrows_and_the_first_is_taken():
    stage = ScriptedRun(PAIR)
    stage.reply(
        "lead",
        call("create_edge", **{"from": "lead", "to": "coder", "type": "report", "label": "task"}),
        call("send_handoff", to="coder", message="Go."),
    )
    ids = [arrow["id"] for arrow in stage.of("agent_graph.edge_added")[0]["grown"]["transitions"]]
    assert ids == ["lead|task (report)|coder", "coder|task (report)|lead"]
    assert stage.run.taken == {"lead|task|coder": 1}


def test_a_spawned_agent_with_instructions_begins_without_an_edge():
    stage = ScriptedRun(PAIR)
    stage.reply("lead", call("spawn_node", label="D", roleTemplate="planner", instructions="Plan."))
    assert stage.asked() == [("d", "AskModel")]
    assert stage.run.taken == {}


def test_a_reply_that_is_owed_is_shown_to_both_until_it_is_given():
    stage = ScriptedRun(PAIR)
    wants = {"expectation": "required"}
    stage.reply("lead", call("send_handoff", to="coder", message="Well?", response=wants))
    assert "Replies you owe:\n- to lead, about handoff-1" in stage.task("coder")
    stage.reply("coder", "Thinking.")
    assert "Replies owed to you:\n- by coder, about handoff-1" in stage.task("lead")
    stage.tell("coder", "Answer now.")
    stage.reply("coder", call("send_handoff", to="lead", message="Yes."))
    said = stage.of("agent_graph.reply_owed")
    assert [(one["open"], one["by"], one["to"]) for one in said] == [
        (True, "coder", "lead"),
        (False, "coder", "lead"),
    ]
    assert said[1]["paid_with"] == "handoff-2"


def test_a_reply_may_be_owed_to_a_third_agent():
    pack = graph(LEAD, node("a"), node("b", alias="bee"), edges=[edge("lead", "a"), edge("a", "b")])
    stage = ScriptedRun(pack)
    wants = {"expectation": "required", "replyTo": "BEE"}
    stage.reply("lead", call("send_handoff", to="a", message="Well?", response=wants))
    assert stage.of("agent_graph.reply_owed")[0]["to"] == "b"
    assert "response: required replyTo=b" in stage.task("a")
    stage.reply("a", call("send_handoff", to="lead", message="Not yet."))
    assert len(stage.of("agent_graph.reply_owed")) == 1


def test_a_turns_diff_is_an_artifact_that_can_be_handed_on():
    stage = ScriptedRun(PAIR)
    stage.reply(
        "lead",
        call("write_file", path="a.txt", content="new\n"),
        call("command", cmd="make"),
    )
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n"
    stage.done("lead", diff=diff)
    stage.done("lead", "made", diff="--- /dev/null\n+++ b/out\n@@ -0,0 +1 @@\n+x\n")
    (kept,) = stage.of("artifact.set")
    assert (kept["name"], kept["kind"], kept["node"]) == ("diff/lead/1", "diff", "lead")
    assert kept["value"].startswith(diff)
    assert "+++ b/out" in kept["value"]
    assert "write_file (call-1): ok\n  wrote a.txt" in stage.task("lead")
    ref = {"type": "diff", "ref": "artifact://diff/lead/1"}
    stage.reply("lead", call("send_handoff", to="coder", message="Look.", artifacts=[ref]))
    task = stage.task("coder")
    assert "  artifacts: artifact://diff/lead/1" in task
    assert "Artifacts:\n- artifact://diff/lead/1\n  --- a/a.txt\n" in task


def test_a_reference_to_an_artifact_that_is_not_there_is_refused():
    stage = ScriptedRun(PAIR)
    ref = {"type": "diff", "ref": "artifact://diff/lead/9"}
    stage.reply("lead", call("send_handoff", to="coder", message="Look.", artifacts=[ref]))
    assert stage.results()[0][2].startswith("This run has no artifact 'artifact://diff/lead/9'")


def test_an_agent_that_repeats_its_output_waits_for_a_person():
    stage = ScriptedRun(graph(LEAD, stall_threshold=2))
    for _ in range(3):
        stage.reply("lead", "Hm.")
    (stalled,) = stage.of("agent_graph.stalled")
    assert (stalled["node"], stalled["signal"], stalled["turns"]) == ("lead", "outputHash", 3)
    assert stalled["evidence"]["summaries"] == ["Hm.", "Hm.", "Hm."]
    question = stage.effect("lead", AskHuman)
    assert "made no progress in its last 3 turns" in question.question
    assert [choice.label for choice in question.choices] == ["Continue", "Stop"]
    stage.approve("lead", text="Try the other way.")
    assert "[user] (queue) Try the other way." in stage.task("lead")
    assert stage.of("approval.given")[-1]["event"] == "Continue"
    for _ in range(2):
        stage.reply("lead", "Hm.")
    assert len(stage.of("agent_graph.stalled")) == 1


def test_an_agent_that_waits_in_other_words_waits_for_a_person():
    stage = ScriptedRun(graph(LEAD, stall_threshold=2))
    for number in range(4):  # The first turn has the goal as its input.
        stage.reply("lead", f"I wait for the team ({number}).")
    (stalled,) = stage.of("agent_graph.stalled")
    assert (stalled["signal"], stalled["turns"]) == ("idle", 3)
    assert "made no progress in its last 3 turns" in stage.effect("lead", AskHuman).question


def test_a_turn_with_a_message_or_a_call_is_not_idle():
    stage = ScriptedRun({**PAIR, "stall_threshold": 1})
    for number in range(4):
        stage.reply("lead", f"I wait ({number}).")
        stage.tell("lead", f"Go on {number}.")
    assert stage.of("agent_graph.stalled") == []


def test_other_agents_continue_while_one_is_stalled_and_it_sleeps_after_a_no():
    stage = ScriptedRun({**PAIR, "stall_threshold": 1})
    stage.reply("lead", "Hm.")
    stage.tell("coder", "Begin.")
    stage.reply("lead", "Hm.")
    assert stage.asked() == [("coder", "AskModel"), ("lead", "AskHuman")]
    assert "(lead) role=orchestrator provider=claude status=" in stage.task("coder")
    stage.approve("lead", approve=False)
    assert stage.asked() == [("coder", "AskModel")]
    stage.reply("coder", "Ready.")
    assert "lead stalled" in stage.effect("coder", AskHuman).question
    stage.tell("lead", "Wake up.")
    assert stage.asked() == [("lead", "AskModel")]


def test_a_word_to_an_agent_that_is_stalled_counts_as_yes():
    stage = ScriptedRun(graph(LEAD, stall_threshold=1))
    stage.reply("lead", "Hm.")
    stage.reply("lead", "Hm.")
    stage.tell("lead", "Go left.")
    assert isinstance(stage.effect("lead"), AskModel)
    assert stage.of("effect.dropped") != []


def test_empty_output_with_different_calls_is_no_stall():
    stage = ScriptedRun(graph(LEAD, stall_threshold=1))
    for number in range(4):
        stage.reply("lead", call("read_file", path=f"{number}.txt"))
        stage.done("lead", "text")
    assert stage.of("agent_graph.stalled") == []


@each_row(["diff", "check"])
def test_a_repeated_change_or_failing_check_is_a_stall(how):
    stage = ScriptedRun(graph(LEAD, stall_threshold=1))
    for number in range(2):
        stage.reply("lead", f"Attempt {number}.", call("command", cmd="make test"))
        if how == "diff":
            stage.done("lead", "ok", diff="--- a/x\n+++ b/x\n")
        else:
            stage.done("lead", error="Exit 1.\n1 failed")
    signal = {"diff": "diffHash", "check": "verificationFailure"}[how]
    assert stage.of("agent_graph.stalled")[0]["signal"] == signal
