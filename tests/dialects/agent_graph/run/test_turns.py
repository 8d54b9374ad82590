"""Turns: inputs, prompts, and the choice of the next turn."""

import pytest

from tests.dialects.agent_graph.run.scripted_run import (
    CODER,
    LEAD,
    PAIR,
    ScriptedRun,
    call,
    edge,
    graph,
    native,
    node,
)
from tests.support.checks import each_row
from workflows.core.dialects.agent_graph.program.program import program
from workflows.core.dialects.agent_graph.source import read
from workflows.core.engine.effects import AskHuman, AskModel
from workflows.core.engine.program import CannotRun
from workflows.core.pack.files import Files
from workflows.core.prompts.blocks import Blocks


def handed(*lines, **more):
    """A stage where the coder has been handed something and the lead sleeps."""
    stage = ScriptedRun(PAIR, **more)
    stage.reply("lead", *lines, call("send_handoff", to="coder", message="Do it."))
    return stage


def test_a_run_begins_with_the_entry_and_its_first_message():
    stage = ScriptedRun(PAIR, inputs={"message": "And hurry."})
    assert stage.asked() == [("lead", "AskModel")]
    task = stage.task("lead")
    assert "- [user] (queue) Begin.\n- [user] (queue) And hurry." in task


def test_agents_with_instructions_start_together_with_the_entry():
    stage = ScriptedRun(graph(LEAD, node("a", instructions="Go."), node("b")))
    assert stage.asked() == [("a", "AskModel"), ("lead", "AskModel")]


def test_five_blocks_are_logged_before_the_call_with_their_hashes():
    stage = ScriptedRun(
        graph(node("lead", "orchestrator", override="Be brief.", instructions="Go."))
    )
    types = [event.type for event in stage.log]
    assert types[-2:] == ["prompt.logged", "model.asked"]
    logged = stage.prompt("lead")
    blocks = Blocks(**logged["blocks"])
    assert (logged["text"], logged["hash"]) == (blocks.full, blocks.hash)
    assert logged["header_hash"] == blocks.header_hash
    assert (logged["kind"], logged["turn"]) == ("full", 1)
    assert blocks.override == "Be brief."
    assert blocks.full.endswith("\n\nBe brief.")
    assert blocks.mode.startswith("Mode: IMPLEMENTATION.\n")
    effect = stage.effect("lead")
    assert f"{effect.system}\n\n{effect.messages[-1].text}" == blocks.full


def test_the_second_turn_of_a_session_sends_what_is_new_and_logs_everything():
    stage = ScriptedRun(graph(LEAD))
    stage.reply("lead", "First.")
    logged, effect = stage.prompt("lead"), stage.effect("lead")
    assert (logged["kind"], logged["turn"]) == ("delta", 2)
    assert logged["wire_text"] == Blocks(**logged["blocks"]).delta
    assert [message.role for message in effect.messages] == ["user", "assistant", "user"]
    assert effect.messages[0].text.startswith("Incoming messages:\n- [user] (queue) Begin.")
    assert effect.messages[1].text == "First."


def test_an_old_session_goes_along_for_a_while_only():
    stage = ScriptedRun(graph(LEAD, stall_threshold=99))
    for turn in range(12):
        stage.reply("lead", f"Turn {turn}.")
    texts = [message.text for message in stage.effect("lead").messages]
    assert len(texts) == 17
    assert texts[1] == "Turn 4."


def test_the_pack_s_template_comes_before_ours_and_the_server_s_between():
    pack = graph(node("a", "writer", instructions="Go."))
    stage = ScriptedRun(pack, templates={"writer": b"From the pack."})
    assert stage.prompt("a")["blocks"]["role"] == "From the pack."
    program = ScriptedRun(pack).program.with_templates({"writer": "From the server."})
    assert program.definition.role_text(program.definition.graph.nodes["a"]) == "From the server."
    assert ScriptedRun(pack).prompt("a")["blocks"]["role"] == "Role template not found: writer"


@each_row(["../../secret", "docs/templates/x", "a.md", "", "x" * 200])
def test_a_template_s_name_leads_nowhere_else(name):
    files = {name: b"SECRET", "../../secret": b"SECRET"}
    stage = ScriptedRun(graph(node("a", name, instructions="Go.")), templates=files)
    assert "SECRET" not in stage.prompt("a")["text"]


def test_the_task_block_line_by_line():
    pack = graph(
        node("lead", "orchestrator", instructions="Begin.", label="Lead"),
        node("w", "reviewer", label="Ann", alias="ann"),
        edges=[edge("lead", "w", label="look", bidirectional=False)],
        goal="Ship it.",
        definition_of_done=["Tests pass"],
    )
    assert ScriptedRun(pack).task("lead") == (
        "Task Payload\n"
        "Run: r1\n"
        "Node: Lead (lead)\n"
        "Role: orchestrator\n"
        "Provider: claude\n"
        "Orchestration: AUTO\n"
        "Global mode: IMPLEMENTATION\n"
        "Capabilities: edgeManagement=all, runCommands=true, writeCode=true, writeDocs=true, "
        "delegateOnly=false\n"
        "Permissions: cliPermissionsMode=skip, agentManagementRequiresApproval=false\n"
        "Workspace: the run's own folder, shared by all agents; paths begin there.\n"
        "\n"
        "Goal:\n"
        "Ship it.\n"
        "\n"
        "Definition of done:\n"
        "- Tests pass\n"
        "\n"
        "Known nodes:\n"
        "- Ann (w) alias=ann role=reviewer provider=claude status=idle edgeManagement=none\n"
        "- Lead (lead) role=orchestrator provider=claude status=running edgeManagement=all\n"
        "\n"
        "Known edges:\n"
        "- Lead (lead) -> Ann (w) type=handoff bidirectional=false label=look\n"
        "\n"
        "Incoming messages:\n"
        "- [user] (queue) Begin.\n"
        "\n"
        "Incoming handoffs:\n"
        "- none"
    )


def test_auto_without_inputs_is_stated_and_both_lists_are_empty():
    stage = ScriptedRun(graph(node("lead", "orchestrator")))
    task = stage.task("lead")
    assert "Global mode: IMPLEMENTATION\nThere are no new inputs" in task
    assert task.endswith("Incoming messages:\n- none\n\nIncoming handoffs:\n- none")
    assert "- none\n\nIncoming messages:" in task


def test_a_handoff_prints_all_that_it_carries():
    stage = ScriptedRun(PAIR)
    stage.reply(
        "lead",
        call(
            "send_handoff",
            to="coder",
            message="Done?",
            structured={"a": [1]},
            artifacts=[{"type": "log", "ref": "ci/17"}],
            status={"ok": False, "reason": "late"},
            response={"expectation": "required", "replyTo": "LEAD"},
            contextRef="ticket-9",
        ),
    )
    assert stage.results() == [
        ("send_handoff", False, "`replyTo` names no node: 'LEAD'."),
    ]
    stage.reply(
        "lead",
        call(
            "send_handoff",
            to="coder",
            message="Done?",
            structured={"a": [1]},
            artifacts=[{"type": "log", "ref": "ci/17"}],
            status={"ok": False, "reason": "late"},
            response={"expectation": "required", "replyTo": "lead"},
            contextRef="ticket-9",
        ),
    )
    assert stage.task("coder").endswith(
        "- from lead: Done?\n"
        '  structured: {"a":[1]}\n'
        "  artifacts: ci/17\n"
        "  status: failed (late)\n"
        "  response: required replyTo=lead\n"
        "  context: ticket-9"
    )


def test_nodes_work_at_once_and_each_one_turn_after_the_other():
    stage = ScriptedRun(
        graph(LEAD, CODER, node("b"), edges=[edge("lead", "coder"), edge("lead", "b")])
    )
    stage.reply(
        "lead",
        call("send_handoff", to="coder", message="One."),
        call("send_handoff", to="b", message="Two."),
    )
    assert stage.asked() == [("b", "AskModel"), ("coder", "AskModel")]
    stage.reply("b", call("send_handoff", to="lead", message="Back."))
    assert stage.asked() == [("coder", "AskModel"), ("lead", "AskModel")]
    stage.reply("lead", call("send_handoff", to="coder", message="And this."))
    assert stage.asked() == [("coder", "AskModel")]
    assert "And this." not in stage.task("coder")
    stage.reply("coder", "Done one.")
    assert stage.asked() == [("coder", "AskModel")]
    assert "- from lead: And this." in stage.task("coder")
    assert stage.run.taken["lead|task|coder"] == 2
    assert stage.run.visits["coder"] == 1


def test_all_handoffs_of_one_reply_arrive_in_one_turn():
    stage = handed(call("send_handoff", to="coder", message="First this."))
    task = stage.task("coder")
    assert task.index("First this.") < task.index("Do it.")
    assert stage.run.taken == {"lead|task|coder": 2}


def test_results_of_calls_come_back_in_the_next_prompt():
    stage = ScriptedRun(PAIR)
    stage.reply("lead", call("read_file", id="t1", path="a.txt"))
    stage.done("lead", "one\ntwo")
    assert stage.task("lead").endswith("Tool results:\n- read_file (t1): ok\n  one\n  two")
    stage.reply("lead", call("create_edge", **{"from": "lead", "to": "ghost"}))
    assert "- create_edge (call-1): failed: There is no node 'ghost'" in stage.task("lead")


def test_rejected_lines_are_reported_to_the_model():
    stage = ScriptedRun(PAIR)
    stage.reply("lead", "```", call("list_files"), "```")
    assert stage.of("agent_graph.rejected")[0]["code"] == "fenced"
    assert "Lines inside a code fence are not carried out" in stage.task("lead")
    assert stage.results() == []


def test_native_calls_count_as_much_and_come_first():
    stage = ScriptedRun(PAIR)
    tools = {tool.name for tool in stage.effect("lead").tools}
    assert {"spawn_node", "create_edge", "send_handoff", "complete_run", "command"} <= tools
    stage.reply(
        "lead",
        call("send_handoff", id="n1", to="coder", message="Twice?"),
        call("send_handoff", id="n2", to="coder", message="Second."),
        calls=[native("send_handoff", to="coder", message="First.")],
    )
    task = stage.task("coder")
    assert task.index("First.") < task.index("Second.")
    assert "Twice?" not in task


def test_a_call_whose_arguments_are_no_json_is_refused():
    stage = ScriptedRun(PAIR)
    broken = native("send_handoff")
    stage.reply("lead", calls=[type(broken)(name="send_handoff", id="n", unread="{oops")])
    assert "The arguments of this call are not a JSON object" in stage.results()[0][2]


def test_in_auto_the_orchestrator_gets_a_turn_when_all_agents_are_done():
    stage = handed()
    assert stage.awake() == ["coder"]
    stage.reply("coder", "All done.")
    assert stage.asked() == [("lead", "AskModel")]
    assert "Tool results:\n- send_handoff" in stage.task("lead")
    assert "There are no new inputs" not in stage.task("lead")
    stage.reply("lead", call("complete_run", summary="Shipped."))
    assert (stage.run.status, stage.run.reason) == ("completed", "Shipped.")


def test_in_interactive_the_run_asks_a_person_when_all_agents_are_done():
    stage = ScriptedRun({**PAIR, "run_mode": "INTERACTIVE"})
    stage.reply("lead", "Waiting.")
    assert stage.run.status == "waiting"
    stage.approve(structured={"to": "coder", "message": "Please write."})
    assert stage.asked() == [("coder", "AskModel")]
    assert "- [user] (queue) Please write." in stage.task("coder")
    stage.reply("coder", "Written.")
    stage.approve(text="Thanks")
    assert stage.asked() == [("lead", "AskModel")]
    stage.reply("lead", "Good.")
    stage.approve(structured={"finish": True})
    assert stage.run.status == "completed"


def test_a_message_to_an_unknown_agent_repeats_the_question():
    stage = ScriptedRun({**PAIR, "run_mode": "INTERACTIVE"})
    stage.reply("lead", "Waiting.")
    stage.approve(structured={"to": "ghost", "message": "Hello?"})
    assert stage.of("agent_graph.unheard") != []
    assert isinstance(stage.effect("lead"), AskHuman)


def test_without_an_orchestrator_auto_ends_when_all_agents_are_done():
    stage = ScriptedRun(graph(node("a", instructions="Go.")))
    stage.reply("a", "Gone.")
    assert stage.run.status == "completed"


def test_completion_names_every_statement_of_the_definition_of_done():
    stage = ScriptedRun(graph(LEAD, definition_of_done=["Tests pass", "Docs are true"]))
    stage.reply("lead", call("complete_run", summary="Done.", met=["tests pass"]))
    assert stage.results()[0][2].endswith(": Docs are true")
    stage.reply("lead", call("complete_run", summary="Done.", met=["Docs are true", "Tests pass "]))
    assert stage.run.status == "completed"


def test_a_run_with_active_agents_cannot_be_completed():
    stage = handed()
    stage.tell("lead", "How is it going?")
    stage.reply("lead", call("complete_run", summary="Done."))
    assert stage.results("lead")[-1][2].startswith("Still active: coder.")
    assert stage.awake() == ["coder"]


def test_only_an_orchestrator_completes_a_run():
    stage = handed()
    assert "complete_run" not in {tool.name for tool in stage.effect("coder").tools}
    stage.reply("coder", call("complete_run", summary="Done."))
    assert stage.results("coder")[-1][1] is False


def test_a_failed_agent_does_not_end_the_others_and_its_inputs_are_kept():
    stage = handed()
    stage.reply("coder", error="The model refused.")
    failed = [one for one in stage.of("agent_graph.turn") if one["status"] == "failed"]
    assert failed[0]["error"] == "The model refused."
    assert stage.asked() == [("lead", "AskModel")]
    assert "[system] (queue) Coder (coder) failed" in stage.task("lead")
    assert "role=implementer provider=claude status=failed" in stage.task("lead")
    stage.reply("lead", call("send_handoff", to="coder", message="Again?"))
    assert stage.asked() == [("lead", "AskModel")]
    stage.tell("coder", "Try again.")
    task = stage.task("coder")
    assert "[user] (queue) Try again." in task
    assert task.index("from lead: Do it.") < task.index("from lead: Again?")


def test_a_failed_orchestrator_waits_for_a_person():
    stage = ScriptedRun(PAIR)
    stage.reply("lead", error="No.")
    assert "lead failed" in stage.effect("lead", AskHuman).question
    stage.tell("lead", "Once more.")
    assert isinstance(stage.effect("lead"), AskModel)
    assert "Begin." in stage.task("lead")


def test_turns_and_nodes_are_limited():
    stage = ScriptedRun(graph(LEAD, limits={"turns": 2, "nodes": 2}))
    stage.reply(
        "lead",
        call("spawn_node", label="A", roleTemplate="planner"),
        call("spawn_node", label="B", roleTemplate="planner"),
    )
    assert [one[1] for one in stage.results()] == [True, False]
    assert "limits.nodes" in stage.results()[1][2]
    stage.reply("lead", "And again.")
    assert stage.run.status == "budget_exhausted"
    assert "2 turns (limits.turns)" in stage.run.reason


def test_an_interruption_breaks_the_turn_off_and_loses_nothing():
    stage = handed()
    old = stage.effect("coder").key
    stage.tell("coder", "Stop, other file!", interrupt=True)
    assert stage.effect("coder").key != old
    task = stage.task("coder")
    assert "- [user] (interrupt) Stop, other file!" in task
    assert "- from lead: Do it." in task
    turns = [one["status"] for one in stage.of("agent_graph.turn") if one["node"] == "coder"]
    assert turns == ["started", "interrupted", "started"]


def test_an_interruption_between_calls_reports_the_skipped_calls():
    stage = handed()
    stage.reply("coder", call("read_file", id="a", path="x"), call("read_file", id="b", path="y"))
    stage.done("coder", "X")
    stage.tell("coder", "Leave it.", interrupt=True)
    task = stage.task("coder")
    assert "- read_file (a): ok\n  X" in task
    assert "- read_file (b): failed: Not executed" in task


def test_a_message_that_is_not_urgent_waits_for_the_turn_to_end():
    stage = handed()
    key = stage.effect("coder").key
    stage.tell("coder", "When you have time.")
    assert stage.effect("coder").key == key
    stage.reply("coder", "Done.")
    assert "When you have time." in stage.task("coder")


def test_a_paused_run_resumes_in_place_with_all_its_inputs():
    stage = handed()
    stage.control("pause")
    stage.tell("coder", "One more thing.")
    stage.reply("coder", call("send_handoff", to="lead", message="Half done."))
    assert stage.run.pending == {}
    stage.control("resume")
    assert stage.asked() == [("coder", "AskModel"), ("lead", "AskModel")]
    assert "One more thing." in stage.task("coder")
    assert "Half done." in stage.task("lead")


def test_a_stopped_agent_sleeps_until_it_gets_a_message():
    stage = handed()
    stage.fire("stop", "coder")
    assert stage.asked() == [("lead", "AskModel")]
    assert "status=stopped" in stage.task("lead")
    stage.tell("coder", "Go on.")
    assert "- from lead: Do it." in stage.task("coder")


def test_the_mode_is_switched_during_a_run():
    stage = handed()
    stage.fire("PLANNING")
    stage.reply("coder", call("write_file", path="src/x.py", content=""))
    assert stage.results("coder") == [
        ("write_file", False, "write restricted to docs/ in PLANNING mode")
    ]
    assert stage.prompt("coder")["blocks"]["mode"].startswith("Mode: PLANNING.")
    assert stage.prompt("coder")["kind"] == "delta"
    stage.fire("INTERACTIVE")
    stage.reply("coder", "I need IMPLEMENTATION.")
    assert stage.run.status == "waiting"
    stage.fire("AUTO")
    assert stage.asked() == [("lead", "AskModel")]
    assert stage.fire("nonsense").events == ()


def test_a_message_without_a_receiver_or_text_changes_nothing():
    stage = ScriptedRun(PAIR)
    assert stage.tell("ghost", "Hello?").events == ()
    assert stage.tell("coder", "  ").events == ()


def test_a_pack_without_agents_cannot_run():
    source = read(Files({"x.agents.json": b'{"agent_graph": 1, "nodes": []}'}))
    with pytest.raises(CannotRun):
        program(source, "documented")
