"""Role bindings and notes of states: stored with the pack, kept by every edit."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from roles.models import Role
from tests.support.checks import failure_note
from tests.support.server_fixtures import Edit, files_of
from workflows.actions import history
from workflows.actions.role_bindings import taken_along
from workflows.errors import BadRequest, CannotStart, Refused
from workflows.models import Pack, State
from workflows.selectors.packs import graph_json

CONFIG = {
    "system_prompt": "You review.",
    "templates": {"ticket_task": "t", "chat_task": "c", "gate_eval": "g"},
    "output_templates": {"agent_done": "d", "gate_pass": "PASS", "gate_fail": "FAIL"},
}


@pytest.fixture
def role(ada: User) -> Role:
    return Role.objects.create(owner=ada, name="Reviewer", prompt_config=CONFIG, color="#123456")


def bind(state: str, role: Role | None, **more: Any) -> dict[str, Any]:
    binding = {"role": role.pk, **more} if role else None
    return {"type": "bind_role", "id": state, "binding": binding}


def bound(pack: Pack, state: str) -> Any:
    return State.objects.get(pack=pack, key=state).bound


def test_a_binding_is_stored_outside_the_files(
    pack: Pack, edit: Edit, role: Role, ada: User
) -> None:
    before = files_of(pack)
    change = edit(bind("A", role, override="Be brief."))
    assert change.summary == "Bind A to a role"
    assert files_of(pack) == before
    assert bound(pack, "A") == {
        "role": role.pk, "name": "Reviewer", "color": "#123456", "override": "Be brief.",
        "mode": None, "gate": None,
    }  # fmt: skip
    states = {one["id"]: one["bound"] for one in graph_json(pack, ada)["states"]}
    assert states == {"A": bound(pack, "A"), "B": None, "C": None}


def test_undo_redo_and_restore_take_it_along(pack: Pack, edit: Edit, role: Role, ada: User) -> None:
    edit(bind("A", role))
    history.undo(pack.pk, 2, ada)
    assert bound(pack, "A") is None
    history.redo(pack.pk, 3, ada)
    assert bound(pack, "A")["role"] == role.pk
    history.restore(pack.pk, 1, ada)
    assert bound(pack, "A") is None


def test_a_renamed_state_keeps_its_role_and_its_note(pack: Pack, edit: Edit, role: Role) -> None:
    edit(bind("A", role), {"type": "write_note", "id": "A", "text": " Ask first. "})
    edit({"type": "rename_state", "id": "A", "new_id": "Start"})
    row = State.objects.get(pack=pack, key="Start")
    assert (row.bound["role"], row.note) == (role.pk, "Ask first.")


def test_moving_a_state_keeps_its_role(pack: Pack, edit: Edit, role: Role) -> None:
    edit(bind("A", role))
    edit({"type": "move", "positions": {"A": [5, 6]}})
    assert bound(pack, "A")["role"] == role.pk
    edit(bind("A", None))
    row = State.objects.get(pack=pack, key="A")
    assert (row.bound, row.x) == (None, 5)


INVALID: list[tuple[dict[str, Any], str]] = [
    ({"role": 4711}, "There is no role 4711"),
    ({"role": "1"}, "is an id"),
    ({"role": True}, "is an id"),
    ({"override": "x"}, "is an id"),
    ({"role": "mine", "job": 1}, "has no 'job'"),
    ({"role": "mine", "override": 5}, "plain text"),
    ({"role": "mine", "override": "x" * 20_001}, "at most 20,000"),
    ({"role": "mine", "mode": 9}, "There is no mode 9"),
    ({"role": "mine", "gate": True}, "two transitions of its state"),
    ({"role": "mine", "gate": {"pass": "Approve"}}, "two transitions of its state"),
    ({"role": "mine", "gate": {"pass": "A", "fail": "A"}}, "two transitions of its state"),
    ({"role": "mine", "kind": "lambda"}, "Unknown kind of step 'lambda'"),
    ({"role": "mine", "kind": {}}, "Kinds: agent, chat, council, cron"),
]


def test_invalid_bindings_are_refused(pack: Pack, edit: Edit, role: Role) -> None:
    for binding, words in INVALID:
        with failure_note(repr(binding)[:200]):
            given = {**binding, "role": role.pk} if binding.get("role") == "mine" else binding
            with pytest.raises(BadRequest) as refused:
                edit({"type": "bind_role", "id": "A", "binding": given})
            assert words in refused.value.message
            assert Pack.objects.get(pk=pack.pk).head == 1


def test_a_binding_has_a_kind_of_step_unless_it_is_an_agent_s(
    pack: Pack, edit: Edit, role: Role
) -> None:
    edit(bind("A", role, kind="cron"))
    assert bound(pack, "A")["kind"] == "cron"
    assert taken_along(pack, Pack.objects.get(pk=pack.pk).head)["A"]["kind"] == "cron"
    edit(bind("A", role, kind="agent"))
    assert "kind" not in bound(pack, "A")
    edit(bind("A", role, kind="chat", gate={"pass": "on", "fail": "off"}))
    assert "kind" not in bound(pack, "A")


def test_another_person_s_role_cannot_be_bound(
    pack: Pack, edit: Edit, role: Role, bob: User
) -> None:
    with pytest.raises(BadRequest):
        edit(bind("A", role), by=bob)


def test_a_state_that_is_not_there_takes_no_role(pack: Pack, edit: Edit, role: Role) -> None:
    with pytest.raises(Refused):
        edit(bind("Z", role))


def test_a_run_takes_the_roles_of_its_revision_along(pack: Pack, edit: Edit, role: Role) -> None:
    edit(bind("A", role, override="Be brief."))
    edit(bind("A", None))
    pack.refresh_from_db()
    assert taken_along(pack, 3) == {}
    taken = taken_along(pack, 2)
    assert taken == {
        "A": {
            "role": {
                "id": role.pk, "name": "Reviewer", "description": "", "revision": 1,
                "prompt_config": CONFIG, "color": "#123456",
            },
            "override": "Be brief.",
            "mode": None,
            "gate": None,
        }
    }  # fmt: skip


def test_a_run_does_not_start_with_a_role_that_is_gone(pack: Pack, edit: Edit, role: Role) -> None:
    edit(bind("A", role))
    role.delete()
    pack.refresh_from_db()
    with pytest.raises(CannotStart) as refused:
        taken_along(pack, 2)
    assert "'Reviewer'" in refused.value.message
