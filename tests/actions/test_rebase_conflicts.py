"""When two change one place: what both add stays, and what one removes and another changes is a
conflict."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests.support.server_fixtures import Edit, text_of
from workflows.errors import Conflict
from workflows.models import Pack


def connect(source: str, label: str, target: str) -> dict[str, str]:
    return {"type": "connect", "source": source, "label": label, "target": target}


def test_two_who_add_at_one_place_keep_both(pack: Pack, edit: Edit, bob: User) -> None:
    edit(connect("A", "Bobs", "C"), by=bob)
    edit(connect("A", "Mine", "C"), base=1)
    assert '"Bobs"' in text_of(pack)
    assert '"Mine"' in text_of(pack)


def test_adding_where_another_removed_something_else_does_both(
    pack: Pack, edit: Edit, bob: User
) -> None:
    edit({"type": "disconnect", "transition": "A|Go|B"}, by=bob)
    edit(connect("A", "Mine", "C"), base=1)
    assert '"Mine"' in text_of(pack)
    assert '"Go": "B"' not in text_of(pack)


def test_removing_what_another_added_to_is_a_conflict(pack: Pack, edit: Edit, bob: User) -> None:
    edit(connect("A", "Bobs", "C"), by=bob)
    with pytest.raises(Conflict):
        edit({"type": "remove_state", "id": "A"}, base=1)
    assert '"Bobs"' in text_of(pack)


def titled(value: str) -> dict[str, str]:
    return {"type": "set_field", "element": "state:A", "field": "/title", "value": value}


def test_adding_to_a_text_does_not_restore_what_another_removed(
    pack: Pack, edit: Edit, bob: User
) -> None:
    edit(titled("draft of the report"))
    edit(titled("draft"), by=bob)
    with pytest.raises(Conflict):
        edit(titled("draft of the report, again"), base=2)
    assert '"draft"' in text_of(pack)
