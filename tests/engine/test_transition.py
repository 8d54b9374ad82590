"""The effect of one signal on a run."""

import json
from dataclasses import replace

import pytest

from tests.support.checks import each_row
from tests.support.state_machine import EVERYTHING, Machine
from workflows.core.engine.effect_events import prompt_hash
from workflows.core.engine.effects import AskModel
from workflows.core.engine.events import Draft, Event
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import Budget
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    CommandDone,
    Control,
    Fire,
    Reply,
    Start,
    TimeUp,
    ToolCall,
    ToolDone,
    Usage,
)
from workflows.core.engine.transition import NOTHING, transition


class ScriptedRun:
    """A running run: sends signals and keeps the log."""

    def __init__(self, table=EVERYTHING, *, limit=None, paused=False, inputs=None, **options):
        self.program = Machine(table, **options)
        self.limit = limit
        self.run, self.log, self.effects = RunState(), [], ()
        self.send(Start(at=1.0, paused=paused, inputs=inputs or {}))

    def send(self, signal):
        events, self.effects = transition(self.program, self.run, signal, budget=self.limit)
        self.log += events
        self.run = fold_all(events, self.run)
        return [event.type for event in events]

    def reply(self, go, key=None, at=2.0, **more):
        key = key or next(iter(self.run.pending))
        return self.send(Reply(at=at, key=key, structured={"go": go}, **more))

    @property
    def states(self):
        return [position.state for position in self.run.positions]


def test_a_start_enters_the_first_state_and_requests_an_effect():
    play = ScriptedRun(inputs={"topic": "bees"})
    assert [event.type for event in play.log] == [
        "run.started",
        "state.entered",
        "prompt.logged",
        "model.asked",
    ]
    (effect,) = play.effects
    assert isinstance(effect, AskModel)
    assert (effect.key, effect.position, effect.state) == ("0:1", "0", "start")
    assert play.run.inputs == {"topic": "bees"}
    assert play.run.status == "running"


def test_the_logged_prompt_is_the_sent_one_with_its_hash():
    play = ScriptedRun()
    logged = play.log[2].fields
    assert logged["text"] == play.effects[0].system == "You are in start."
    assert logged["hash"] == prompt_hash("You are in start.")
    assert len(logged["hash"]) == 64


def test_a_reply_takes_the_transition_it_names():
    play = ScriptedRun()
    assert play.reply("work") == [
        "model.replied",
        "state.left",
        "transition.taken",
        "state.entered",
        "command.asked",
    ]
    taken = next(event for event in play.log if event.type == "transition.taken")
    assert taken.fields["transition"] == "start|work|build"
    assert play.run.taken == {"start|work|build": 1}
    assert play.states == ["build"]


def test_every_kind_of_answer_moves_the_run_on():
    play = ScriptedRun()
    play.reply("work")
    play.send(CommandDone(at=3, key="0:2"))
    assert play.states == ["look"]
    play.send(ToolDone(at=4, key="0:3", result="a bee"))
    assert play.states == ["rest"]
    assert play.run.status == "waiting"
    play.send(TimeUp(at=5, key="0:4"))
    assert play.states == ["start"]
    play.reply("ask")
    assert play.run.status == "waiting"
    play.send(Approve(at=6, event="on"))
    play.send(Approve(at=7, approve=True))
    assert play.run.status == "completed"
    assert play.run.pending == {}
    assert play.run.visits == {
        "start": 2,
        "build": 1,
        "look": 1,
        "rest": 1,
        "ask": 1,
        "sure": 1,
        "done": 1,
    }


@each_row(
    [
        Reply(at=9, key="0:7", structured={"go": "work"}),
        Reply(at=9, key="", structured={"go": "work"}),
        CommandDone(at=9, key="0:1"),
        ToolDone(at=9, key="0:1"),
        Approve(at=9, key="0:1"),
        Approve(at=9),
        TimeUp(at=9, key="0:2"),
        Fire(at=9, event="nothing of the kind"),
        Fire(at=9, event="work", state="build"),
        Control(at=9, what="resume"),
        Control(at=9, what="step"),
        Start(at=9),
    ]
)
def test_a_misplaced_signal_changes_nothing(signal):
    play = ScriptedRun()
    assert transition(play.program, play.run, signal) == NOTHING


def test_a_repeated_reply_changes_nothing():
    play = ScriptedRun()
    play.reply("stay", key="0:1")
    assert play.reply("stay", key="0:1") == []
    assert play.run.taken == {"start|stay|start": 1}


def test_signals_after_the_end_change_nothing():
    play = ScriptedRun({"start": {"end": "completed"}})
    assert play.run.status == "completed"
    for signal in (Start(at=2), Fire(at=2, event="x"), Control(at=2, what="cancel")):
        assert transition(play.program, play.run, signal) == NOTHING


def test_a_pack_that_cannot_start_fails_with_its_reason():
    play = ScriptedRun(inputs={"broken": "yes"})
    assert [event.type for event in play.log] == ["run.started", "run.finished"]
    assert play.run.status == "failed"
    assert play.run.reason == "The input 'broken' was given."
    assert play.log[-1].fields["code"] == "XX001"


def test_branches_run_in_parallel_and_join():
    play = ScriptedRun()
    play.reply("split")
    assert [position.id for position in play.run.positions] == ["0", "0.1", "0.2"]
    assert play.states == ["split", "left", "right"]
    assert play.run.status == "running"
    assert {effect.state for effect in play.effects} == {"left", "right"}
    left, right = play.run.pending
    play.send(Approve(at=3, key=right, event="go"))
    assert play.states == ["split", "left"]
    play.reply("go", key=left)
    assert play.states == ["sure"]
    assert [position.id for position in play.run.positions] == ["0"]


def test_a_second_fork_gives_its_branches_new_names():
    play = ScriptedRun()
    for _ in range(2):
        play.reply("split")
        left, right = play.run.pending
        play.reply("go", key=left)
        play.send(Approve(at=3, key=right, event="go"))
        play.send(Approve(at=4, approve=False))
    seen = [e.fields["position"] for e in play.log if e.fields.get("parent")]
    assert seen == ["0.1", "0.2", "0.3", "0.4"]


RACE = {
    "start": {"fork": (("left", "middle", "right"), "done")},
    "left": {"model": {"go": "leave", "flee": "bolt"}},
    "middle": {"fork": (("deep", "deeper"), "leave")},
    "deep": {"model": {"go": "leave"}},
    "deeper": {"wait": "leave"},
    "right": {"human": {"go": "leave"}},
    "leave": {"join": None},
    "bolt": {"flee": None},
    "done": {"end": "completed"},
}


def test_a_branch_can_end_its_siblings_and_their_branches():
    play = ScriptedRun(RACE)
    asked = dict(play.run.pending)
    assert play.states == ["start", "left", "middle", "right", "deep", "deeper"]
    play.reply("flee", key="0.1:1")
    assert play.run.status == "completed"
    left = [e.fields for e in play.log if e.type == "state.left" and e.fields.get("cancelled")]
    assert [(e["position"], e["state"]) for e in left] == [
        ("0.2", "middle"),
        ("0.3", "right"),
        ("0.2.1", "deep"),
        ("0.2.2", "deeper"),
    ]
    assert len(asked) == 4
    assert play.run.pending == {}


def test_late_answers_for_a_cancelled_branch_change_nothing():
    play = ScriptedRun({**RACE, "done": {"model": {"go": "start"}}})
    late = [
        Reply(at=9, key="0.2.1:3", structured={"go": "leave"}),
        TimeUp(at=9, key="0.2.2:4"),
        Approve(at=9, key="0.3:2", event="go"),
        Approve(at=9),
        Fire(at=9, event="go", state="right"),
    ]
    play.reply("flee", key="0.1:1")
    assert play.states == ["done"]
    for signal in late:
        assert transition(play.program, play.run, signal) == NOTHING
    play.reply("go")
    assert [position.id for position in play.run.positions][1] == "0.4"


def test_branches_on_the_agenda_are_cancelled_too():
    table = {
        "start": {"fork": (("bolt", "left", "hop"), "done")},
        "bolt": {"flee": None},
        "left": {"model": {"go": "done"}},
        "hop": {"auto": "left"},
        "done": {"end": "completed"},
    }
    play = ScriptedRun(table)
    assert play.run.status == "completed"
    assert play.run.asked == 0


def test_a_branch_that_is_held_can_be_cancelled():
    play = ScriptedRun(RACE)
    play.send(Control(at=2, what="pause"))
    play.send(TimeUp(at=3, key="0.2.2:4"))
    play.reply("flee", key="0.1:1")
    assert play.run.held == ("0.2.2", "0.1")
    play.send(Control(at=4, what="resume"))
    assert play.run.status == "completed"
    assert play.run.held == ()


def test_one_of_several_first_states_can_end_the_others():
    table = {"a": {"model": {"go": "bolt"}}, "b": {"wait": "b"}, "bolt": {"flee": None}}
    play = ScriptedRun(table, entries=("a", "b"))
    play.reply("go", key="0:1")
    assert play.run.status == "completed"
    assert play.run.positions == ()


def test_branches_that_meet_each_take_a_transition():
    class Meeting(Machine):
        def _take(self, run, target, label):
            take = super()._take(run, target, label)
            return replace(take, sources=("left", "right")) if label == "joined" else take

    table = {
        "start": {"fork": (("left", "right"), "done")},
        "left": {"auto": "leave"},
        "right": {"auto": "leave"},
        "leave": {"join": None},
        "done": {"end": "completed"},
    }
    events, _ = transition(Meeting(table), RunState(), Start(at=1.0))
    taken = [e.fields["transition"] for e in events if e.type == "transition.taken"]
    assert taken[-2:] == ["left|joined|done", "right|joined|done"]
    assert fold_all(events).visits["done"] == 1


def test_a_program_writes_drafts_before_a_cancel():
    class Sorry(Machine):
        def on_cancel(self, run):
            yield Draft(type="machine.sorry", fields={"states": [p.state for p in run.positions]})

    program = Sorry(EVERYTHING)
    run = fold_all(transition(program, RunState(), Start(at=1.0))[0])
    events, _ = transition(program, run, Control(at=2.0, what="cancel"))
    assert [event.type for event in events] == ["machine.sorry", "run.finished"]
    assert events[0].fields == {"states": ["start"]}


def test_a_run_has_its_outside_id():
    events, _ = transition(Machine(EVERYTHING), RunState(), Start(at=1.0, run="run-7"))
    assert fold_all(events).id == "run-7"
    assert "run" not in ScriptedRun().log[0].fields


def test_several_first_states_are_several_positions():
    table = {"a": {"model": {"go": "c"}}, "b": {"model": {"go": "c"}}, "c": {"join": None}}
    play = ScriptedRun(table, entries=("a", "b"))
    assert list(play.run.pending) == ["0:1", "1:2"]
    play.reply("go", key="1:2")
    assert play.run.status == "running"
    play.reply("go", key="0:1")
    assert play.run.status == "completed"


def test_pause_finishes_pending_effects_and_requests_no_new_ones():
    play = ScriptedRun()
    assert play.send(Control(at=2, what="pause", reason="Lunch.")) == ["run.paused"]
    assert (play.run.status, play.run.reason) == ("paused", "Lunch.")
    assert play.reply("work") == [
        "model.replied",
        "state.left",
        "transition.taken",
        "state.entered",
        "run.paused",
    ]
    assert play.effects == ()
    assert play.run.held == ("0",)
    assert play.send(Control(at=3, what="resume")) == ["run.resumed", "command.asked"]
    assert (play.run.status, play.run.reason) == ("running", "")
    assert play.run.held == ()


def test_a_run_can_start_paused_and_go_step_by_step():
    play = ScriptedRun(paused=True)
    assert play.states == ["start"]
    assert play.run.pending == {}
    assert play.send(Control(at=2, what="step")) == ["run.resumed", "prompt.logged", "model.asked"]
    assert play.send(Control(at=2, what="step")) == []
    play.reply("stay")
    assert play.run.status == "paused"
    assert play.run.pending == {}
    play.send(Control(at=3, what="step"))
    assert list(play.run.pending) == ["0:2"]


def test_a_step_lets_one_position_request():
    play = ScriptedRun()
    play.send(Control(at=2, what="pause"))
    play.reply("split")
    assert play.run.held == ("0",) or play.run.held == ("0.1", "0.2")
    play.send(Control(at=3, what="step"))
    assert len(play.run.pending) == 1


def test_a_step_that_joins_pauses_again():
    table = {
        "start": {"fork": (("left", "right"), "done")},
        "left": {"model": {"go": "leave"}},
        "right": {"model": {"go": "leave"}},
        "leave": {"join": None},
        "done": {"end": "completed"},
    }
    play = ScriptedRun(table, paused=True)
    play.send(Control(at=2, what="step"))
    assert list(play.run.pending) == ["0.1:1"]
    assert play.run.held == ("0.2",)
    play.reply("go")
    assert play.run.status == "paused"
    play.send(Control(at=3, what="resume"))
    assert {effect["state"] for effect in play.run.pending.values()} == {"right"}


def test_a_wait_that_ends_while_paused_leaves_the_run_paused():
    play = ScriptedRun({"start": {"wait": "next"}, "next": {"wait": "start"}})
    play.send(Control(at=2, what="pause"))
    play.send(TimeUp(at=3, key="0:1"))
    assert play.run.status == "paused"
    assert play.states == ["next"]
    assert play.run.pending == {}


def test_cancel_drops_pending_effects_and_ignores_late_answers():
    play = ScriptedRun()
    assert play.send(Control(at=2, what="cancel", reason="Changed my mind.")) == ["run.finished"]
    assert play.run.status == "cancelled"
    assert play.run.reason == "Changed my mind."
    assert pending_effects(play.run) == ()
    assert play.reply("work", key="0:1") == []


def test_an_external_event_takes_its_transition_and_drops_the_question():
    play = ScriptedRun()
    play.reply("ask")
    (question,) = play.run.pending
    play.send(Fire(at=3, event="back"))
    assert play.states == ["start"]
    assert question not in play.run.pending
    assert play.send(Approve(at=4, key=question, event="on")) == []


def test_an_event_may_name_the_state_it_is_for():
    play = ScriptedRun()
    play.reply("split")
    play.send(Fire(at=3, event="go", state="right"))
    assert play.states == ["split", "left"]


@each_row(
    [
        (Budget(total_visits=2), "max_total_visits 2 reached limit 2"),
        (Budget(model_calls=2), "max_model_calls 2 reached limit 2"),
        (Budget(wall_seconds=30), "max_wall_time_sec 30 reached limit 30"),
        (Budget(tokens=100), "max_tokens 120 reached limit 100"),
        (Budget(cost=0.5), "max_cost 0.5 reached limit 0.5"),
    ]
)
def test_a_used_up_budget_ends_the_run(limit, reason):
    play = ScriptedRun(limit=limit)
    play.reply("stay", at=11, usage=Usage(input_tokens=30, output_tokens=30, cost=0.25))
    assert play.run.status == "running"
    play.reply("stay", at=31, usage=Usage(input_tokens=30, output_tokens=30, cost=0.25))
    assert play.run.status == "budget_exhausted"
    assert play.run.reason == reason
    assert play.effects == ()


def test_a_budget_of_one_visit_allows_the_first_state():
    play = ScriptedRun(limit=Budget(total_visits=1))
    assert len(play.effects) == 1
    play.reply("stay")
    assert play.run.status == "budget_exhausted"


def test_the_smaller_of_two_budgets_applies():
    play = ScriptedRun(limit=Budget(model_calls=9), budget=Budget(model_calls=1))
    play.reply("stay")
    assert play.run.reason == "max_model_calls 1 reached limit 1"


def test_tool_calls_are_counted_before_the_next_one():
    play = ScriptedRun({"start": {"tool": "start"}}, limit=Budget(tool_calls=2))
    play.send(ToolDone(at=2, key="0:1"))
    play.send(ToolDone(at=3, key="0:2"))
    assert play.run.reason == "max_tool_calls 2 reached limit 2"


def test_a_reached_limit_does_not_stop_a_transition_to_an_end():
    table = {"start": {"model": {"stop": "done"}}, "done": {"end": "completed"}}
    play = ScriptedRun(table, limit=Budget(model_calls=1))
    play.reply("stop")
    assert play.run.status == "completed"


@each_row(
    [
        {"start": {"auto": "start"}},
        {"start": {"again": None}},
        {"start": {"fork": (("start", "start"), "start")}},
        {"start": {"fork": ((), "start")}},
    ]
)
def test_a_program_without_requests_is_stopped(table):
    play = ScriptedRun(table)
    assert play.run.status == "failed"
    assert "endless loop" in play.run.reason


def test_an_invalid_answer_is_requested_again_with_a_new_key():
    play = ScriptedRun()
    assert play.reply("nowhere") == [
        "model.replied",
        "check.failed",
        "prompt.logged",
        "model.asked",
    ]
    assert list(play.run.pending) == ["0:2"]
    assert play.run.memory == {"odd": "nowhere"}


def test_a_failed_call_is_handled_by_the_program():
    play = ScriptedRun()
    play.send(Reply(at=2, key="0:1", error="The line is dead."))
    assert play.run.reason == "The line is dead. The model did not answer."


@pytest.mark.parametrize(("levels", "error"), [(90, False), (110, True), (9_000, True)])
@pytest.mark.parametrize("where", ["structured", "tool_calls"])
def test_a_too_deeply_nested_answer_is_an_error(levels, error, where):
    value = {}
    for _ in range(levels):
        value = {"in": value}
    given = value if where == "structured" else (ToolCall(name="x", arguments=value),)
    play = ScriptedRun()
    play.send(Reply(at=2, key="0:1", **{where: given}))
    replied = next(event for event in play.log if event.type == "model.replied")
    assert ("nested more than 100 levels" in replied.fields["error"]) is error


def test_a_time_limit_fails_the_effect_it_ended():
    play = ScriptedRun()
    play.reply("work")
    play.send(TimeUp(at=9, key="0:2"))
    ended = next(event for event in play.log if event.type == "command.finished")
    assert ended.fields["exit"] == 124
    assert play.states == ["start"]


def test_a_log_that_was_stored_and_read_back_is_the_same_run():
    play = ScriptedRun()
    play.reply("split")
    stored = json.loads(json.dumps([event.to_json() for event in play.log]))
    again = fold_all(Event.from_json(body) for body in stored)
    assert again == play.run
    assert pending_effects(again) == play.effects


def test_terminal_states_are_marked_when_entered():
    table = {"start": {"model": {"stop": "done"}}, "done": {"end": "completed"}}
    play = ScriptedRun(table)
    play.reply("stop")
    entered = [e.fields for e in play.log if e.type == "state.entered"]
    assert [(e["state"], e["terminal"]) for e in entered] == [("start", False), ("done", True)]
