"""Rehearsals take every possible transition, and none twice before it is necessary."""

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from tests.support.checks import each_row
from tests.support.state_machine import EVERYTHING, Machine
from workflows.core.engine.effects import AskModel, Choice, Message
from workflows.core.engine.fold import fold_all, pending_effects
from workflows.core.engine.rehearsal import rehearse as rehearse_module
from workflows.core.engine.rehearsal.answers import answer_for, choose
from workflows.core.engine.rehearsal.explorer import Explorer
from workflows.core.engine.rehearsal.rehearse import Limits, rehearse
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.run import RunState
from workflows.core.engine.run_options import RunOption
from workflows.core.engine.signals import Start
from workflows.core.engine.transition import transition
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import Graph, Transition


def go(**ways):
    return {"model": ways}


END = {"end": "completed"}
SHAPES = {
    "chain": Machine({"start": go(a="b"), "b": go(a="c"), "c": END}),
    "loop": Machine({"start": go(a="b"), "b": go(a="start", out="c"), "c": END}),
    "self-loop": Machine({"start": go(a="start", out="c"), "c": END}),
    "diamond": Machine(
        {"start": go(l="left", r="right"), "left": go(a="c"), "right": go(a="c"), "c": END}
    ),
    "dead branch": Machine(
        {"start": go(a="dead", b="start", out="c"), "dead": {"end": "failed"}, "c": END}
    ),
    "two loops": Machine(
        {
            "start": go(a="b", x="d"),
            "b": go(a="c", back="start"),
            "c": go(back="b", home="start"),
            "d": go(back="start", out="e"),
            "e": END,
        }
    ),
    "cap with redirect": Machine(
        {"start": go(a="b", out="c"), "b": go(a="start"), "late": go(out="c"), "c": END},
        caps={"b": (3, "late")},
    ),
    "cap without redirect": Machine(
        {"start": go(a="b", out="c"), "b": go(a="start"), "c": END}, caps={"b": (2, None)}
    ),
    "commands": Machine(
        {"start": {"command": ("b", "start")}, "b": {"command": ("c", "b")}, "c": END}
    ),
    "people": Machine(
        {
            "start": {"human": {"on": "b", "off": "c"}},
            "b": {"approve": ("c", "start")},
            "c": END,
        }
    ),
    "everything": Machine(EVERYTHING),
}


def capped(machine):
    """The graph, with visit limits on its states as a dialect draws them."""
    graph = machine.graph()
    states = tuple(
        type(state)(
            id=state.id,
            kind=state.kind,
            terminal=state.terminal,
            max_visits=machine.caps.get(state.id, (None,))[0],
            place=Place(),
        )
        for state in graph.states
    )
    return Graph(
        dialect="machine",
        profile="plain",
        name="machine",
        entries=graph.entries,
        states=states,
        transitions=graph.transitions,
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", SHAPES)
def test_every_transition_is_taken(name, seed):
    machine = SHAPES[name]
    seen = rehearse(machine, capped(machine), runs=10, seed=seed)
    assert seen.unreached == ()
    assert seen.coverage == 1.0
    assert seen.runs == 10
    assert sum(seen.outcomes.values()) == 10
    assert set(seen.transitions) == {arrow.id for arrow in machine.graph().transitions}


def walked(machine, seed):
    """The transitions of one run in which only models answer, and the run."""
    graph, run, path = capped(machine), RunState(), []
    events, _ = transition(machine, run, Start(at=1))
    for number in range(60):
        run = fold_all(events, run)
        path += [
            id
            for e in events
            if e.type == "transition.taken"
            for id in Explorer(graph).transitions_of(e)
        ]
        effects = pending_effects(run)
        if not effects:
            break
        choice = choose(effects[0], run, graph, Rng(seed, number))
        answer = answer_for(effects[0], choice, seed=seed, at=number, good=True)
        events, _ = transition(machine, run, answer)
    return path, run


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", ["chain", "loop", "self-loop"])
def test_one_run_takes_every_transition_if_the_graph_allows_it(name, seed):
    path, run = walked(SHAPES[name], seed)
    assert set(path) == {arrow.id for arrow in SHAPES[name].graph().transitions}
    assert run.status == "completed"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", SHAPES)
def test_new_transitions_of_a_state_come_before_repeated_ones(name, seed):
    machine = SHAPES[name]
    path, _ = walked(machine, seed)
    offered = {
        state: {arrow.id for arrow in machine.graph().transitions if arrow.source == state}
        for state, spec in machine.table.items()
        if "model" in spec or "human" in spec
    }
    taken = set()
    for id in path:
        ways = offered.get(id.partition("|")[0], set())
        if id in ways and id in taken and not machine.caps:
            assert ways <= taken
        taken.add(id)


@each_row(range(4))
def test_a_new_transition_is_preferred_to_a_repeated_one(seed):
    ring = {f"s{n}": go(a=f"s{(n + 1) % 5}", b=f"s{(n + 1) % 5}") for n in range(5)}
    ring["start"] = go(a="s0")
    ring["s0"]["model"]["out"] = "c"
    ring["c"] = END
    path, _ = walked(Machine(ring), seed)
    assert len(path) == len(set(path)) == 12
    assert path[-1] == "s0|out|c"


def test_the_shortest_path_to_a_transition_is_found():
    table = {
        "start": go(long="a", short="d"),
        "a": go(x="b"),
        "b": go(x="d"),
        "d": go(x="start", out="e"),
        "e": END,
    }
    machine = Machine(table)
    for seed in range(5):
        seen = rehearse(machine, machine.graph(), runs=20, seed=seed)
        assert seen.shortest["d|out|e"] == ("start|short|d", "d|out|e")
        assert seen.shortest["b|x|d"] == ("start|long|a", "a|x|b", "b|x|d")
        for id, walk in seen.shortest.items():
            assert walk[-1] == id


def test_of_many_long_paths_the_shorter_are_listed(monkeypatch):
    monkeypatch.setattr(rehearse_module, "MAX_PATHS_LENGTH", 20)
    names = ["start", *(f"s{n}" for n in range(10))]
    table = {name: go(on=after) for name, after in itertools.pairwise(names)}
    machine = Machine({**table, names[-1]: END})
    seen = rehearse(machine, machine.graph(), runs=3, seed=1)
    assert [len(path) for path in seen.shortest.values()] == [1, 2, 3, 4, 5]
    assert seen.unreached == ()
    assert len(seen.taken_in) == 10


def test_a_transition_that_the_program_never_takes_is_given_up():
    machine = SHAPES["loop"]
    graph = machine.graph()
    odd = Transition(source="start", target="c", label="never", place=Place())
    graph = Graph(
        dialect="machine",
        profile="plain",
        name="machine",
        entries=graph.entries,
        states=graph.states,
        transitions=(*graph.transitions, odd),
    )
    seen = rehearse(machine, graph, runs=5)
    assert seen.unreached == ("start|never|c",)
    assert seen.coverage == 0.75
    assert seen.outcomes == {"completed": 5}


def test_an_endless_loop_is_cut_short_and_noted():
    machine = Machine({"start": go(a="start")})
    seen = rehearse(machine, machine.graph(), runs=3, limits=Limits(steps=50, total=120))
    assert seen.outcomes == {"cut_short": 3}
    assert seen.coverage == 1.0
    assert any("had not ended after 50 answers" in note for note in seen.notes)


def test_too_many_steps_end_the_rehearsal():
    machine = Machine({"start": go(a="start")})
    limits = Limits(steps=50, total=120, fruitless=9)
    seen = rehearse(machine, machine.graph(), runs=30, limits=limits)
    assert seen.runs == 3
    assert "Stopped after 3 of 30 runs: 153 steps." in seen.notes


def test_fruitless_runs_stop_the_rehearsal():
    machine = Machine({"start": go(a="start")})
    seen = rehearse(machine, machine.graph(), runs=30, limits=Limits(steps=20))
    assert seen.runs == 4
    assert seen.notes[0].startswith("Stopped after 4 of 30 runs")


@pytest.mark.parametrize("name", SHAPES)
def test_a_rehearsal_for_its_coverage_ends_with_the_last_new_transition(name):
    machine = SHAPES[name]
    whole = rehearse(machine, capped(machine), runs=10)
    short = rehearse(machine, capped(machine), runs=10, limits=Limits(covered=True))
    assert (short.unreached, short.transitions.keys()) == ((), whole.transitions.keys())
    assert sum(short.transitions.values()) < sum(whole.transitions.values())


def test_runs_start_at_every_entry():
    machine = Machine(
        {"start": go(a="c"), "other": go(b="d"), "d": go(e="c"), "c": END}, entries=("start",)
    )
    graph = Machine(machine.table, entries=("start", "other")).graph()
    seen = rehearse(machine, graph, runs=4)
    assert seen.coverage == 1.0
    assert seen.shortest["d|e|c"] == ("other|b|d", "d|e|c")
    assert seen.states["start"] == seen.states["other"] == 2


def test_a_choice_without_a_transition_ends_a_fully_covered_run():
    choices = (
        Choice(label="repeat", transition="c|repeat|c", reply={}),
        Choice(label="closing", transition="", reply={}),
    )
    machine = Machine({"c": END})
    arrow = Transition(source="c", target="c", label="repeat", place=Place())
    graph = Graph(
        dialect="machine",
        profile="plain",
        name="machine",
        entries=(),
        states=machine.graph().states,
        transitions=(arrow,),
    )
    effect = AskModel(key="0:1", position="0", state="c", system="", choices=choices)
    assert choose(effect, RunState(), graph, Rng(1)).label == "repeat"
    assert choose(effect, RunState(taken={"c|repeat|c": 1}), graph, Rng(1)).label == "closing"


def test_required_inputs_are_generated():
    class Needy(Machine):
        required_inputs = ("topic",)

        def start(self, run):
            return super().start(run) if run.inputs.get("topic") else ()

    machine = Needy(SHAPES["chain"].table)
    assert rehearse(machine, machine.graph(), runs=2).outcomes == {"completed": 2}


def test_the_same_seed_gives_the_same_rehearsal():
    machine = SHAPES["everything"]
    assert rehearse(machine, machine.graph(), seed=4) == rehearse(machine, machine.graph(), seed=4)


def test_a_pack_that_cannot_start_is_noted():
    machine = SHAPES["loop"]
    seen = rehearse(machine, machine.graph(), runs=2, inputs={"broken": "yes"})
    assert seen.outcomes == {"failed": 2}
    assert seen.notes[0] == "2 × The input 'broken' was given."
    assert seen.failed


def test_a_rehearsal_in_which_one_run_completes_has_not_failed():
    machine = SHAPES["loop"]
    assert not rehearse(machine, machine.graph(), runs=2).failed


def test_nothing_to_take_is_no_coverage():
    machine = Machine({"start": END})
    seen = rehearse(machine, machine.graph(), runs=2)
    assert (seen.coverage, seen.failed, seen.outcomes) == (None, False, {"completed": 2})
    failed = rehearse(machine, machine.graph(), runs=2, inputs={"broken": "yes"})
    assert (failed.coverage, failed.failed) == (None, True)


def test_the_result_is_plain_json():
    machine = SHAPES["loop"]
    body = rehearse(machine, machine.graph(), runs=2).to_json()
    assert list(body) == [
        "runs",
        "coverage",
        "transitions",
        "states",
        "unreached",
        "shortest",
        "outcomes",
        "failed",
        "notes",
        "walks",
        "taken_in",
    ]
    assert body["outcomes"] == {"completed": 2}
    assert body["states"]["start"] >= 2


def test_the_seed_decides_between_equal_choices():
    effect = AskModel(
        key="0:1",
        position="0",
        state="start",
        system="",
        choices=(
            Choice(label="l", transition="start|l|left", reply={}),
            Choice(label="r", transition="start|r|right", reply={}),
        ),
    )
    graph = SHAPES["diamond"].graph()
    picked = Counter(choose(effect, RunState(), graph, Rng(seed)).label for seed in range(40))
    assert set(picked) == {"l", "r"}


def test_a_request_that_every_provider_refuses_fails_the_rehearsal():
    called = {"id": "call_1", "name": "go", "arguments": {}}
    unanswered = (
        Message(role="user", text="Go."),
        Message(role="assistant", text="", tool_calls=(called,)),
        Message(role="user", text="Again."),
    )

    class Retrying(Machine):
        def _model(self, *given):
            return replace(super()._model(*given), messages=unanswered)

    machine = Retrying(SHAPES["loop"].table)
    seen = rehearse(machine, machine.graph(), runs=2)
    assert seen.failed
    assert "would be refused by OpenAI, Anthropic" in seen.notes[0]


def test_a_request_that_one_provider_refuses_is_noted_once():
    class Hot(Machine):
        def _model(self, *given):
            return replace(super()._model(*given), parameters={"temperature": 1.5})

    machine = Hot(SHAPES["loop"].table)
    seen = rehearse(machine, machine.graph(), runs=3)
    assert not seen.failed
    problem = "would be refused by Anthropic. The temperature 1.5 is not between 0 and 1."
    assert [note for note in seen.notes if "refused" in note] == [
        f"The request of start {problem}",
        f"The request of b {problem}",
    ]


def test_many_refused_requests_are_counted():
    class Hot(Machine):
        def _model(self, *given):
            return replace(super()._model(*given), parameters={"temperature": 1.5})

    table = {f"s{number}": go(a=f"s{number + 1}") for number in range(7)} | {"s7": END}
    machine = Hot(table, entries=("s0",))
    seen = rehearse(machine, machine.graph(), runs=1)
    refused = [note for note in seen.notes if "refused" in note]
    assert len(refused) == 6
    assert refused[-1] == "2 more requests would be refused."


class Choosing(Machine):
    """Its start requires a choice, which decides the first transition."""

    @property
    def options(self):
        return (RunOption(name="way", title="Way", values=("l", "r"), required=True),)

    @property
    def simulated_inputs(self):
        return {"way": "l"}

    def start(self, run):
        return ("left",) if run.inputs["way"] == "l" else ("right",)


CHOICE = {"left": go(a="end"), "right": go(b="end"), "end": END}


def test_every_choice_of_a_start_is_rehearsed():
    machine = Choosing(CHOICE, entries=("left",))
    seen = rehearse(machine, machine.graph(), runs=4)
    assert seen.coverage == 1.0
    assert [walk.transitions for walk in seen.walks] == [1, 1, 1, 1]
    assert seen.notes == ("Started with way: l, r.",)


def test_a_choice_that_is_given_stays():
    machine = Choosing(CHOICE, entries=("right",))
    seen = rehearse(machine, machine.graph(), runs=4, inputs={"way": "r"})
    assert seen.unreached == ("left|a|end",)
