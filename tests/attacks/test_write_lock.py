"""Packs are read, drawn and checked before the transaction that writes: on SQLite a transaction
locks the database, and every other writer waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from workflows.actions import model_choices, packs
from workflows.core.pack.edits import RenameState
from workflows.core.pack.files import Files, TooMuch
from workflows.models import Pack
from workflows.opened_packs import view as views
from workflows.opened_packs.view import View
from workflows.selectors.sources import SHELF

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """The parts that views compute, and for each, True if a transaction is open."""
    seen: list[tuple[str, bool]] = []

    def watched(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
        def computing(*call: Any) -> Any:
            seen.append((name, connection.in_atomic_block))
            return compute(*call)

        return computing

    monkeypatch.setattr(View, "_checked", watched("findings", View._checked))
    monkeypatch.setattr(views, "on_pack", watched("drawing", views.on_pack))
    return seen


@pytest.fixture
def owner() -> User:
    return User.objects.create_user("author")


def _change_profile(pack: Pack, owner: User) -> None:
    packs.change(pack.pk, profile="promptkit", name="Another", folder="there")


def _duplicate(pack: Pack, owner: User) -> None:
    packs.duplicate(pack.pk, owner=owner)


def _edit(pack: Pack, owner: User) -> None:
    packs.edit(pack.pk, 1, [RenameState(id="intake", new_id="sorting")], owner)


def _restore(pack: Pack, owner: User) -> None:
    packs.edit(pack.pk, 1, [RenameState(id="intake", new_id="sorting")], owner)
    SHELF.clear()
    packs.restore(pack.pk, 1, owner)


def _choose(pack: Pack, owner: User) -> None:
    model_choices.choose(pack, "intake", connection="", model="small", by=owner)


def _import(pack: Pack, owner: User) -> None:
    packs.import_files(Files.of({"a.pack.json": b"{}", "b/c.pack.json": b"{}"}), owner=owner)


@pytest.mark.parametrize("act", [_change_profile, _duplicate, _edit, _restore, _choose, _import])
def test_no_transaction_is_open_while_a_pack_is_read(
    act: Callable[[Pack, User], None], owner: User, computed: list[tuple[str, bool]]
) -> None:
    pack = packs.create_from_sample("promptpack/customer-support", owner=owner)
    SHELF.clear()
    computed.clear()
    act(pack, owner)
    assert computed
    assert [name for name, locked in computed if locked] == []


def test_a_profile_waits_for_no_edit_that_came_first(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = packs.create_from_sample("promptpack/customer-support", owner=owner)
    prepare, edits = View.prepare, [RenameState(id="intake", new_id="sorting")]

    def edited_meanwhile(view: View, *, check: bool = True) -> None:
        prepare(view, check=check)
        if view.profile == "promptkit" and edits:
            packs.edit(pack.pk, 1, [edits.pop()], owner)

    monkeypatch.setattr(View, "prepare", edited_meanwhile)
    changed = packs.change(pack.pk, profile="promptkit")
    assert (changed.profile, changed.head) == ("promptkit", 2)
    assert "sorting" in set(changed.states.values_list("key", flat=True))


def test_an_import_has_a_limit_of_packs(owner: User) -> None:
    files = {f"{number}/a.pack.json": b"{}" for number in range(packs.MAX_PACKS + 1)}
    with pytest.raises(TooMuch, match="1,001 packs"):
        packs.import_files(Files.of(files), owner=owner)
    assert not Pack.objects.exists()
