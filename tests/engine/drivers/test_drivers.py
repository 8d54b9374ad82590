"""One suite for every driver, and tests of single drivers."""

from dataclasses import replace

import pytest

from tests.support.checks import each_row
from tests.support.state_machine import EVERYTHING, Machine
from workflows.core.engine.effects import AskHuman, CallTool, RunCommand
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.replay.recording import recorded_answer
from workflows.core.engine.replay.script_file import (
    BadScript,
    read_script,
    scripted_answer,
    scripted_command,
    scripted_reply,
    scripted_tool,
)
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Approve, Reply, Start, ToolDone
from workflows.core.engine.transition import transition
from workflows.runner.drivers import drivers
from workflows.runner.drivers.base import delay_seconds

MACHINE = Machine(EVERYTHING)
GRAPH = MACHINE.graph()


def started(machine=MACHINE):
    return fold_all(transition(machine, RunState(), Start(at=5.0))[0])


def after(run, signal, machine=MACHINE):
    return fold_all(transition(machine, run, signal)[0], run)


def structured(*ways, **more):
    return {"replies": [{"structured": {"go": way, "why": "so"}} for way in ways], **more}


def test_drivers_are_discovered():
    assert {"rehearsal", "script", "manual"} <= set(drivers())


@pytest.mark.parametrize("name", ["rehearsal", "script", "manual"])
async def test_a_driver_answers_with_the_effects_key(name):
    driver, run = drivers()[name], started()
    (effect,) = pending_effects(run)
    options = {"seed": 3, "script": structured("stay")}
    reply = await driver.answer(effect, run, GRAPH, options)
    again = await driver.answer(effect, run, GRAPH, options)
    assert reply == again
    assert driver.name == name
    assert driver.label
    assert driver.description
    if name == "manual":
        assert reply is None
    else:
        assert reply.key == "0:1"
        assert after(run, reply) != run


async def test_a_rehearsed_reply_takes_a_new_transition():
    machine = Machine({"start": {"model": {"a": "start", "b": "start", "c": "start"}}})
    run = started(machine)
    for _ in range(3):
        (effect,) = pending_effects(run)
        reply = await drivers()["rehearsal"].answer(effect, run, machine.graph(), {"seed": 8})
        run = after(run, reply, machine)
    assert run.taken == {"start|a|start": 1, "start|b|start": 1, "start|c|start": 1}


@pytest.mark.parametrize("name", ["rehearsal", "script"])
async def test_a_simulated_reply_warns_of_a_provider_that_would_refuse_its_request(name):
    run = started()
    (effect,) = pending_effects(run)
    hot = replace(effect, parameters={"temperature": 1.5})
    options = {"seed": 3, "script": structured("stay")}
    reply = await drivers()[name].answer(hot, run, GRAPH, options)
    warning = (
        "The request of start would be refused by Anthropic. The temperature 1.5 is not between 0 "
        "and 1."
    )
    assert reply.warnings == (warning,)
    replied = transition(MACHINE, run, reply)[0][0]
    assert replied.fields["warnings"] == [warning]
    assert recorded_answer(replied).warnings == (warning,)
    assert (await drivers()[name].answer(effect, run, GRAPH, options)).warnings == ()


def test_a_script_continues_where_the_log_ends():
    script = read_script(structured("stay", "stay", "work"))
    run = started()
    given = []
    for _ in range(3):
        (effect,) = pending_effects(run)
        reply = scripted_reply(script, effect, run, 1)
        given.append(reply.structured["go"])
        run = after(run, reply)
    assert given == ["stay", "stay", "work"]
    assert [position.state for position in run.positions] == ["build"]


def test_an_exhausted_script_names_the_state():
    script = read_script(structured())
    run = started()
    with pytest.raises(BadScript, match="no reply left for 'start'"):
        scripted_reply(script, pending_effects(run)[0], run, 1)


def test_the_last_reply_may_repeat():
    script = read_script(structured("stay", repeat_last=True))
    run = started()
    for _ in range(4):
        run = after(run, scripted_reply(script, pending_effects(run)[0], run, 1))
    assert run.taken == {"start|stay|start": 4}


def test_an_event_becomes_a_complete_answer():
    run = started()
    (effect,) = pending_effects(run)
    reply = scripted_reply(read_script({"replies": [{"event": "WORK"}]}), effect, run, 1)
    assert reply.structured["go"] == "work"
    assert reply.structured["why"]


def test_an_unknown_event_is_named():
    run = started()
    with pytest.raises(BadScript, match="'fly' in 'start', which allows 'work'"):
        scripted_reply(
            read_script({"replies": [{"event": "fly"}]}), pending_effects(run)[0], run, 1
        )


def test_an_error_and_tool_calls_are_passed_on():
    run = started()
    (effect,) = pending_effects(run)
    body = {
        "replies": [
            {"error": "Down."},
            {"tool_calls": [{"name": "look", "arguments": {"a": 1}}], "usage": {"cost": 0.5}},
        ]
    }
    script = read_script(body)
    assert scripted_reply(script, effect, run, 1).error == "Down."
    later = read_script({"replies": body["replies"][1:]})
    reply = scripted_reply(later, effect, run, 1)
    assert (reply.tool_calls[0].name, reply.tool_calls[0].arguments) == ("look", {"a": 1})
    assert reply.usage.cost == 0.5


PARALLEL = Machine(
    {
        "start": {"fork": (("left", "right"), "done")},
        "left": {"model": {"go": "left", "leave": "leave"}},
        "right": {"model": {"go": "right", "leave": "leave"}},
        "leave": {"join": None},
        "done": {"end": "completed"},
    }
)


def test_parallel_positions_take_their_own_replies():
    body = {
        "replies": [
            {"event": "leave", "state": "right"},
            {"event": "go", "state": "left"},
            {"event": "leave", "state": "left"},
        ]
    }
    script, run = read_script(body), started(PARALLEL)
    for _ in range(3):
        effect = pending_effects(run)[0]
        run = after(run, scripted_reply(script, effect, run, 1), PARALLEL)
    assert run.status == "completed"
    assert run.visits["left"] == 2
    assert run.visits["right"] == 1


def test_two_calls_at_once_get_two_replies():
    script, run = read_script({"replies": [{"text": "one"}, {"text": "two"}]}), started(PARALLEL)
    left, right = pending_effects(run)
    assert scripted_reply(script, left, run, 1).text == "one"
    assert scripted_reply(script, right, run, 1).text == "two"


def test_commands_people_and_tools_answer_in_order_too():
    script = read_script(
        {
            "commands": [{"exit": 3, "stderr": "no"}],
            "answers": [{"approve": False, "text": "not yet"}],
            "tools": [{"result": "a bee"}],
        }
    )
    at = {"key": "0:1", "position": "0", "state": "x"}
    run = RunState(now=4.0)
    assert scripted_command(script, RunCommand(command=("x",), **at), run).exit == 3
    given = scripted_answer(script, AskHuman(kind="approve", question="?", **at), run)
    assert given == Approve(at=4.0, key="0:1", approve=False, text="not yet")
    tool = CallTool(name="look", arguments={}, **at)
    assert scripted_tool(script, tool, run) == ToolDone(at=4.0, key="0:1", result="a bee")
    assert scripted_tool(read_script({}), tool, run) is None


@each_row(
    [
        ([], "A script is an object"),
        ({"reply": []}, "no field 'reply'"),
        ({"replies": {}}, "`replies` of a script must be a list"),
        ({"replies": ["x"]}, "Entry 1 of `replies` in the script is not an object"),
        ({"replies": [{"txt": "x"}]}, "has no field 'txt'; use structured"),
        ({"replies": [{"text": 1}]}, "has a 'text' of the wrong type"),
        ({"replies": [{"tool_calls": [{}]}]}, "a tool call that is not"),
        ({"replies": [{"tool_calls": [7]}]}, "a tool call that is not"),
        ({"commands": [{"exit": "0"}]}, "has a 'exit' of the wrong type"),
        ({"repeat_last": 1}, "`repeat_last` of a script"),
    ]
)
def test_an_invalid_script_is_refused_with_its_place(body, sentence):
    with pytest.raises(BadScript) as refused:
        read_script(body)
    assert sentence in refused.value.message


@each_row([(None, 0), (250, 0.25), (-5, 0), ("soon", 0), (10**9, 60), (True, 0)])
def test_a_delay_is_bounded(delay, seconds):
    assert delay_seconds({"delay_ms": delay}) == seconds


def test_a_manual_reply_continues_the_run():
    run = after(started(), Reply(at=9, key="0:1", structured={"go": "ask"}))
    assert run.status == "waiting"
