"""Rules over any graph: their findings, their exceptions, and their linear cost."""

import random
from itertools import pairwise
from types import SimpleNamespace

import pytest

from tests.support.checks import each_row, each_seed, seed_ranges
from tests.support.function_calls import calls
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import Entry, Graph, State, Transition
from workflows.core.rules import RULES
from workflows.core.rules.graph_structure import MAX_WALK, structure_of
from workflows.core.rules.strong_components import components, cyclic_components
from workflows.core.rules.worst_case import WorstCase, worst_case

SOURCE = SimpleNamespace(files={})


def drawn(text, *, entry="a", ends="", kinds=None, caps=None, **more):
    """A graph from `a>b b>c c>c`: transitions are labelled by their number. States are in that
    order."""
    arrows, ids = [], list(ends)
    for number, word in enumerate(text.split()):
        source, _, target = word.partition(">")
        ids += [source] + ([target] if target and target.islower() else [])
        if target:
            kind = (kinds or {}).get(word, "event")
            arrows.append(
                Transition(
                    source=source,
                    target=target,
                    label=str(number),
                    event=str(number),
                    kind=kind,
                    place=Place(),
                )
            )
    return Graph(
        dialect="test",
        profile="test",
        name="test",
        entries=tuple(Entry(state=one) for one in entry),
        states=tuple(
            State(
                id=id,
                kind="state",
                terminal=id in ends,
                max_visits=(caps or {}).get(id),
                required=id in more.get("required", ""),
                answers=tuple(more.get("answers", {}).get(id, ())),
                most_calls=more.get("calls"),
                most_tokens=more.get("tokens"),
                place=Place(),
            )
            for id in dict.fromkeys(ids)
        ),
        transitions=tuple(arrows),
        most_visits=more.get("budget"),
    )


def findings(graph):
    return [found for rule in RULES for found in rule.check(SOURCE, graph)]


def codes(graph):
    """Codes of the findings without the figures of the worst case, which are not faults."""
    return sorted(found.code for found in findings(graph) if found.code != "GR114")


FINE = [
    drawn("a>b", ends="b"),
    drawn("a>b b>a b>c", ends="c", caps={"a": 3}),
    drawn("a>b b>a b>c", ends="c", budget=20),
    drawn("a>a a>b", ends="b", caps={"a": 3}),
    drawn("a>b b>a a>c b>c", ends="c", caps={"a": 3}, kinds={"a>c": "redirect"}),
    drawn("a>b a>c b>d c>d", ends="d"),
    drawn("a>c b>c", entry="ab", ends="c"),
    drawn("a>b b>a a>c", ends="c", caps={"a": 3}, kinds={"a>c": "redirect"}),
    drawn("a>b b>b", ends="b"),
    drawn("a>b a>c b>d c>d", ends="d", kinds={"a>b": "fork", "a>c": "fork"}),
    drawn("a>b b>c", ends="c", required="b"),
    drawn("a>b a>c b>d c>d", ends="d", required="b", kinds={"a>b": "fork", "a>c": "fork"}),
    drawn("a>b", ends="b", answers={"a": ["0"]}),
    drawn("a", ends="a"),
    drawn(""),
]
WRONG = [
    (drawn("a>b", entry="", ends="b"), ["GR101"]),
    (drawn("a>b", entry="Z", ends="b"), ["GR102"]),
    (drawn("a>b a>Z", ends="b"), ["GR103"]),
    (drawn("a>b c>b", ends="b"), ["GR104"]),
    (drawn("a>b a>c", ends="b"), ["GR105"]),
    (drawn("a>b b>a", ends="b"), ["GR106"]),
    (drawn("a>b b>c", entry="a"), ["GR105", "GR107", "GR107"]),
    (drawn("a>b b>c c>b a>d", ends="d"), ["GR108"]),
    (drawn("a>b a>d b>b", ends="d"), ["GR108"]),
    (drawn("a>b b>a"), ["GR108"]),
    (drawn("a>b b>c c>c a>d", ends="d"), ["GR107", "GR108"]),
    (drawn("a>b b>a b>c", ends="c"), ["GR109"]),
    (drawn("a>a a>b", ends="b"), ["GR109"]),
    (drawn("a>b b>c c>b b>a c>d", ends="d", caps={"a": 3}), ["GR109"]),
    (drawn("a>b b>a a>b b>c", ends="c", caps={"b": 3}, kinds={"b>a": "redirect"}), ["GR109"]),
    (
        drawn(
            "a>b b>a b>c a>c",
            ends="c",
            caps={"a": 1, "b": 1},
            kinds={"b>a": "redirect", "a>c": "redirect"},
        ),
        ["GR109"],
    ),
    (drawn("a>b a>c", ends="bc", required="b"), ["GR113"]),
    (drawn("a>b b>d a>c c>d", ends="d", required="b"), ["GR113"]),
    (drawn("a>b", ends="b", answers={"a": ["0", "Stop"]}), ["GR112"]),
]


@each_row(FINE)
def test_a_sound_graph_has_no_findings(graph):
    if graph.states:
        assert codes(graph) == []
    else:
        assert codes(graph) == ["GR102"]


@each_row(WRONG)
def test_a_fault_is_found_once(graph, expected):
    assert codes(graph) == expected


def test_the_path_leads_into_the_cycle_and_once_around():
    graph = drawn("a>b b>c c>d d>c a>e", ends="e")
    (loop,) = (
        found for rule in RULES for found in rule.check(SOURCE, graph) if found.code == "GR108"
    )
    assert loop.walk == ("a|0|b", "b|1|c", "c|2|d", "d|3|c")


def test_the_path_of_a_hopeless_state_ends_in_the_trap():
    graph = drawn("a>b b>c c>d d>d a>e", ends="e")
    hopeless = [f for rule in RULES for f in rule.check(SOURCE, graph) if f.code == "GR107"]
    assert [found.walk for found in hopeless] == [("b|1|c", "c|2|d"), ("c|2|d",)]


def test_states_without_transitions_are_ignored():
    section = State(id="s", kind="section", stateless=True, place=Place())
    graph = drawn("a>b", ends="b")
    graph = Graph(
        dialect="test",
        profile="test",
        name="test",
        entries=graph.entries,
        states=(*graph.states, section),
        transitions=graph.transitions,
    )
    assert codes(graph) == []


def test_a_transition_that_is_never_followed_reaches_no_state():
    inert = Transition(source="a", target="b", label="x", inert=True, place=Place())
    graph = drawn("a b", ends="ab")
    graph = Graph(
        dialect="test",
        profile="test",
        name="test",
        entries=graph.entries,
        states=graph.states,
        transitions=(inert,),
    )
    assert codes(graph) == ["GR104"]


def large(count):
    ids = [f"s{number}" for number in range(count)]
    pairs = list(pairwise(ids))
    pairs += [(ids[n], ids[n * 7 % count]) for n in range(0, count, 2)]
    return Graph(
        dialect="test",
        profile="test",
        name="large",
        entries=(Entry(state=ids[0]),),
        states=tuple(State(id=id, kind="s", terminal=id == ids[-1], place=Place()) for id in ids),
        transitions=tuple(
            Transition(source=a, target=b, label=f"e{n}", place=Place())
            for n, (a, b) in enumerate(pairs)
        ),
    )


def test_a_long_chain_needs_no_recursion():
    ids = [f"s{number}" for number in range(20_000)]
    onward = {**{a: [b] for a, b in pairwise(ids)}, ids[-1]: []}
    assert len(components(onward)) == 20_000
    onward[ids[-1]] = [ids[0]]
    assert len(components(onward)) == 1


def test_cycles_are_found_innermost_first_without_unknown_names():
    onward = {"a": ["b"], "b": ["a", "c"], "c": ["c", "elsewhere"], "d": ["a"]}
    assert cyclic_components(onward) == [["c"], ["a", "b"]]


def test_ten_times_the_states_are_ten_times_the_work():
    def check(graph):
        for rule in RULES:
            list(rule.check(SOURCE, graph))

    assert calls(lambda: check(large(5_000))) < 12 * calls(lambda: check(large(500)))


def test_a_path_is_shortened_for_display():
    assert len(structure_of(large(5_000)).path_to("s4999")) <= MAX_WALK


def with_events(*rows):
    """A graph of `a` with transitions (target, event, value) in this order, all of them to ends."""
    plain = drawn("a x y z", ends="xyz")
    arrows = (
        Transition(
            source="a", target=target, label=f"{event}{value or ''}{target}", event=event,
            value=value, place=Place(),
        )
        for target, event, value in rows
    )  # fmt: skip
    return Graph(**{**{name: getattr(plain, name) for name in FIELDS}, "transitions": (*arrows,)})


FIELDS = ("dialect", "profile", "name", "entries", "states")
HANDLING = [
    ([("x", "Go", None), ("y", "Stop", None), ("z", "Wait", None)], []),
    ([("x", "Go", "1"), ("y", "Go", "2"), ("z", "Go", None)], []),
    ([("x", "Go", None), ("y", "Go", None), ("z", "Stop", None)], ["GR110"]),
    ([("x", "Go", "1"), ("y", "Go", "1"), ("z", "Go", None)], ["GR110"]),
    ([("x", "Go", None), ("y", "Go", "1"), ("z", "Stop", None)], ["GR111"]),
]


@each_row(HANDLING)
def test_an_event_is_handled_once_and_the_general_case_last(rows, expected):
    assert codes(with_events(*rows)) == expected


def walk_of(graph, code):
    (found,) = (found for found in findings(graph) if found.code == code)
    return found.walk


WALKS = [
    ("GR109", drawn("a>b b>c c>b c>d", ends="d"), ("a|0|b", "b|1|c", "c|2|b")),
    ("GR112", drawn("a>b b>c", ends="c", answers={"b": ["Stop"]}), ("a|0|b",)),
    ("GR113", drawn("a>b b>d a>c c>d", ends="d", required="b"), ("a|2|c", "c|3|d")),
    ("GR114", drawn("a>b b>a b>c", ends="c", caps={"a": 2}), ("a|0|b", "b|1|a", "a|0|b", "b|2|c")),
]


@each_row(WALKS)
def test_the_counterexample_is_a_path_of_the_graph(code, graph, walk):
    assert walk_of(graph, code) == walk


def test_a_visit_limit_that_redirects_back_bounds_nothing():
    graph = drawn(
        "a>b b>a b>c", ends="c", caps={"a": 3}, kinds={}, calls=1, tokens=10,
    )  # fmt: skip
    assert worst_case(graph) == WorstCase(visits=7, calls=7, tokens=70)
    back = drawn("a>b b>a a>b b>c", ends="c", caps={"a": 3}, kinds={"a>b": "redirect"})
    assert worst_case(back).visits is None


def test_branches_of_a_fork_add_up_and_their_join_counts_once():
    kinds = {"a>b": "fork", "a>c": "fork", "b>d": "join", "c>d": "join"}
    graph = drawn("a>b a>c b>d c>d d>a d>e", ends="e", kinds=kinds, caps={"a": 3})
    assert worst_case(graph).visits == 3 + 3 * 3 + 1


def test_a_budget_bounds_cycles_without_a_visit_limit():
    assert worst_case(drawn("a>a a>b", ends="b", budget=9, calls=2)).calls == 18
    assert worst_case(drawn("a>a a>b", ends="b", calls=2)).calls is None


@pytest.mark.parametrize("seeds", seed_ranges(40, 200))
def test_no_path_costs_more_than_the_worst_case(seeds):
    def check(seed):
        chance = random.Random(seed)
        graph = random_graph(chance)
        bound = worst_case(graph).visits
        if bound is not None:
            assert max(longest_walk(graph, chance) for _ in range(50)) <= bound

    each_seed(seeds, check)


def random_graph(chance):
    """Six states, the last of which is an end, nine transitions, some visit limits, and sometimes a
    budget."""
    names = "abcdef"
    pairs = {chance.choice(names) + ">" + chance.choice(names) for _ in range(9)} | {"a>b"}
    caps = {name: chance.randint(1, 3) for name in names if chance.random() < 0.6}
    text = " ".join(sorted(pairs))
    kinds = dict.fromkeys(redirected(pairs, caps, chance), "redirect")
    return drawn(text, ends="f", caps=caps, kinds=kinds, budget=chance.choice([None, None, 8]))


def redirected(pairs, caps, chance):
    """A transition for some limited states, taken instead of entering them too often."""
    for state in sorted(caps):
        own = sorted(pair for pair in pairs if pair.startswith(f"{state}>"))
        if own and chance.random() < 0.7:
            yield chance.choice(own)


def longest_walk(graph, chance):
    """The number of states that one random run enters. Instead of a state whose limit is reached it
    enters the redirect's target, regardless of that state's limit."""
    states = {state.id: state for state in graph.states}
    instead = {arrow.source: arrow.target for arrow in graph.transitions if _redirects(arrow)}
    here, visits = "a", {"a": 1}
    while not states[here].terminal and sum(visits.values()) < 200:
        if graph.most_visits is not None and sum(visits.values()) >= graph.most_visits:
            break
        ways = [
            arrow.target if visits.get(arrow.target, 0) < _cap(states[arrow.target]) else over
            for arrow in graph.transitions
            if arrow.source == here and not _redirects(arrow)
            for over in [instead.get(arrow.target)]
            if over or visits.get(arrow.target, 0) < _cap(states[arrow.target])
        ]
        if not ways:
            break
        here = chance.choice(ways)
        visits[here] = visits.get(here, 0) + 1
    return sum(visits.values())


def _redirects(arrow):
    return arrow.kind == "redirect"


def _cap(state):
    return 1_000 if state.max_visits is None else state.max_visits
