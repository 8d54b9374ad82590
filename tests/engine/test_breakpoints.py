"""Breakpoints: a run pauses at states and transitions, before any request."""

from __future__ import annotations

from tests.support.checks import each_row
from tests.support.state_machine import Machine
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Breakpoints, Control, Fire, Reply, Start, ToolDone
from workflows.core.engine.transition import NOTHING, transition

TABLE = {
    "start": {"model": {"on": "look", "off": "end"}},
    "look": {"tool": "start"},
    "end": {"end": "completed"},
    "split": {"fork": (("look", "start"), "end")},
}


class ScriptedRun:
    """A run of the table, driven by the test."""

    def __init__(self, *, entry: str = "start", **start) -> None:
        self.program = Machine(table=TABLE, entries=(entry,))
        self.log, self.run, self.clock = [], RunState(), 0.0
        self.tell(Start(at=1.0, **start))

    def tell(self, signal):
        events, effects = transition(self.program, self.run, signal)
        self.log += events
        self.run = fold_all(events, self.run)
        assert fold_all(self.log) == self.run
        return effects

    def answer(self, go="on"):
        (effect,) = pending_effects(self.run)
        if type(effect).__name__ == "CallTool":
            return self.tell(ToolDone(at=2.0, key=effect.key, result="bees"))
        return self.tell(Reply(at=2.0, key=effect.key, structured={"go": go}))

    @property
    def stopped_at(self):
        told = [
            event.fields.get("breakpoint") for event in self.log if "breakpoint" in event.fields
        ]
        return told[-1] if told and self.run.status == "paused" else ""


@each_row(["look", "start|on|look"])
def test_a_run_pauses_before_the_first_request(stop):
    played = ScriptedRun(breakpoints=(stop,))
    assert played.answer() == ()
    assert (played.stopped_at, played.run.held, played.run.pending) == (stop, ("0",), {})
    (asked,) = played.tell(Control(at=3.0, what="resume"))
    assert (asked.state, played.run.status) == ("look", "running")


def test_a_breakpoint_pauses_every_time_until_it_is_removed():
    played = ScriptedRun(breakpoints=("look",))
    for _ in range(2):
        played.answer()
        assert played.stopped_at == "look"
        played.tell(Control(at=3.0, what="resume"))
        played.answer()
    played.tell(Breakpoints(at=4.0))
    played.answer()
    assert played.run.status == "running"


def test_a_breakpoint_at_the_entry_pauses():
    played = ScriptedRun(breakpoints=("start",))
    assert (played.stopped_at, pending_effects(played.run)) == ("start", ())


def test_until_pauses_once():
    played = ScriptedRun(paused=True)
    played.tell(Breakpoints(at=2.0, until="look"))
    assert played.run.status == "running"
    played.answer()
    assert (played.stopped_at, played.run.until) == ("look", "")
    played.tell(Control(at=3.0, what="resume"))
    for _ in range(3):
        played.answer()
    assert played.run.status == "running"


def test_until_resumes_only_a_paused_run():
    played = ScriptedRun()
    played.tell(Breakpoints(at=2.0, until="end"))
    assert played.log[-1].type == "run.breakpoints"
    played.tell(Breakpoints(at=3.0, ids=("look",), until="look"))
    assert [event.type for event in played.log if event.type == "run.resumed"] == []
    assert (played.run.status, played.run.until) == ("running", "look")


def test_the_same_breakpoints_again_change_nothing():
    played = ScriptedRun(breakpoints=("look",))
    assert transition(played.program, played.run, Breakpoints(at=2.0, ids=("look",))) == NOTHING
    assert transition(played.program, RunState(), Breakpoints(at=2.0, ids=("look",))) == NOTHING


def test_a_breakpoint_holds_parallel_branches():
    played = ScriptedRun(entry="split", breakpoints=("look",))
    assert (played.stopped_at, played.run.held) == ("look", ("0.1", "0.2"))
    played.tell(Control(at=3.0, what="step"))
    assert len(pending_effects(played.run)) == 1
    assert transition(played.program, played.run, Control(at=4.0, what="step")) == NOTHING


def test_a_breakpoint_at_an_end_waits_for_resume():
    played = ScriptedRun(breakpoints=("end",))
    played.tell(Fire(at=2.0, event="off"))
    assert played.stopped_at == "end"
    played.tell(Control(at=3.0, what="resume"))
    assert played.run.status == "completed"


def test_a_recorded_run_with_breakpoints_is_verified():
    played = ScriptedRun(breakpoints=("look",))
    played.answer()
    played.tell(Breakpoints(at=3.0, ids=("start",), until="end"))
    played.answer()
    played.tell(Control(at=4.0, what="cancel"))
    assert verify(played.program, played.log).divergence is None
