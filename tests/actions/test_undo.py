"""Undo, redo and restore: everyone's own, carried over what others did, and never less history."""

from __future__ import annotations

import random

import pytest
from django.contrib.auth.models import User

from tests.support.checks import quick_and_slow
from tests.support.flow_dialect import flow
from tests.support.server_fixtures import Edit, files_of, stored, text_of
from workflows.actions import packs
from workflows.core.pack.edits import edits_from_json
from workflows.errors import BuiltOn, CallerError, NothingToUndo
from workflows.models import Pack, Revision, State
from workflows.selectors.history import folded
from workflows.selectors.layout import layout_at, layout_now


def titled(state: str, value: str) -> dict[str, str]:
    return {"type": "set_field", "element": f"state:{state}", "field": "/title", "value": value}


def test_undo_and_redo_walk_back_and_forth(pack: Pack, edit: Edit, ada: User) -> None:
    texts = [text_of(pack)]
    for value in ("one", "two", "three"):
        edit(titled("A", value))
        texts.append(text_of(pack))
    for expected in reversed(texts[:-1]):
        change = packs.undo(pack.pk, 1, ada)
        assert text_of(pack) == expected
    assert change.undo == {"can": False, "label": ""}
    assert change.redo["can"]
    for expected in texts[1:]:
        change = packs.redo(pack.pk, 1, ada)
        assert text_of(pack) == expected
    assert not change.redo["can"]
    assert change.undo["label"] == "Change title of A"
    assert Pack.objects.get(pk=pack.pk).head == 10, "history only grows"


def test_an_edit_after_an_undo_ends_redo(pack: Pack, edit: Edit, ada: User) -> None:
    edit(titled("A", "one"))
    packs.undo(pack.pk, 2, ada)
    edit(titled("B", "two"))
    with pytest.raises(NothingToUndo):
        packs.redo(pack.pk, 4, ada)


def test_undo_is_ones_own(pack: Pack, edit: Edit, ada: User, bob: User) -> None:
    edit(titled("A", "ada's"))
    edit(titled("B", "bob's"), by=bob)
    packs.undo(pack.pk, 3, ada)
    assert '"ada\'s"' not in text_of(pack)
    assert "bob's" in text_of(pack)
    with pytest.raises(NothingToUndo):
        packs.undo(pack.pk, 4, ada)


def test_undo_is_refused_if_another_edit_builds_on_it(
    pack: Pack, edit: Edit, ada: User, bob: User
) -> None:
    edit(titled("A", "ada's"))
    edit(titled("A", "bob's"), by=bob)
    with pytest.raises(BuiltOn) as refused:
        packs.undo(pack.pk, 3, ada)
    assert "bob" in refused.value.message
    assert "revision 3" in refused.value.message
    assert pack.main in refused.value.message
    assert "bob's" in text_of(pack)


def test_undo_passes_through_when_the_other_took_theirs_back(
    pack: Pack, edit: Edit, ada: User, bob: User
) -> None:
    before = text_of(pack)
    edit(titled("A", "ada's"))
    edit(titled("A", "bob's"), by=bob)
    packs.undo(pack.pk, 3, bob)
    packs.undo(pack.pk, 4, ada)
    assert text_of(pack) == before


def test_added_and_removed_files_come_back(pack: Pack, edit: Edit, ada: User, bob: User) -> None:
    path = f"{pack.main}.notes/a.md"
    edit({"type": "write_file", "path": path, "text": "one"})
    edit({"type": "remove_file", "path": path})
    packs.undo(pack.pk, 3, ada)
    assert files_of(pack)[path] == b"one"
    packs.undo(pack.pk, 4, ada)
    assert path not in files_of(pack)
    packs.redo(pack.pk, 5, ada)
    edit({"type": "write_file", "path": path, "text": "bob's"}, by=bob)
    with pytest.raises(BuiltOn):
        packs.undo(pack.pk, 7, ada)


def test_layout_is_undone_with_its_edit(pack: Pack, edit: Edit, ada: User) -> None:
    edit({"type": "move", "positions": {"C": [1, 2]}})
    edit({"type": "remove_state", "id": "C"})
    packs.undo(pack.pk, 3, ada)
    assert State.objects.get(pack=pack, key="C").x == 1
    packs.undo(pack.pk, 4, ada)
    assert State.objects.get(pack=pack, key="C").x is None
    packs.redo(pack.pk, 5, ada)
    assert State.objects.get(pack=pack, key="C").x == 1


def test_a_state_moved_by_another_user_stays(pack: Pack, edit: Edit, ada: User, bob: User) -> None:
    edit({"type": "move", "positions": {"A": [1, 2], "B": [3, 4]}})
    edit({"type": "move", "positions": {"A": [9, 9]}}, by=bob)
    packs.undo(pack.pk, 3, ada)
    assert set(layout_now(pack.pk)) == {"A"}
    assert layout_now(pack.pk)["A"]["x"] == 9


def test_restore_brings_files_and_layout_back(pack: Pack, edit: Edit, ada: User) -> None:
    edit({"type": "move", "positions": {"A": [1, 2]}})
    edit(titled("A", "one"))
    before, layout = text_of(pack), layout_now(pack.pk)
    edit({"type": "remove_state", "id": "A"})
    edit({"type": "move", "positions": {"B": [7, 7]}})
    assert layout_at(pack.pk, 3) == layout
    packs.restore(pack.pk, 3, ada)
    assert (text_of(pack), layout_now(pack.pk)) == (before, layout)
    packs.undo(pack.pk, 6, ada)
    assert layout_now(pack.pk) == {"B": {**layout["A"], "x": 7.0, "y": 7.0}}


@pytest.mark.parametrize(
    ("rows", "undo", "redo"),
    [
        ([], (), ()),
        ([(2, "edit", None), (3, "edit", None)], (2, 3), ()),
        ([(2, "edit", None), (3, "undo", 2)], (), (3,)),
        ([(2, "edit", None), (3, "undo", 2), (4, "redo", 3)], (4,), ()),
        ([(2, "edit", None), (3, "undo", 2), (4, "edit", None)], (4,), ()),
        ([(2, "restore", None), (3, "edit", None), (4, "undo", 3)], (2,), (4,)),
        ([(3, "undo", 2)], (), (3,)),
    ],
)
def test_the_stacks_are_a_fold_over_revisions(
    rows: list[tuple[int, str, int | None]], undo: tuple[int, ...], redo: tuple[int, ...]
) -> None:
    stacks = folded(rows)
    assert (stacks.undo, stacks.redo) == (undo, redo)


@pytest.mark.parametrize("seed", quick_and_slow([0], range(1, 5)))
def test_undoing_everything_restores_every_byte(seed: int, ada: User) -> None:
    dice = random.Random(seed)
    original = flow("A", A={"Go": "B", "Stay": "A"}, B={"Go": "C"}, C={})
    pack = stored(original, ada)
    made = 0
    for step in range(25):
        try:
            change = packs.edit(pack.pk, pack.head, edits_from_json([_any(dice, step, pack)]), ada)
        except CallerError:
            continue
        made += change.revision > pack.head
        pack.refresh_from_db()
    newest, places = text_of(pack), layout_now(pack.pk)
    for _ in range(made):
        packs.undo(pack.pk, 1, ada)
    assert files_of(pack)[pack.main] == original
    assert layout_now(pack.pk) == {}
    for _ in range(made):
        packs.redo(pack.pk, 1, ada)
    assert (text_of(pack), layout_now(pack.pk)) == (newest, places)
    assert made >= 5
    _rows_are_the_projection(pack)


@pytest.mark.parametrize("seed", quick_and_slow([0], range(1, 4)))
def test_two_people_editing_and_undoing_never_lose_the_other_ones_words(
    seed: int, ada: User, bob: User
) -> None:
    dice = random.Random(seed)
    pack = stored(flow("A", A={}, B={}, C={}, D={}), ada)
    words = {ada: "", bob: ""}
    mine = {ada: ("A", "B"), bob: ("C", "D")}
    for step in range(30):
        who = dice.choice([ada, bob])
        try:
            if dice.random() < 0.3:
                packs.undo(pack.pk, 1, who)
            else:
                words[who] = f"{who.username}-{step}"
                edits = edits_from_json([titled(dice.choice(mine[who]), words[who])])
                base = dice.randint(max(1, pack.head - 2), pack.head)
                packs.edit(pack.pk, base, edits, who)
        except (NothingToUndo, CallerError):
            continue
        finally:
            pack.refresh_from_db()
    for who in (ada, bob):
        while True:
            try:
                packs.undo(pack.pk, 1, who)
            except NothingToUndo:
                break
    assert files_of(pack)[pack.main] == flow("A", A={}, B={}, C={}, D={})
    assert Revision.objects.filter(pack=pack).count() == Pack.objects.get(pk=pack.pk).head


def _any(dice: random.Random, step: int, pack: Pack) -> dict[str, object]:
    states = [*State.objects.filter(pack=pack).values_list("key", flat=True), "gone"]
    state = dice.choice(states)
    return dice.choice(
        [
            {"type": "add_state", "id": f"S{step}", "name": "é😀"},
            {
                "type": "connect",
                "source": state,
                "target": dice.choice(states),
                "label": f"E{step}",
            },
            titled(state, f"title {step}"),
            {"type": "move", "positions": {state: [dice.randint(0, 99), step]}},
            {"type": "remove_state", "id": state},
            {"type": "rename_state", "id": state, "new_id": f"N{step}"},
            {"type": "disconnect", "transition": f"{state}|Go|B"},
            {"type": "resize", "id": state, "width": 100 + step, "height": 50},
        ]
    )


def _rows_are_the_projection(pack: Pack) -> None:
    from workflows.selectors.sources import opened

    drawn = opened(Pack.objects.get(pk=pack.pk)).under(pack.profile).graph
    rows = State.objects.filter(pack=pack).values_list("key", "name")
    assert dict(rows) == {state.id: state.name for state in drawn.states}
