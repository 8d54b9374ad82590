"""A graph with levels, taken apart and written down level by level."""

from __future__ import annotations

from signalbox.commands.graph import as_dot, as_mermaid
from tests.support.checks import each_row
from workflows.core.compare.difference import difference
from workflows.core.compare.drawn_difference import as_svg
from workflows.core.dialects import dialects
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.edits import AddState, Edit, RenameState, SetField
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import Entry, Graph, Group, State, Transition

INNER = "composition:c"
PROMPTPACK = dialects()["promptpack"]
SAMPLE = PROMPTPACK.read(PROMPTPACK.samples()["mail-triage"])


def state(id: str, level: str = "", **more: str) -> State:
    return State(id=id, kind="prompt", level=level, place=Place(), **more)  # type: ignore[arg-type]


def arrow(source: str, target: str) -> Transition:
    return Transition(source=source, target=target, label="", place=Place())


def graph(*states: State, **more: object) -> Graph:
    parts: dict[str, object] = {"entries": (), "transitions": (), **more}
    return Graph(dialect="d", profile="p", name="n", states=states, **parts)  # type: ignore[arg-type]


TWO = graph(
    state("a", inside=INNER),
    state("b"),
    state("c/x", INNER, group="c/p"),
    state("c/y", INNER),
    entries=(Entry(state="a"), Entry(state="gone", key="retry"), Entry(state="c/x", key=INNER)),
    transitions=(arrow("a", "b"), arrow("a", "nowhere"), arrow("c/x", "c/y")),
    groups=(
        Group(id="c/p", name="p", kind="parallel"),
        Group(id="team", name="team", kind="team"),
    ),
)


@each_row(
    [
        ("", ["a", "b"], ["a||b", "a||nowhere"], ["a", "gone"], ["team"]),
        (INNER, ["c/x", "c/y"], ["c/x||c/y"], ["c/x"], ["c/p"]),
        ("composition:none", [], [], [], []),
    ]
)
def test_a_level_has_its_own_states_transitions_entries_and_groups(
    level: str, states: list[str], arrows: list[str], entries: list[str], groups: list[str]
) -> None:
    shown = TWO.on(level)
    assert [item.id for item in shown.states] == states
    assert [item.id for item in shown.transitions] == arrows
    assert [item.state for item in shown.entries] == entries
    assert [item.id for item in shown.groups] == groups


def test_a_graph_with_one_level_is_that_level() -> None:
    flat = graph(state("a"))
    assert flat.on("") is flat
    assert flat.levels == ("",)
    assert TWO.levels == ("", INNER)


def test_the_entry_on_the_wire_is_one_of_the_first_level() -> None:
    inner_only = graph(state("c/x", INNER), entries=(Entry(state="c/x", key=INNER),))
    assert inner_only.to_json()["entry"] is None
    assert TWO.to_json()["entry"] == "a"


def test_mermaid_and_dot_frame_every_level_below_the_first() -> None:
    drawn = PROMPTPACK.graph(SAMPLE, "documented")
    mermaid = as_mermaid(drawn).splitlines()
    start = mermaid.index('    subgraph l1["composition:triage"]')
    assert mermaid[-1] == "    end"
    assert any("triage/note" in line for line in mermaid[start:])
    assert not any("triage/" in line for line in mermaid[:start])
    dot = as_dot(drawn)
    assert dot.index("subgraph cluster1") < dot.index('"triage/classify";')
    assert dot.count("{") == dot.count("}")


@each_row(
    [
        (SetField(element="state:answer", field="/description", value="New."), False),
        (SetField(element="state:triage/note", field="/description", value="New."), True),
        (AddState(id="triage/more", kind="prompt"), True),
        (RenameState(id="triage/mood", new_id="triage/feeling"), True),
    ]
)
def test_a_drawn_difference_shows_a_level_only_where_it_differs(edit: Edit, drawn: bool) -> None:
    after = PROMPTPACK.apply(SAMPLE, edit)
    found = difference(PROMPTPACK, SAMPLE, after, "documented")
    graphs = [PROMPTPACK.graph(one, "documented") for one in (SAMPLE, after)]
    assert ("triage/classify" in as_svg(graphs[0], graphs[1], found)) is drawn


def test_a_rehearsal_goes_through_every_level() -> None:
    program = PROMPTPACK.program(SAMPLE, "documented")
    found = rehearse(program, PROMPTPACK.graph(SAMPLE, "documented"), runs=20)
    assert found.unreached == ()
    assert found.states["triage/note"] >= found.states["answer"]
