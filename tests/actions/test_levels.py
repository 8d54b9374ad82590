"""Layout of states on other levels: their positions, and what cards leave out."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from workflows.actions import packs
from workflows.core.pack.edits import edits_from_json
from workflows.models import Pack, State
from workflows.selectors.changes import Change
from workflows.selectors.layout import layout_now
from workflows.selectors.packs import cards


@pytest.fixture
def mail(ada: User) -> Pack:
    return packs.create_from_sample("promptpack/mail-triage", owner=ada)


def edit(pack: Pack, author: User, **one: object) -> Change:
    pack.refresh_from_db()
    return packs.edit(pack.pk, pack.head, edits_from_json([one]), author)


def test_a_card_shows_the_first_level_only(mail: Pack) -> None:
    (card,) = cards([mail])
    assert (card["states"], card["transitions"]) == (3, 2)
    drawn = {state["id"] for state in card["thumbnail"]["states"]}
    assert drawn == {"read_letter", "answer", "hand_on"}
    assert len(card["thumbnail"]["lines"]) == 2


def test_steps_keep_their_positions_when_their_composition_is_renamed(
    mail: Pack, ada: User
) -> None:
    edit(mail, ada, type="move", positions={"triage/note": [400, 80]})
    edit(mail, ada, type="rename_object", element="composition:triage", new_key="sort")
    layout = layout_now(mail.pk)
    assert layout["sort/note"]["x"] == 400
    assert "triage/note" not in layout
    packs.undo(mail.pk, 3, ada)
    assert layout_now(mail.pk)["triage/note"]["x"] == 400


def test_a_step_without_a_row_gets_one_when_it_is_put_somewhere(mail: Pack, ada: User) -> None:
    State.objects.filter(pack=mail, level="composition:triage").delete()
    edit(mail, ada, type="move", positions={"triage/note": [10, 20]})
    row = State.objects.get(pack=mail, key="triage/note")
    assert (row.x, row.y, row.level) == (10, 20, "composition:triage")
