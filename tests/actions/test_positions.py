"""Positions written by one statement give the rows that the models give."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from workflows.actions import packs, projection
from workflows.actions.packs import create_from_sample
from workflows.core.pack.edits import Edit, Move, RenameState, WriteNote
from workflows.models import Revision, State
from workflows.selectors.layout import layout_now
from workflows.selectors.sources import view

SAMPLE = "promptpack/code-review"
MOVES: list[list[Edit]] = [
    [Move(positions={})],
    [Move(positions={"draft": [1, 2], "review": [3.5, -4]})],
    [Move(positions={"draft": [1, 2], "review": [7, 8]})],
    [Move(positions={"review": [9, 9]}), WriteNote(id="review", text="Look.")],
    [RenameState(id="review", new_id="check"), Move(positions={"draft": [5, 5]})],
    [Move(positions={"check": [0, 1]})],
]


def _rows(ada: User, states: tuple[str, str]) -> list[Any]:
    pack = create_from_sample(SAMPLE, owner=ada)
    first, second = states
    rows: list[Any] = []
    for edits in MOVES:
        renamed = [_renamed(edit, {"draft": first, "review": second}) for edit in edits]
        packs.edit(pack.pk, pack.head, renamed, ada)
        pack.refresh_from_db()
        fields = [field.name for field in State._meta.fields if field.name not in ("id", "pack")]
        rows.append(list(State.objects.filter(pack=pack).order_by("key").values_list(*fields)))
        rows.append(list(Revision.objects.filter(pack=pack).values_list("layout", flat=True)))
    for _ in MOVES[1:]:
        packs.undo(pack.pk, 1, ada)
        rows.append(layout_now(pack.pk))
    return rows


def _renamed(edit: Edit, names: dict[str, str]) -> Edit:
    match edit:
        case Move():
            return Move(positions={names.get(key, key): at for key, at in edit.positions.items()})
        case WriteNote():
            return WriteNote(id=names[edit.id], text=edit.text)
        case RenameState():
            return RenameState(id=names[edit.id], new_id=edit.new_id)
    return edit


@pytest.mark.django_db
def test_positions_are_the_same_with_and_without_models(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, *_ = view(create_from_sample(SAMPLE, owner=ada)).states
    fast = _rows(ada, (first, second))
    monkeypatch.setattr(projection, "_moves", lambda place: False)
    assert fast == _rows(ada, (first, second))
    assert fast[-1] == {}


@pytest.mark.django_db
def test_a_move_of_every_state_reads_no_row_as_a_model(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = create_from_sample(SAMPLE, owner=ada)
    monkeypatch.setattr(projection, "_rows_of", _only_for_nothing)
    positions = {key: [number, 0] for number, key in enumerate(view(pack).states)}
    packs.edit(pack.pk, pack.head, [Move(positions=positions)], ada)
    assert {key: place["x"] for key, place in layout_now(pack.pk).items()} == {
        key: x for key, (x, _) in positions.items()
    }


def _only_for_nothing(model: Any, pack: Any, keys: Any) -> list[Any]:
    assert not list(keys)
    return []
