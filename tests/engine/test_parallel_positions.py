"""Parallel positions, and messages and events from outside a run."""

from tests.engine.test_transition import ScriptedRun
from tests.support.checks import each_row
from tests.support.state_machine import BESIDE
from workflows.core.engine.program import Budget
from workflows.core.engine.replay.fork import fork_point
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.signals import Approve, Breakpoints, Control, Fire, Reply, Tell, ToolDone


def beside(**options):
    play = ScriptedRun(BESIDE, **options)
    play.reply("herd")
    return play


def places(play):
    return {place.id: place.state for place in play.run.positions}


def test_parallel_states_are_numbered_after_the_first_position():
    play = beside()
    assert places(play) == {"0": "nap", "1": "left", "2": "right"}
    assert play.run.position("1").memory == {"begun": "beside"}
    assert {effect["position"] for effect in play.run.pending.values()} == {"0", "1", "2"}


def test_a_transition_is_recorded_for_entered_and_crossed_states():
    play = beside()
    assert play.run.taken == {
        "start|herd|herd": 1,
        "herd|right|right": 1,
        "herd|inner|inner": 1,
        "herd|then|nap": 1,
    }
    assert "inner" not in play.run.visits


def test_a_parallel_state_of_a_branch_is_a_branch_of_the_same_fork():
    play = ScriptedRun(BESIDE)
    play.reply("split")
    play.reply("herd", key="0.1:2")
    assert places(play) == {
        "0": "split",
        "0.1": "nap",
        "0.2": "right",
        "0.3": "left",
        "0.4": "right",
    }
    for key in list(play.run.pending):
        match play.run.pending[key]:
            case {"effect": "CallTool"}:
                play.send(ToolDone(at=3, key=key))
            case {"effect": "AskModel"}:
                play.send(Reply(at=3, key=key, structured={"go": "go"}))
            case _:
                assert places(play)["0"] == "split"
                play.send(Approve(at=3, key=key, event="go"))
    assert places(play) == {"0": "sure"}


def test_a_run_ends_when_its_last_first_position_leaves():
    play = beside()
    keys = {effect["state"]: key for key, effect in play.run.pending.items()}
    play.send(ToolDone(at=3, key=keys["nap"]))
    play.send(Approve(at=3, key=keys["right"], event="go"))
    assert play.run.status == "running"
    play.reply("go", key=keys["left"])
    assert play.run.status == "completed"


@each_row([1, 2, 3, 4, 5])
def test_a_parallel_state_counts_as_a_visit(limit):
    play = ScriptedRun(BESIDE, limit=Budget(total_visits=limit))
    play.reply("herd")
    assert sum(play.run.visits.values()) == limit
    assert (play.run.status == "budget_exhausted") == (limit < 5)


def test_a_paused_run_holds_new_positions():
    play = ScriptedRun(BESIDE)
    play.send(Control(at=2, what="pause"))
    play.reply("herd")
    assert (play.run.pending, play.run.held) == ({}, ("0",))
    play.send(Control(at=3, what="step"))
    assert len(play.run.pending) == 1
    assert len(play.run.held) == 2
    assert set(places(play)) == {"0", "1", "2"}
    play.send(Control(at=4, what="resume"))
    assert len(play.run.pending) == 3


@each_row(["right", "herd|right|right", "herd|inner|inner", "left"])
def test_breakpoints_hold_parallel_positions(stop):
    play = ScriptedRun(BESIDE)
    play.send(Breakpoints(at=1, ids=(stop,)))
    play.reply("herd")
    assert play.run.status == "paused"
    assert play.run.pending == {}


def test_a_cancel_ends_every_position():
    play = beside()
    play.send(Control(at=3, what="cancel"))
    assert (play.run.status, play.run.pending) == ("cancelled", {})


def test_a_message_starts_a_position_in_an_idle_state():
    play = ScriptedRun(BESIDE)
    assert play.send(Tell(at=2, state="left", text="Go on."))[:2] == ["run.told", "state.entered"]
    assert places(play) == {"0": "start", "1": "left"}
    assert play.log[-4].fields == {"state": "left", "text": "Go on.", "interrupt": False}


def test_an_urgent_message_drops_the_pending_effect_and_its_late_answer():
    play = ScriptedRun(BESIDE)
    (old,) = play.run.pending
    told = play.send(Tell(at=2, state="start", text="Stop!", interrupt=True))
    assert told == ["run.told", "machine.told", "effect.dropped", "prompt.logged", "model.asked"]
    assert play.run.memory == {"heard": "Stop!"}
    (new,) = play.run.pending
    assert new != old
    assert play.reply("work", key=old) == []
    assert play.reply("work", key=new) != []


def test_an_urgent_message_in_a_paused_run_waits_for_resume():
    play = ScriptedRun(BESIDE)
    play.send(Control(at=2, what="pause"))
    play.send(Tell(at=3, state="start", text="Stop!", interrupt=True))
    assert (play.run.pending, play.run.held) == ({}, ("0",))
    play.send(Control(at=4, what="resume"))
    assert len(play.run.pending) == 1


def test_an_urgent_message_drops_the_effect_of_a_held_position():
    play = ScriptedRun(BESIDE, paused=True)
    play.send(Tell(at=3, state="start", text="Stop!", interrupt=True))
    assert (play.run.kept, play.run.held) == ({}, ("0",))


@each_row(["nowhere", "", "done"])
def test_a_message_to_an_unknown_state_changes_nothing(state):
    play = ScriptedRun(BESIDE)
    assert play.send(Tell(at=2, state=state, text="Hello?")) == []


def test_a_message_after_the_end_changes_nothing():
    play = ScriptedRun(BESIDE)
    play.send(Control(at=2, what="cancel"))
    assert play.send(Tell(at=3, state="start", text="Hello?")) == []


def test_a_budget_stops_messages_that_start_ever_more_positions():
    play = ScriptedRun(BESIDE, limit=Budget(total_visits=3))
    for at in range(2, 9):
        play.send(Tell(at=at, state="left", text="More."))
    assert play.run.status == "budget_exhausted"
    assert sum(play.run.visits.values()) == 3


def test_a_recorded_run_with_messages_is_verified():
    play = beside()
    play.send(Tell(at=3, state="left", text="Stop!", interrupt=True))
    play.send(Tell(at=4, state="ask", text="And you?"))
    assert verify(play.program, play.log).holds
    assert fork_point(play.log, len(play.log)) == len(play.log)


def test_an_event_without_a_transition_keeps_or_repeats_the_pending_effect():
    play = beside()
    before = dict(play.run.pending)
    assert play.send(Fire(at=3, event="nudge", state="nap")) == ["run.fired", "machine.nudged"]
    assert play.run.pending == before
    play.send(Fire(at=3, event="nudge", state="left"))
    assert play.run.memory == {"nudged": "1"}
    assert set(play.run.pending) != set(before)
    assert verify(play.program, play.log).holds
