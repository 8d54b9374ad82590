"""The page's vectors, in its documented or recommended reading; what is read otherwise is listed
with the reason."""

import json

import pytest

from tests.dialects.agent_graph.run.scripted_run import PAIR, ScriptedRun, call, edge, graph, node
from tests.support.checks import each_row
from tests.support.corpus import CORPUS
from workflows.core.dialects.agent_graph.format.model import Capabilities, Node
from workflows.core.dialects.agent_graph.program import call_permissions, stalls
from workflows.core.dialects.agent_graph.program.call_arguments import Refused, normalised
from workflows.core.engine.effects import AskHuman, AskModel, CallTool

VECTORS = CORPUS / "agent-graph/vectors"


def vectors(name):
    return {one["id"]: one for one in json.loads((VECTORS / f"{name}.json").read_text())["vectors"]}


STALL, EXEC, RUNTIME = vectors("stall"), vectors("tool_exec"), vectors("runtime")

OTHERWISE = {
    "X17": "Commands could change anything, so PLANNING blocks them too (section 10, item 15).",
    "X33": "Malformed optionals are refused instead of dropped (section 11, vector 17).",
}
"""Vectors of upstream's behaviour that the page recommends otherwise."""

RUNTIME_OTHERWISE = {
    "T07": "Upstream drops the calls after a denied one without a result (section 4.2). Here each "
    "call gets a result, because providers refuse a conversation with an unanswered call.",
    "T17": "What is written in a file is a finding of the dialect's rules, tested there.",
    "T18": "Leaving the workspace is an ordinary error of the call (section 4.1).",
    "T19": "Only the agent that stalls waits for a person; the others go on.",
    "T21": "Nodes work at once, each of them serially (section 7.2).",
    "T22": "Upstream interrupts the running node, and its bug starts another one and loses its "
    "inputs (section 7.2). Here a pause lets running turns end, begins none, and keeps all inputs.",
    "T25": "Results come back in the next payload (section 5.5).",
    "T26": "Approvals are durable (section 4.2).",
    "T27": "No provider runs tools of its own here, so there is none to be left to.",
}


@each_row(STALL)
def test_stall(id):
    vector, memory = STALL[id], {}
    for number, turn in enumerate(vector["turns"]):
        signals = {name: turn.get(name) for name in stalls.SIGNALS}
        memory, stalled = stalls.after(memory, signals, f"turn {number}", vector["threshold"])
        assert (stalled is not None) == turn["stalled"], number


def test_two_outputs_that_alternate_are_a_stall_too():
    memory, verdicts = {}, []
    for turn in range(8):
        signals = {"outputHash": "ab"[turn % 2]}
        memory, stalled = stalls.after(memory, signals, str(turn), 3)
        verdicts.append(stalled is not None)
    assert verdicts == [False] * 7 + [True]
    assert stalled.turns == 8
    assert stalled.evidence["summaries"] == ["5", "6", "7"]


def test_a_turn_without_a_signal_resets_it():
    memory = {}
    for value in ("d", "d", None, "d", "d"):
        memory, stalled = stalls.after(memory, {"diffHash": value}, "", 2)
        assert stalled is None


def carried_out(vector):
    """Run the vector's call at a node without a template, so that its settings alone hold."""
    pack = graph(
        node(
            "n",
            "nobody",
            capabilities=vector["capabilities"],
            instructions="Go.",
            provider=vector["defaultProvider"] or "claude",
        ),
        global_mode=vector["globalMode"],
    )
    stage = ScriptedRun(pack)
    stage.reply("n", call(vector["tool"], **vector["args"]))
    while stage.run.pending and isinstance(stage.effect("n"), CallTool):
        wanted = vector["result"]
        result = "" if vector["tool"] in ("write_file", "delete_file") else wanted["output"]
        stage.done("n", result)
    return stage.of("agent_graph.call")[-1]


@each_row([id for id in EXEC if id not in OTHERWISE])
def test_tool_execution(id):
    vector = EXEC[id]
    expected = vector["result"]
    if "request" in expected or vector["tool"] == "fly" or vector["defaultProvider"] is None:
        caller = Node(id="n", role="nobody", provider=vector["defaultProvider"] or "")
        rights = Capabilities.of(vector["capabilities"], orchestrator=False)
        try:
            request = normalised(vector["tool"], vector["args"], caller)
            call_permissions.check(
                vector["tool"], request, rights, vector["globalMode"], leads=False
            )
        except Refused as refused:
            assert refused.message == expected.get("error", expected.get("throws"))
            return
        if "request" in expected:
            assert request == expected["request"]
            return
    done = carried_out(vector)
    if expected.get("ok"):
        assert (done["ok"], done["output"]) == (True, expected["output"])
    else:
        assert not done["ok"]
        assert done["error"] == expected.get("error", expected.get("throws"))
        assert done["output"] == expected.get("output", "")


def test_commands_are_blocked_in_planning():
    vector = EXEC["X17"]
    assert carried_out(vector)["error"] == "commands are not run in PLANNING mode"


def test_malformed_optionals_are_refused():
    with pytest.raises(Refused, match="`structured` has to be an object"):
        normalised("send_handoff", EXEC["X33"]["args"], Node(id="n", role="r"))


def spawned(stage, **more):
    args = {"label": "Docs", "roleTemplate": "planner", **more}
    stage.reply("lead", call("spawn_node", **args))
    return stage


def t01():
    made = Node.of({"id": "a", "role": " Orchestrator "})
    expected = RUNTIME["T01"]["then"]
    assert made.capabilities.edge_management == expected["edgeManagement"]
    assert made.permissions.to_json() == {
        "cliPermissionsMode": expected["cliPermissionsMode"],
        "agentManagementRequiresApproval": expected["agentManagementRequiresApproval"],
    }


def t02():
    made = Node.of({"id": "a", "role": "implementer"})
    said = {**made.capabilities.to_json(), **made.permissions.to_json()}
    assert RUNTIME["T02"]["then"].items() <= said.items()


def t03():
    stage = ScriptedRun(PAIR)
    stage.reply(
        "lead",
        call("spawn_node", label="Docs", alias="docs", roleTemplate="planner", instructions="a",
             input={"b": 1}),
        call("create_edge", **{"from": "lead", "to": "docs"}),
        call("send_handoff", to="DOCS", message="c"),
    )  # fmt: skip
    assert [one[1] for one in stage.results()] == [True] * 3
    assert '- from lead: a\n  structured: {"b":1}\n- from lead: c' in stage.task("docs")


def t05():
    stage = spawned(ScriptedRun(PAIR), input={"x": 1})
    (handoff,) = stage.of("agent_graph.handoff")
    assert (
        handoff["envelope"]["payload"]["message"]
        == RUNTIME["T05"]["then"]["envelope.payload.message"]
    )


def t06():
    stage = spawned(ScriptedRun(PAIR))
    assert stage.of("agent_graph.handoff") == []
    assert stage.awake() == ["lead"]


def t09():
    stage = ScriptedRun(
        graph(node("a", permissions={"cliPermissionsMode": "gated"}, instructions="Go"))
    )
    stage.reply("a", call("list_files"))
    assert stage.effect("a", AskHuman).question == "A (a) requests approval to call list_files."


def t10():
    stage = ScriptedRun(graph(node("lead", "orchestrator", instructions="Go"), node("b")))
    stage.reply("lead", call("send_handoff", to="b", message="x"))
    error = RUNTIME["T10"]["then"]["error"].replace("<from>", "lead").replace("<to>", "b")
    assert stage.results()[-1] == ("send_handoff", False, error)


def t11():
    one_way = edge("b", "lead", bidirectional=False)
    stage = ScriptedRun(
        graph(node("lead", "orchestrator", instructions="Go"), node("b"), edges=[one_way])
    )
    stage.reply("lead", call("send_handoff", to="b", message="x"))
    assert "requires an edge between lead and b" in stage.results()[-1][2]


def t13():
    stage = ScriptedRun(
        graph(node("lead", "orchestrator", instructions="Go"), node("x", alias="b"))
    )
    spawned(stage, alias="B")
    error = RUNTIME["T13"]["then"]["error"].replace("<label> (<id>)", "X (x)")
    assert stage.results()[-1][2] == error


def t14():
    own = node("a", "nobody", capabilities={"edgeManagement": "self"}, instructions="Go")
    stage = ScriptedRun(graph(own, node("b"), node("c")))
    stage.reply("a", call("create_edge", **{"from": "b", "to": "c"}))
    assert stage.asked() == [("a", "AskModel")]
    assert stage.results()[-1][2] == RUNTIME["T14"]["then"]["error"]


def t15():
    stage = ScriptedRun(graph(node("lead", "orchestrator", instructions="Go"), node("b")))
    stage.reply("lead", call("create_edge", **{"from": "lead", "to": "b"}))
    (added,) = stage.of("agent_graph.edge_added")
    assert RUNTIME["T15"]["then"].items() <= added["edge"].items()


def t23():
    stage = ScriptedRun(PAIR, paused=True)
    for text, urgent in (("first", False), ("second", False), ("urgent", True)):
        stage.tell("coder", text, urgent)
    stage.control("resume")
    task = stage.task("coder")
    lines = RUNTIME["T23"]["then"]["prompt order"][:3]
    assert [task.index(line) for line in lines] == sorted(task.index(line) for line in lines)


def t29():
    expected = RUNTIME["T29"]["then"]
    assert list(expected) == ["'CUSTOM'", "''", "'   '"]
    for prompt, role in (("CUSTOM", "CUSTOM"), ("", "[template]"), ("   ", "   ")):
        stage = ScriptedRun(
            graph(node("a", "planner", customSystemPrompt=prompt, instructions="Go"))
        )
        assert stage.prompt("a")["blocks"]["role"].startswith(role)


def t30():
    gated = node("b", permissions={"cliPermissionsMode": "gated"}, instructions="Go")
    stage = ScriptedRun(graph(node("a"), gated, edges=[edge("a", "b")]))
    stage.reply("b", call("list_files"))
    stage.fire("remove_node:b")
    kinds = [event.type for event in stage.events if event.type.startswith("agent_graph.")]
    removed = ["agent_graph.edge_removed", "agent_graph.node_removed"]
    assert [kind for kind in kinds if kind in removed] == removed
    # Upstream's approvals vanish without an event; section 4.2 recommends an explicit one.
    assert stage.of("agent_graph.approval")[-1]["resolution"] == "cancelled"


HOLD = {
    name.upper(): check
    for name, check in list(globals().items())
    if name[0] == "t" and name[1:].isdigit()
}


@each_row(sorted(HOLD))
def test_runtime(id):
    HOLD[id]()


def test_every_runtime_vector_passes_or_has_a_reason():
    silent = {id for id in RUNTIME if id not in HOLD and not RUNTIME_OTHERWISE.get(id)}
    assert silent == set()


def test_one_denial_does_not_drop_the_calls_after_it():
    pack = graph(
        node("a", "nobody", capabilities={"edgeManagement": "all"}, instructions="Go"),
        node("b"),
        edges=[edge("a", "b")],
    )
    stage = ScriptedRun(pack)
    stage.reply(
        "a",
        call("spawn_node", id="a1", label="N", roleTemplate="planner"),
        call("create_edge", id="a2", **{"from": "b", "to": "n"}),
        call("send_handoff", id="a3", to="b", message="Hi."),
    )
    stage.approve("a")
    stage.approve("a", approve=False, text="not those two")
    assert stage.results() == [
        ("spawn_node", True, stage.results()[0][2]),
        ("create_edge", False, "Tool denied by user: not those two"),
        ("send_handoff", True, stage.results()[2][2]),
    ]
    assert isinstance(stage.effect("b"), AskModel)
