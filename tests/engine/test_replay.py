"""A recorded run: saved as a script, verified against a pack, and forked."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from signalbox.commands.run import Headless
from signalbox.commands.run_output import Narrator
from tests.engine.test_real_programs import opened, packs, signal
from tests.support.checks import each_row, each_seed, seed_ranges
from tests.support.state_machine import Machine
from workflows.core.engine.events import Event, confirms_call
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.program import CannotRun
from workflows.core.engine.rehearsal.answers import answer_for, choose
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.replay.fork import fork_point, repeat_requests
from workflows.core.engine.replay.recording import (
    InvalidRecording,
    expectation,
    read_recording,
    script_of,
    unmet_expectation,
)
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Control, Fire, Start
from workflows.core.engine.transition import transition
from workflows.runner.drivers import drivers

TABLE = {
    "start": {"model": {"on": "work", "off": "done"}},
    "work": {"fork": (("left", "right"), "check")},
    "left": {"tool": "met"},
    "right": {"human": {"go": "met"}},
    "met": {"join": None},
    "check": {"command": ("done", "start")},
    "done": {"end": "completed"},
}


def stored(events):
    return [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in events]


def played(program, graph, inputs, seed, next_signal, steps=80):
    """A log with the answers that `next_signal(run, graph, rng, at)` returns."""
    rng, run, log = Rng(seed), RunState(), []
    coming = Start(at=1.0, inputs=inputs)
    for number in range(steps):
        events, _ = transition(program, run, coming)
        log += stored(events)
        run = fold_all(events, run)
        if run.finished:
            break
        coming = next_signal(run, graph, rng, 2.0 + number)
    return log


def rehearsed(run, graph, rng, at):
    """An answer to a random pending effect, so that branches interleave."""
    effect = rng.pick(pending_effects(run))
    choice = choose(effect, run, graph, rng)
    return answer_for(effect, choice, seed=rng.next(), at=at, good=rng.below(4) > 0)


class Silent(Narrator):
    def tell(self, event):
        pass


def repeated(program, graph, script):
    again = Headless(drivers()["script"], graph, {"script": script}, Silent(as_json=True))
    asyncio.run(again.play(program, script["inputs"], 1_000))
    return again.events


@pytest.mark.parametrize("seeds", seed_ranges(1, 3))
@pytest.mark.parametrize(("dialect", "files", "profile"), list(packs()))
def test_a_run_saved_as_a_script_takes_the_same_path(dialect, files, profile, seeds):
    program, graph, inputs = opened(dialect, files, profile)
    if program is None:
        assert inputs.endswith(".")
        return

    def check(seed):
        log = played(program, graph, inputs, seed, rehearsed, steps=300)
        script = json.loads(json.dumps(script_of(log)))
        again = repeated(program, graph, script)
        if expectation(log)["status"]:
            assert expectation(again) == expectation(log)
        assert unmet_expectation(script["expects"], again) == (0, "")

    each_seed(seeds, check)


@pytest.mark.parametrize("seeds", seed_ranges(1, 3))
@pytest.mark.parametrize(("dialect", "files", "profile"), list(packs()))
def test_a_recorded_run_is_verified_under_its_own_pack(dialect, files, profile, seeds):
    program, graph, inputs = opened(dialect, files, profile)
    if program is None:
        assert inputs.endswith(".")
        return

    def check(seed):
        verdict = verify(program, played(program, graph, inputs, seed, signal))
        assert verdict.divergence is None
        assert verdict.reworded == ()

    each_seed(seeds, check)


def run_of(table, seed=3):
    machine = Machine(table=table)
    log = played(machine, machine.graph(), {}, seed, rehearsed)
    return machine, log


def changed(**states):
    return Machine(table={**TABLE, **states})


def test_logs_from_before_tool_asked_mean_the_same():
    """There the request of a tool was `tool.called`, and the call had no event."""
    machine, log = run_of(TABLE)
    kept = [event for event in log if not confirms_call(event.type, event.fields)]
    assert len(kept) < len(log)
    request = {"tool.asked": "tool.called"}
    old = [replace(e, n=n, type=request.get(e.type, e.type)) for n, e in enumerate(kept, start=1)]
    assert verify(machine, old).holds
    new, before = fold_all(log), fold_all(old)
    assert replace(before, n=new.n) == new
    assert not verify(machine, [*old[:-1], replace(old[-1], type="state.left")]).holds


@pytest.mark.parametrize(
    ("machine", "type", "now"),
    [
        pytest.param(changed(), None, "", id="nothing-changed"),
        pytest.param(
            changed(start={"model": {"on": "check", "off": "done"}}),
            "transition.taken",
            "check",
            id="another-target",
        ),
        pytest.param(
            changed(check={"approve": ("done", "start")}),
            "command.asked",
            "approval.asked",
            id="another-question",
        ),
        pytest.param(changed(left={"join": None}), "tool.asked", "state.left", id="asks-no-longer"),
        pytest.param(CannotRun("It has no entry."), "state.entered", "no entry", id="cannot-run"),
    ],
)
def test_the_first_event_that_differs_is_named(machine, type, now):
    _, log = run_of(TABLE)
    verdict = verify(machine, log)
    if type is None:
        assert verdict.holds
        return
    assert verdict.divergence.type == type
    assert now in verdict.divergence.message
    first = next(event for event in log if event.type == type)
    assert verdict.divergence.n == first.n


def test_a_cancel_and_an_external_event_are_replayed():
    machine = Machine(table={**TABLE, "start": {"model": {"on": "ask"}}, "ask": TABLE["right"]})
    log, run = [], RunState()
    for coming in (
        Start(at=1.0, paused=True),
        Control(at=2.0, what="step"),
        Fire(at=3.0, event="on"),
        Control(at=4.0, what="pause", reason="Lunch."),
        Control(at=5.0, what="cancel", reason="Enough."),
    ):
        events, _ = transition(machine, run, coming)
        log, run = log + stored(events), fold_all(events, run)
    assert run.status == "cancelled"
    assert verify(machine, log).holds


def test_another_wording_is_noted_and_is_no_divergence():
    machine, log = run_of(TABLE)
    asked = next(event for event in log if event.type == "prompt.logged")
    log[asked.n - 1] = replace(asked, fields={**asked.fields, "text": "Said otherwise."})
    verdict = verify(machine, log)
    assert (verdict.holds, verdict.reworded) == (True, (asked.n,))


@each_row(
    [
        ([], "begins with"),
        ([{"n": 1, "at": 1, "type": "state.entered"}], "begins with"),
        ([{"n": 2, "at": 1, "type": "run.started"}], "Where event 1 should be"),
        ([{"n": 1, "at": "noon", "type": "run.started"}], "lacks a time"),
        (["run.started"], "Event 1 is not an object"),
    ]
)
def test_an_invalid_recording_is_refused_with_its_reason(bodies, says):
    with pytest.raises(InvalidRecording, match=says):
        read_recording(bodies)


@pytest.mark.parametrize("seeds", seed_ranges(1, 2))
@pytest.mark.parametrize(("dialect", "files", "profile"), list(packs()))
def test_a_fork_continues_between_two_steps(dialect, files, profile, seeds):
    program, graph, inputs = opened(dialect, files, profile)
    if program is None:
        assert inputs.endswith(".")
        return

    def check(seed):
        log = played(program, graph, inputs, seed, rehearsed, steps=40)
        asked_at = {event.n for event in log if "effect" in event.fields}
        for at in range(0, len(log) + 1, 1 + len(log) // 12):
            point = fork_point(log, at)
            assert point <= at
            if not point:
                first = min(asked_at, default=len(log) + 1)
                assert at < first or log[at].type == "run.waiting"
                continue
            run = fold_all(log[:point])
            assert pending_effects(run)
            assert not run.finished
            rng, number = Rng(seed, at), 0
            while not run.finished and number < 300:
                number += 1
                answer = rehearsed(run, graph, rng, 500.0 + number)
                events, _ = transition(program, run, answer)
                assert events
                run = fold_all(events, run)
                assert run.finished or pending_effects(run)

    each_seed(seeds, check)


def test_another_revision_requests_pending_effects_with_its_own_texts():
    _, log = run_of(TABLE)
    point = fork_point(log, len(log) - 1)
    run = fold_all(log[:point])
    other = Machine(table={**TABLE, "check": {"approve": ("done", "start")}})
    events = repeat_requests(other, run, 900.0)
    after = fold_all(events, run)
    assert [effect.state for effect in pending_effects(after)] == ["check"]
    assert [event.type for event in events][-1] == "run.waiting"
    marked = replace(log[0], fields={**log[0].fields, "forked_from": {"at": point, "revision": 2}})
    assert verify(other, [marked, *log[1:point], *events]).holds
