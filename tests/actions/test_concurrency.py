"""Several who save at once: everyone's edit is kept, in one line of revisions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection

from tests.support.flow_dialect import flow
from tests.support.server_fixtures import stored, text_of
from workflows.actions import packs, save_revision
from workflows.core.pack.edits import AddState, SetField
from workflows.models import Pack, Revision
from workflows.selectors.revision_files import files_at
from workflows.selectors.sources import SHELF, opened


@pytest.mark.django_db(transaction=True)
def test_everyone_who_saves_at_once_is_kept() -> None:
    states = {f"S{number}": dict[str, str]() for number in range(4)}
    pack = stored(flow("S0", **states))

    def titles(number: int) -> None:
        try:
            for step in range(5):
                edit = SetField(
                    element=f"state:S{number}", field="/title", value=f"{number}-{step}"
                )
                packs.edit(pack.pk, 1 if step == 0 else _head(pack), (edit,), None)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(titles, range(4)))
    numbers = Revision.objects.filter(pack=pack).values_list("number", flat=True)
    assert list(numbers) == list(range(1, 22))
    text = text_of(pack)
    assert all(f'"{number}-4"' in text for number in range(4))
    for number in numbers:
        assert SHELF.get(pack.pk, number) is None or opened(pack, number).files == files_at(
            pack.pk, number
        )


def _head(pack: Pack) -> int:
    return Pack.objects.get(pk=pack.pk).head


def test_a_stale_writer_reads_again_and_saves(
    pack: Pack, ada: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = save_revision.save
    rivals = [AddState(id="theirs")]

    def overtaken_once(mine: Pack, step: save_revision.Step) -> Revision:
        if rivals:
            packs.edit(pack.pk, 1, (rivals.pop(),), bob)
        return real(mine, step)

    monkeypatch.setattr(save_revision, "save", overtaken_once)
    change = packs.edit(pack.pk, 1, (AddState(id="mine"),), ada)
    assert (change.base, change.revision, change.rebased) == (1, 3, True)
    assert {"mine", "theirs"} <= set(opened(Pack.objects.get(pk=pack.pk)).source.states)
