"""Runs from their start to their end: on a script, cut in the middle, rehearsed, verified, forked,
and under any signals."""

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.agent_graph.run.scripted_run import PAIR, ScriptedRun, call, edge, graph, node
from tests.support.checks import each_row
from workflows.core.dialects.agent_graph import DIALECT
from workflows.core.dialects.agent_graph.format.model import AgentGraph
from workflows.core.dialects.agent_graph.program.definition import GraphDefinition
from workflows.core.dialects.agent_graph.program.program import AgentGraphProgram
from workflows.core.engine.effects import AskHuman, AskModel
from workflows.core.engine.events import Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.engine.replay.fork import fork_point, repeat_requests
from workflows.core.engine.replay.script_file import (
    read_script,
    scripted_answer,
    scripted_reply,
    scripted_tool,
)
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    Breakpoints,
    Control,
    Fire,
    Reply,
    Start,
    Tell,
    ToolDone,
)
from workflows.core.engine.transition import NOTHING, transition
from workflows.core.pack.files import Files

DATA = Path(__file__).parent / "data"
TEAM = json.loads((DATA / "two-workers.agents.json").read_text())
SCRIPT = read_script(json.loads((DATA / "two-workers.script.json").read_text()))


def program(pack):
    return AgentGraphProgram(definition=GraphDefinition(graph=AgentGraph.of(pack)))


def next_answer(run, script=SCRIPT):
    """The script's answer to the oldest question."""
    effect = pending_effects(run)[0]
    match effect:
        case AskModel():
            return scripted_reply(script, effect, run, 1)
        case AskHuman():
            return scripted_answer(script, effect, run)
        case _:
            return scripted_tool(script, effect, run)


def played(pack=TEAM, script=SCRIPT, most=1000, stored=False):
    """The log of a run on the script. `stored`: after every signal all is dropped but the log as
    a database keeps it."""
    team = program(pack)
    log = list(transition(team, RunState(), Start(at=1.0, run="r"))[0])
    run = fold_all(log)
    while run.pending and len(log) < most:
        if stored:
            log = [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in log]
            run = fold_all(log)
        events, _ = transition(program(pack), run, next_answer(run, script))
        log += events
        run = fold_all(events, run)
    return log, run


def test_two_workers_a_handoff_and_a_third_with_leave():
    log, run = played()
    assert (run.status, run.reason) == ("completed", "Written and checked.")
    added = [e.fields["node"] for e in log if e.type == "agent_graph.node_added"]
    assert [one["id"] for one in added] == ["writer", "checker", "reader"]
    assert run.taken["writer|task|checker"] == 1
    assert run.artifacts["diff/writer/1"].startswith("--- /dev/null\n+++ b/docs/page.md")
    owed = [e.fields["open"] for e in log if e.type == "agent_graph.reply_owed"]
    assert owed == [True, False]
    decided = [e.fields["resolution"] for e in log if e.type == "agent_graph.approval"]
    assert decided == ["modified"]


def test_two_agents_have_model_calls_at_the_same_time():
    log, _ = played()
    most = 0
    run = RunState()
    for event in log:
        run = fold_all([event], run)
        states = {e["state"] for e in run.pending.values() if e["effect"] == "AskModel"}
        most = max(most, len(states))
    assert most >= 3


def test_a_run_that_is_cut_after_every_signal_is_the_same_run():
    assert played(stored=True)[0] == played()[0]


def test_a_run_can_be_forked_between_turns():
    log, _ = played()
    points = sorted({fork_point(log, at) for at in range(len(log))} - {0})
    assert len(points) > 10
    for point in points:
        run = fold_all(log[:point])
        anew = repeat_requests(program(TEAM), run, 99.0)
        after = fold_all(anew, run)
        assert {e["state"] for e in after.pending.values()} >= {
            e["state"] for e in run.pending.values() if e["effect"] != "AskHuman"
        }


@each_row(["AUTO", "INTERACTIVE"])
def test_a_rehearsal_of_a_team_without_a_leader_ends_too(mode):
    ring = [node(id, instructions="Go." if id == "a" else "") for id in "abc"]
    edges = [edge("a", "b"), edge("b", "c", bidirectional=False), edge("c", "a")]
    pack = graph(*ring, edges=edges, run_mode=mode)
    source = DIALECT.read(Files({"ring.agents.json": json.dumps(pack).encode()}))
    drawn = DIALECT.graph(source, "documented")
    seen = rehearse(DIALECT.program(source, "documented"), drawn, runs=20)
    assert seen.coverage == 1.0
    assert seen.outcomes.get("completed", 0) > 0


SAID = [
    "Nothing.",
    call("send_handoff", to="coder", message="Go."),
    call("send_handoff", to="lead", message="Back.", response={"expectation": "required"}),
    call("spawn_node", label="More", roleTemplate="orchestrator", instructions="Go."),
    call("spawn_node", label="More", roleTemplate="implementer"),
    call("create_edge", **{"from": "lead", "to": "more"}),
    call("read_file", path="a") + "\n" + call("send_handoff", to="more", message="x"),
    call("command", cmd="x") + "\n" + call("write_file", path="docs/x", content=""),
    call("complete_run", summary="Over."),
    "- " + call("list_files"),
]
STATES = ["lead", "coder", "more", "more-2", "ghost"]
signals = st.one_of(
    st.tuples(st.just("answer"), st.integers(0, 5), st.sampled_from(SAID), st.booleans()),
    st.tuples(st.just("answer"), st.integers(0, 5), st.sampled_from(SAID), st.booleans()),
    st.tuples(st.just("fail"), st.integers(0, 5)),
    st.tuples(st.just("tell"), st.sampled_from(STATES), st.booleans()),
    st.tuples(
        st.just("fire"),
        st.sampled_from(["stop", "PLANNING", "IMPLEMENTATION", "AUTO", "INTERACTIVE"]),
        st.sampled_from(["", *STATES]),
    ),
    st.tuples(st.just("control"), st.sampled_from(["pause", "resume", "step", "resume"])),
    st.tuples(st.just("stop at"), st.sampled_from(["", *STATES, "lead|task|coder"])),
)


def built(drawn, run, at):
    keys = list(run.pending) or ["0:0"]
    match drawn:
        case ("answer", which, said, yes):
            key = keys[which % len(keys)]
            match run.pending.get(key, {}).get("effect"):
                case "AskHuman":
                    return Approve(at=at, key=key, approve=yes, text="A word.")
                case "CallTool":
                    return ToolDone(at=at, key=key, result="x", error="" if yes else "Exit 1.")
                case _:
                    return Reply(at=at, key=key, text=said)
        case ("fail", which):
            return Reply(at=at, key=keys[which % len(keys)], error="Broken.")
        case ("tell", state, urgent):
            return Tell(at=at, state=state, text=f"At {at}.", interrupt=urgent)
        case ("fire", event, state):
            return Fire(at=at, event=event, state=state)
        case ("control", what):
            return Control(at=at, what=what)
        case ("stop at", id):
            return Breakpoints(at=at, ids=(id,) if id else ())


@settings(max_examples=120)
@given(st.lists(signals, max_size=30), st.sampled_from(["AUTO", "INTERACTIVE"]))
def test_the_log_is_the_run_and_nothing_is_lost(drawn, mode):
    pack = {**PAIR, "run_mode": mode, "limits": {"turns": 25, "nodes": 4}}
    team, run, log = program(pack), RunState(), []
    told = []
    for number, one in enumerate([None, *drawn]):
        at = 1.0 + number
        signal = built(one, run, at) if one else Start(at=at)
        events, _ = transition(team, run, signal)
        log += events
        run = fold_all(events, run)
        if isinstance(signal, Tell) and events:
            told.append(signal.text)
        if events and not isinstance(signal, Control | Fire | Tell):
            assert transition(team, run, signal) == NOTHING
    stored = [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in log]
    assert fold_all(stored) == run
    assert verify(team, log).holds
    places = [place.state for place in run.positions]
    assert len(places) == len(set(places)), "a node takes its turns one after another"
    assert run.finished or places, "somebody is awake or asks a person"
    assert len(run.memory.get("nodes", ())) <= 2
    everything = json.dumps([run.memory, [dict(p.memory) for p in run.positions]])
    for text in told:
        heard = any(text in e.fields["text"] for e in log if e.type == "prompt.logged")
        assert heard or text in everything or run.finished


def test_a_script_answers_each_agent_by_its_state():
    stage = ScriptedRun(PAIR)
    stage.reply("lead", call("send_handoff", to="coder", message="Go."))
    stage.tell("lead", "And you?")
    script = read_script(
        {"replies": [{"state": state, "text": state} for state in ("lead", "coder", "lead")]}
    )
    said = {
        effect.state: scripted_reply(script, effect, stage.run, 1).text
        for effect in pending_effects(stage.run)
    }
    assert said == {"coder": "coder", "lead": "lead"}
