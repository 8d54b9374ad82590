"""Edits, revisions and the rows they keep up to date."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.support.flow_dialect import flow
from tests.support.server_fixtures import Edit, files_of, stored, text_of
from workflows.actions import packs, revision_store
from workflows.core.pack.edits import Move
from workflows.errors import BadRequest, Conflict, NotThere, Refused
from workflows.models import Agent, Blob, Pack, Revision, State, Transition
from workflows.opened_packs.view import Opened
from workflows.selectors.revision_files import files_at
from workflows.selectors.sources import SHELF, opened, view


def test_several_edits_are_one_revision(pack: Pack, edit: Edit) -> None:
    change = edit(
        {"type": "add_state", "id": "D"},
        {"type": "connect", "source": "C", "target": "D", "label": "On"},
    )
    assert (change.base, change.revision) == (1, 2)
    assert change.graph is not None
    assert [state["id"] for state in change.graph["states"]["set"]] == ["D"]
    assert [arrow["id"] for arrow in change.graph["transitions"]["set"]] == ["C|On|D"]
    assert change.summary == "Add D and 1 more"
    assert Revision.objects.filter(pack=pack).count() == 2


def test_an_edit_changes_its_own_bytes_and_no_other(ada: User) -> None:
    before = b'{ "name":"Odd",\r\n "entry" : "A",\n\t"states":{"A":{"on":{}, "n": 1e3}} }'
    pack = stored(before, ada)
    packs.edit(pack.pk, 1, edits(type="set_field", element="state:A", field="/n", value=5), ada)
    assert files_of(pack)[pack.main] == before.replace(b"1e3", b"5")


def test_an_edit_that_changes_nothing_makes_no_revision(pack: Pack, edit: Edit) -> None:
    title = {"type": "set_field", "element": "state:A", "field": "/title", "value": "a"}
    change = edit(title)
    assert change.revision == 1
    assert change.graph == {
        **(change.graph or {}),
        "states": {"set": [], "gone": []},
        "transitions": {"set": [], "gone": []},
    }
    moved = edit({"type": "move", "positions": {"A": [1, 2]}})
    again = edit({"type": "move", "positions": {"A": [1, 2]}})
    assert (moved.revision, again.revision) == (2, 2)


def test_a_refused_edit_saves_nothing_of_its_batch(pack: Pack, edit: Edit) -> None:
    with pytest.raises(Refused) as refused:
        edit({"type": "add_state", "id": "D"}, {"type": "add_state", "id": "A"})
    assert "'A'" in refused.value.message
    assert refused.value.extra["index"] == 1
    assert Pack.objects.get(pk=pack.pk).head == 1
    assert "D" not in text_of(pack)


@pytest.mark.parametrize("base", [0, 2, 99])
def test_an_unknown_base_is_refused(pack: Pack, edit: Edit, base: int) -> None:
    with pytest.raises(BadRequest):
        edit({"type": "add_state", "id": "D"}, base=base)


@pytest.mark.parametrize(
    "positions", [{"A": [1]}, {"A": "xy"}, {"A": [1, "2"]}, {"A": [1, True]}, {"A": [1e300, 2]}]
)
def test_a_position_is_two_numbers(pack: Pack, edit: Edit, positions: object) -> None:
    with pytest.raises(BadRequest):
        edit({"type": "move", "positions": positions})


def test_unknown_states_cannot_move(pack: Pack, edit: Edit) -> None:
    with pytest.raises(Refused, match="'Z'"):
        edit({"type": "move", "positions": {"Z": [1, 2]}})


def test_layout_never_touches_the_files(pack: Pack, edit: Edit) -> None:
    before = text_of(pack)
    edit({"type": "move", "positions": {"A": [10, 20], "B": [30, 40]}})
    edit({"type": "resize", "id": "A", "width": 300, "height": 90})
    assert text_of(pack) == before
    box = State.objects.get(pack=pack, key="A")
    assert (box.x, box.y, box.width, box.height) == (10, 20, 300, 90)


ROUTE = {
    "points": [[218, 50], [340, 50.5]],
    "label": [280, 50],
    "source": [10, 20, 208, 72],
    "target": [340, 20, 208, 72],
}


def layout_of(pack: Pack) -> dict[str, tuple[float | None, Any]]:
    return dict(State.objects.filter(pack=pack).values_list("key", "x").order_by("key")) | {
        f"{key} routes": routes
        for key, routes in State.objects.filter(pack=pack).values_list("key", "routes")
        if routes
    }


def test_a_drawing_is_kept_with_an_edit_and_undone_with_it(
    pack: Pack, edit: Edit, ada: User
) -> None:
    edit({"type": "move", "positions": {"A": [10, 20]}})
    before = layout_of(pack)
    draw = {
        "type": "draw",
        "positions": {"A": [99, 99], "B": [340, 20], "Z": [1, 1]},
        "routes": {"A": {"A|Go|B": ROUTE}, "Z": {"Z|Go|A": ROUTE}},
    }
    change = edit({"type": "connect", "source": "A", "target": "C", "label": "Skip"}, draw)
    assert change.summary == "Connect A to C by Skip"
    kept = layout_of(pack)
    # A has a position already, and Z is unknown: another person removed it.
    assert (kept["A"], kept["B"], kept["C"], "Z" in kept) == (10.0, 340.0, None, False)
    assert kept["A routes"] == {"A|Go|B": ROUTE}
    packs.undo(pack.pk, 3, ada)
    assert layout_of(pack) == before
    packs.redo(pack.pk, 4, ada)
    assert layout_of(pack) == kept


@pytest.mark.parametrize(
    "routes",
    [
        {"A": []},
        {"A": {"x": None}},
        {"A": {"x": {**ROUTE, "points": [[1, 2]]}}},
        {"A": {"x": {**ROUTE, "points": [[1, 2], [1, "2"]]}}},
        {"A": {"x": {**ROUTE, "label": [1]}}},
        {"A": {"x": {**ROUTE, "source": [1, 2, 3]}}},
        {"A": {"x": {"points": ROUTE["points"], "label": None}}},
        {"A": {"x": {**ROUTE, "target": [1, 2, 3, 1e300]}}},
    ],
)
def test_a_route_is_refused_by_its_name(pack: Pack, edit: Edit, routes: Any) -> None:
    with pytest.raises(BadRequest):
        edit({"type": "draw", "routes": routes})


def test_a_renamed_state_keeps_its_position(pack: Pack, edit: Edit) -> None:
    edit({"type": "move", "positions": {"A": [10, 20]}})
    change = edit({"type": "rename_state", "id": "A", "new_id": "Start"})
    assert change.graph is not None
    assert [(s["id"], s["x"]) for s in change.graph["states"]["set"]] == [("Start", 10.0)]
    assert change.graph["states"]["gone"] == ["A"]


def test_rows_follow_every_edit(pack: Pack, edit: Edit) -> None:
    edit({"type": "add_state", "id": "D", "name": "last"})
    edit({"type": "connect", "source": "A", "target": "D", "label": "Skip"})
    edit({"type": "disconnect", "transition": "A|Go|B"})
    edit({"type": "set_field", "element": "state:B", "field": "/title", "value": "second"})
    edit({"type": "remove_state", "id": "C"})
    drawn = opened(Pack.objects.get(pk=pack.pk)).under("plain").graph
    rows = State.objects.filter(pack=pack)
    assert {row.key: row.name for row in rows} == {s.id: s.name for s in drawn.states}
    assert {row.key for row in rows if row.entry} == {"A"}
    assert set(Transition.objects.filter(pack=pack).values_list("key", flat=True)) == {
        arrow.id for arrow in drawn.transitions
    }
    found = Pack.objects.get(pk=pack.pk)
    codes = [one.code for one in view(found).findings if one.level == "error"]
    assert "FL001" in codes, "B leads to C, which is gone"
    assert found.errors == len(codes)


def test_agents_of_a_pack_have_rows(ada: User) -> None:
    pack = stored(b'{"states": {"A": {}}, "agents": ["Anna"]}', ada)
    assert list(Agent.objects.filter(pack=pack).values_list("key", flat=True)) == ["Anna"]


def test_every_revision_can_be_read_back(pack: Pack, edit: Edit) -> None:
    texts = {1: text_of(pack)}
    for number in range(2, 2 * revision_store.SNAPSHOT_EVERY + 5):
        edit({"type": "add_state", "id": f"S{number}"})
        texts[number] = opened(Pack.objects.get(pk=pack.pk)).files[pack.main].decode()
    assert {n: files_at(pack.pk, n)[pack.main].decode() for n in texts} == texts
    snapshots = Revision.objects.filter(pack=pack, manifest__isnull=False)
    assert [one.number for one in snapshots] == [1, 20, 40]


def test_files_come_and_go_with_their_bytes(pack: Pack, edit: Edit) -> None:
    path = f"{pack.main}.notes/a.md"
    edit({"type": "write_file", "path": path, "text": "one\r\n"})
    edit({"type": "write_file", "path": path, "text": "two\r\n"})
    edit({"type": "remove_file", "path": path})
    assert files_at(pack.pk, 2)[path] == b"one\r\n"
    assert files_at(pack.pk, 3)[path] == b"two\r\n"
    assert path not in files_at(pack.pk, 4)
    with pytest.raises(NotThere):
        files_at(pack.pk, 5)


def test_the_same_bytes_are_kept_once(ada: User) -> None:
    stored(flow("A", A={}), ada)
    kept = Blob.objects.count()
    stored(flow("A", A={}), ada)
    assert Blob.objects.count() == kept


def test_an_edit_on_an_older_revision_is_rebased(pack: Pack, edit: Edit, bob: User) -> None:
    title = {"type": "set_field", "element": "state:C", "field": "/title", "value": "end"}
    edit({"type": "set_field", "element": "state:A", "field": "/title", "value": "start"}, by=bob)
    change = edit(title, base=1)
    assert (change.base, change.revision, change.rebased) == (1, 3, True)
    assert change.graph is not None
    assert {state["id"] for state in change.graph["states"]["set"]} == {"A", "C"}
    assert '"start"' in text_of(pack)
    assert '"end"' in text_of(pack)


def test_a_whole_file_written_on_an_older_revision_keeps_what_others_wrote(
    pack: Pack, edit: Edit, bob: User
) -> None:
    mine = text_of(pack).replace('"title": "c"', '"title": "mine"')
    edit({"type": "set_field", "element": "state:A", "field": "/title", "value": "bob's"}, by=bob)
    edit({"type": "write_file", "path": pack.main, "text": mine}, base=1)
    assert "bob's" in text_of(pack)
    assert "mine" in text_of(pack)


def test_an_edit_that_no_longer_fits_is_a_conflict(pack: Pack, edit: Edit, bob: User) -> None:
    edit({"type": "remove_state", "id": "C"}, by=bob)
    with pytest.raises(Conflict):
        edit({"type": "connect", "source": "C", "target": "A", "label": "Back"}, base=1)


def test_the_head_is_found_in_memory_after_an_edit(
    pack: Pack, edit: Edit, django_capture_on_commit_callbacks: object
) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        edit({"type": "add_state", "id": "D"})
    kept = SHELF.get(pack.pk, 2)
    assert isinstance(kept, Opened)
    assert kept.under("plain").is_drawn
    assert "D" in kept.under("plain").states


def test_an_edit_that_is_rolled_back_leaves_nothing_in_memory(pack: Pack, edit: Edit) -> None:
    edit({"type": "add_state", "id": "D"})
    assert SHELF.get(pack.pk, 2) is None, "nothing was committed"


def test_a_pack_follows_the_name_in_its_file_until_it_is_renamed(ada: User) -> None:
    pack = stored(flow("A", A={}), ada)
    Pack.objects.filter(pk=pack.pk).update(name="Tiny")
    text = text_of(pack)
    packs.edit(
        pack.pk, 1, edits(type="write_file", path=pack.main, text=text.replace("Tiny", "Two")), ada
    )
    assert Pack.objects.get(pk=pack.pk).name == "Two"
    packs.rename(pack.pk, "  My   own ")
    packs.edit(
        pack.pk, 2, edits(type="write_file", path=pack.main, text=text.replace("Tiny", "3")), ada
    )
    assert Pack.objects.get(pk=pack.pk).name == "My own"


def edits(**fields: object) -> tuple[object, ...]:
    from workflows.core.pack.edits import edit_from_json

    return (edit_from_json(fields),)


def test_moves_have_a_line_of_their_own_in_the_history() -> None:
    from workflows.actions.edit_summary import summary

    assert summary([Move(positions={"A": [1, 2]})]) == "Move A"
    assert summary([Move(positions={"A": [1, 2], "B": [1, 2]})]) == "Move 2 states"


def test_an_edit_costs_the_same_queries_in_a_pack_of_any_size(
    ada: User, django_assert_max_num_queries: object
) -> None:
    counts = []
    for size in (3, 400):
        states = {f"S{n}": {"Go": f"S{(n + 1) % size}"} for n in range(size)}
        pack = stored(flow("S0", **states), ada)
        with django_assert_max_num_queries(25) as queries:  # type: ignore[operator]
            packs.edit(pack.pk, 1, edits(type="rename_state", id="S1", new_id="T"), ada)
        counts.append(len(queries))
    assert counts[0] == counts[1]
