"""Rules over any graph: what they find, what they leave alone, and that they stay linear."""

import sys
from itertools import pairwise

import pytest

from workflows.core.findings import Place
from workflows.core.graph import Entry, Graph, State, Transition
from workflows.core.proofs import RULES
from workflows.core.proofs.shape import LONGEST_WALK, components, shape


def drawn(text, *, entry="a", ends="", kinds=None):
    """A graph from `a>b b>c c>c`: arrows labelled by their number. States appear in that order."""
    arrows, ids = [], list(ends)
    for number, word in enumerate(text.split()):
        source, _, target = word.partition(">")
        ids += [source] + ([target] if target and target.islower() else [])
        if target:
            kind = (kinds or {}).get(word, "event")
            arrows.append(
                Transition(
                    source=source, target=target, label=str(number), kind=kind, place=Place()
                )
            )
    return Graph(
        dialect="test",
        profile="test",
        name="test",
        entries=tuple(Entry(state=one) for one in entry),
        states=tuple(
            State(id=id, kind="state", terminal=id in ends, place=Place())
            for id in dict.fromkeys(ids)
        ),
        transitions=tuple(arrows),
    )


def codes(graph):
    return sorted(found.code for rule in RULES for found in rule.check(None, graph))


FINE = [
    drawn("a>b", ends="b"),
    drawn("a>b b>a b>c", ends="c"),
    drawn("a>a a>b", ends="b"),
    drawn("a>b a>c b>d c>d", ends="d"),
    drawn("a>c b>c", entry="ab", ends="c"),
    drawn("a>b b>a a>c", ends="c", kinds={"a>c": "redirect"}),
    drawn("a>b b>b", ends="b"),
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
]


@pytest.mark.parametrize("graph", FINE)
def test_a_sound_graph_has_nothing_to_say(graph):
    if graph.states:
        assert codes(graph) == []
    else:
        assert codes(graph) == ["GR102"]


@pytest.mark.parametrize(("graph", "expected"), WRONG)
def test_a_fault_is_found_once(graph, expected):
    assert codes(graph) == expected


def test_the_walk_leads_into_the_loop_and_once_around():
    graph = drawn("a>b b>c c>d d>c a>e", ends="e")
    (loop,) = (
        found for rule in RULES for found in rule.check(None, graph) if found.code == "GR108"
    )
    assert loop.walk == ("a|0|b", "b|1|c", "c|2|d", "d|3|c")


def test_the_walk_of_a_hopeless_state_ends_in_the_trap():
    graph = drawn("a>b b>c c>d d>d a>e", ends="e")
    hopeless = [f for rule in RULES for f in rule.check(None, graph) if f.code == "GR107"]
    assert [found.walk for found in hopeless] == [("b|1|c", "c|2|d"), ("c|2|d",)]


def test_boxes_without_arrows_are_left_alone():
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


def test_an_arrow_that_is_never_followed_reaches_nothing():
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
    out = {id: [] for id in ids}
    for a, b in pairwise(ids):
        out[a].append(Transition(source=a, target=b, label="x", place=Place()))
    assert len(components(out)) == 20_000
    out[ids[-1]].append(Transition(source=ids[-1], target=ids[0], label="x", place=Place()))
    assert len(components(out)) == 1


def test_ten_times_the_states_are_ten_times_the_work():
    def calls(graph):
        counted = 0

        def count(frame, event, argument):
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            for rule in RULES:
                list(rule.check(None, graph))
        finally:
            sys.setprofile(None)
        return counted

    assert calls(large(5_000)) < 12 * calls(large(500))


def test_a_walk_is_never_longer_than_people_read():
    assert len(shape(large(5_000)).way_to("s4999")) <= LONGEST_WALK
