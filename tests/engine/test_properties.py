"""Properties of every run: any signals in any order result in a log whose fold is the run."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.state_machine import BESIDE, Machine
from workflows.core.engine.events import Event
from workflows.core.engine.fold import REQUEST_EVENTS, fold_all, pending_effects
from workflows.core.engine.program import Budget
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
    Approve,
    Breakpoints,
    CommandDone,
    Control,
    Fire,
    Reply,
    Start,
    Tell,
    TimeUp,
    ToolDone,
)
from workflows.core.engine.transition import NOTHING, transition

WAYS = sorted({event for spec in BESIDE.values() for event in spec.get("model", {})})
WAYS += ["go", "again", "back", "on", "nudge", "nonsense"]

STOPS = [
    "",
    "nowhere",
    *BESIDE,
    *(arrow.id for arrow in Machine(BESIDE).graph().transitions),
]

signals = st.one_of(
    st.tuples(st.just("answer"), st.integers(0, 5), st.sampled_from(WAYS), st.booleans()),
    st.tuples(st.just("old answer"), st.integers(0, 5), st.sampled_from(WAYS), st.booleans()),
    st.tuples(st.just("fire"), st.sampled_from(WAYS), st.sampled_from(["", "right", "ask"])),
    st.tuples(st.just("control"), st.sampled_from(["pause", "resume", "step", "resume"])),
    st.tuples(st.just("cancel"), st.integers(0, 30)),
    st.tuples(
        st.just("stop at"), st.lists(st.sampled_from(STOPS), max_size=3), st.sampled_from(STOPS)
    ),
    st.tuples(st.just("tell"), st.sampled_from(STOPS), st.booleans()),
    st.tuples(st.just("start")),
)


def built(drawn, run, at):
    """A signal that is meaningful for this run if possible."""
    match drawn:
        case ("answer", which, way, yes):
            keys = list(run.pending) or ["0:0"]
            key = keys[which % len(keys)]
            return answered(run.pending.get(key, {}).get("effect"), key, way, yes, at)
        case ("old answer", which, way, yes):
            return answered(("AskModel", "AskHuman")[which % 2], f"0:{which}", way, yes, at)
        case ("fire", way, state):
            return Fire(at=at, event=way, state=state)
        case ("control", what):
            return Control(at=at, what=what)
        case ("stop at", ids, until):
            return Breakpoints(at=at, ids=tuple(ids), until=until)
        case ("tell", state, urgent):
            return Tell(at=at, state=state, text="A word.", interrupt=urgent)
        case ("cancel", chance):
            return Control(at=at, what="cancel" if chance == 0 else "resume")
        case _:
            return Start(at=at)


def answered(kind, key, way, yes, at):
    match kind:
        case "AskHuman":
            return Approve(at=at, key=key, approve=yes, event=way)
        case "CallTool":
            return ToolDone(at=at, key=key, result="bees")
        case "RunCommand":
            return CommandDone(at=at, key=key, exit=0 if yes else 1)
        case "Wait":
            return TimeUp(at=at, key=key)
        case _:
            return Reply(at=at, key=key, structured={"go": way})


def walk(drawn_signals, *, paused=False, limit=None):
    """Send the signals; after each of them every guarantee of `transition` must hold."""
    program = Machine(BESIDE)
    run, log = RunState(), []
    first = Start(at=1.0, paused=paused)
    for number, drawn in enumerate([None, *drawn_signals]):
        signal = built(drawn, run, 1.0 + number) if drawn else first
        before = set(run.pending)
        events, effects = transition(program, run, signal, budget=limit)
        assert transition(program, run, signal, budget=limit) == (events, effects)
        run, log = fold_all(events, run), [*log, *events]
        assert {effect.key for effect in effects} == set(run.pending) - before
        assert all(event.at == signal.at for event in events)
        running_on = isinstance(signal, Breakpoints) and signal.until
        if events and not running_on and not isinstance(signal, (Control, Fire, Tell)):
            assert transition(program, run, signal, budget=limit) == NOTHING
    return run, log


@settings(max_examples=60)
@given(st.lists(signals, max_size=40), st.booleans())
def test_folding_the_log_gives_the_run(drawn, paused):
    run, log = walk(drawn, paused=paused)
    assert [event.n for event in log] == list(range(1, len(log) + 1))
    stored = [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in log]
    assert fold_all(stored) == run
    assert fold_all(log) == run


@settings(max_examples=40)
@given(st.lists(signals, max_size=40))
def test_each_key_is_requested_and_answered_once(drawn):
    run, log = walk(drawn)
    asked = [e.fields["key"] for e in log if e.type in REQUEST_EVENTS and "effect" in e.fields]
    given_ = [
        e.fields["key"]
        for e in log
        if e.type in ("model.replied", "tool.returned", "command.finished", "approval.given")
    ]
    assert len(asked) == len(set(asked)) == run.asked
    assert len(given_) == len(set(given_))
    assert set(given_) <= set(asked)
    assert {effect.key for effect in pending_effects(run)} <= set(asked) - set(given_)


@settings(max_examples=40)
@given(st.lists(signals, max_size=40))
def test_nothing_happens_after_the_end(drawn):
    run, log = walk([*drawn, ("cancel", 0)])
    assert run.finished
    assert run.pending == {}
    assert log[-1].type == "run.finished"
    assert sum(event.type == "run.finished" for event in log) == 1


@settings(max_examples=30)
@given(
    st.integers(1, 6),
    st.lists(st.tuples(st.just("answer"), st.integers(0, 3), st.just("stay"), st.booleans())),
)
def test_a_run_with_a_budget_stops(limit, drawn):
    run, _ = walk(drawn, limit=Budget(total_visits=limit))
    assert sum(run.visits.values()) <= limit
    assert run.finished == (len(drawn) >= limit)


@settings(max_examples=60)
@given(st.lists(signals, max_size=30))
def test_a_position_has_at_most_one_pending_effect(drawn):
    run, _ = walk(drawn)
    waiting = [effect["position"] for effect in run.pending.values()]
    assert len(waiting) == len(set(waiting))
    assert set(waiting) <= {position.id for position in run.positions} or run.finished
    assert not set(run.held) & set(waiting) or run.status == "paused"
