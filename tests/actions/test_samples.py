"""Edits of every real dialect are undone byte for byte, like those of the small dialect."""

from __future__ import annotations

import random
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.support.server_fixtures import files_of
from workflows.actions import packs
from workflows.actions.packs import create_from_sample
from workflows.core.dialects import dialects
from workflows.core.pack.edits import edits_from_json
from workflows.errors import CallerError
from workflows.models import Pack, State, Transition
from workflows.opened_packs.bodies import offers
from workflows.selectors.layout import layout_now
from workflows.selectors.sources import view

SAMPLES = [f"{name}/{key}" for name in sorted(dialects()) for key in dialects()[name].samples()]
QUICK = [
    f"{name}/{key}" for name in sorted(dialects()) for key in list(dialects()[name].samples())[:2]
]
ROWS = [
    *((sample, 4) for sample in QUICK),
    *(pytest.param(sample, 20, marks=pytest.mark.slow) for sample in SAMPLES),
]


@pytest.mark.parametrize(("sample", "edits"), ROWS)
def test_edits_of_a_sample_are_undone_byte_for_byte(sample: str, edits: int, ada: User) -> None:
    pack = create_from_sample(sample, owner=ada)
    original = files_of(pack)
    dice = random.Random(sample)
    made = 0
    first = SAMPLES.index(sample) * edits  # Each sample continues with the next kind of edit.
    for step in range(first, first + edits):
        try:
            change = packs.edit(pack.pk, pack.head, edits_from_json([_any(dice, pack, step)]), ada)
        except CallerError:
            continue
        made += change.revision > pack.head
        pack.refresh_from_db()
    _rows_are_the_projection(pack)
    newest, places = files_of(pack), layout_now(pack.pk)
    for _ in range(made):
        packs.undo(pack.pk, 1, ada)
    assert files_of(pack) == original
    assert layout_now(pack.pk) == {}
    for _ in range(made):
        packs.redo(pack.pk, 1, ada)
    assert (files_of(pack), layout_now(pack.pk)) == (newest, places)
    _rows_are_the_projection(Pack.objects.get(pk=pack.pk))
    assert made >= edits // 4


def _any(dice: random.Random, pack: Pack, step: int) -> dict[str, Any]:
    drawn = view(pack).graph
    states = [state.id for state in drawn.states]
    state = dice.choice(states or [""])
    palette = view(pack).dialect.palette()
    match step % 8 if states else 0:
        case 0 | 1 | 2 | 3 if not palette:
            value = f"model-{step}"
            element = f"state:{state}"
            return {"type": "set_field", "element": element, "field": "/model", "value": value}
        case 0 | 1:
            kind = dice.choice(palette).kind
            return {"type": "add_state", "id": f"new_{step}", "kind": kind}
        case 2 | 3:
            offered = offers(view(pack), state)
            label = dice.choice(offered)["label"] if offered else ""
            label = label or f"Event{step}"
            return {
                "type": "connect",
                "source": state,
                "target": dice.choice(states),
                "label": label,
            }
        case 4:
            return {"type": "rename_state", "id": state, "new_id": f"renamed_{step}"}
        case 5:
            return {"type": "move", "positions": {state: [step, dice.randint(0, 500)]}}
        case 6 if drawn.transitions:
            return {"type": "disconnect", "transition": dice.choice(drawn.transitions).id}
        case _:
            return {"type": "remove_state", "id": state}


def _rows_are_the_projection(pack: Pack) -> None:
    seen = view(pack)
    assert set(State.objects.filter(pack=pack).values_list("key", flat=True)) == set(seen.states)
    assert set(Transition.objects.filter(pack=pack).values_list("key", flat=True)) == set(
        seen.transitions
    )
