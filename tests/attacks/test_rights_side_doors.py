"""Ways around the table: lists, counts, filters, keys, connections of others, memory, triggers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from roles.models import Memory
from roles.rights import Level, level_of, unshare, visible
from tests.attacks.rights_world import PEOPLE, SENTINEL, World
from workflows.actions import connections, packs, people, runs, templates
from workflows.actions.role_prompts import project_of
from workflows.actions.tokens import make_token
from workflows.actions.trigger_runs import fire
from workflows.errors import NotThere, TriggerOff
from workflows.models import (
    Agent,
    Approval,
    Artifact,
    Connection,
    McpServer,
    Pack,
    RoleTemplate,
    Run,
    State,
    Transition,
    Trigger,
)
from workflows.rights.levels import KINDS
from workflows.selectors.connections import connection_named
from workflows.selectors.socket_access import readable_packs, readable_runs
from workflows.selectors.sync_points import linked_pack
from workflows.selectors.templates import stored

TABLES = (
    State,
    Transition,
    Artifact,
    Agent,
    Pack,
    Run,
    Approval,
    Trigger,
    Connection,
    McpServer,
    RoleTemplate,
    Memory,
)


def call(world: World, person: str, method: str, path: str, body: Any = None) -> Any:
    return world.clients[person].generic(
        method, path, json.dumps(body) if body is not None else b"", content_type="application/json"
    )


@pytest.mark.parametrize("person", PEOPLE[:-1])
def test_lists_and_single_objects_agree(world: World, person: str) -> None:
    user = world.users[person]
    for model in TABLES:
        for level in (Level.READ, Level.EDIT, Level.OWN):
            if level is Level.OWN:
                continue  # Lists are filtered by reading and editing only.
            shown = set(visible(model.objects.all(), user, level).values_list("pk", flat=True))  # type: ignore[attr-defined]
            rows = model.objects.all()  # type: ignore[attr-defined]
            assert shown == {row.pk for row in rows if level_of(user, row) >= level}, model


LISTS = (
    "/api/v1/packs/", "/api/v1/runs/", "/api/v1/approvals/", "/api/v1/connections/",
    "/api/v1/templates/", "/api/v1/memories/", "/api/v1/agent-roles/?kind=all", "/", "/runs/",
    "/approvals/", "/templates/", "/roles/", "/roles/memory/",
    "/api/v1/states/", "/api/v1/transitions/", "/api/v1/artifacts/", "/api/v1/agents/",
    "/elements/states/", "/elements/transitions/", "/elements/artifacts/", "/elements/agents/",
)  # fmt: skip


@pytest.mark.parametrize("path", LISTS)
def test_no_list_page_count_or_search_names_a_private_object(world: World, path: str) -> None:
    queries = ["", f"q={SENTINEL}"]
    if "packs" not in path:
        queries.append(f"pack={world.pack.pk}")
    for query in queries:
        address = f"{path}{'&' if '?' in path else '?'}{query}"
        stranger = call(world, "stranger", "GET", address).content.decode()
        # The page repeats what was searched for.
        rest = re.sub(rf'(value="|q=|“){SENTINEL}', "", stranger)
        assert SENTINEL not in rest, address
        assert str(world.run.pk) not in stranger
        if path.startswith("/api/") and '"count"' in stranger and "agent-roles" not in path:
            assert json.loads(stranger)["count"] == 0
        assert SENTINEL in call(world, "reader", "GET", path).content.decode()


def test_a_stranger_gets_the_answer_for_a_missing_object(world: World) -> None:
    gone = Pack.objects.create(name="x", dialect="stages", profile="p", main="m")
    number = gone.pk
    gone.delete()
    theirs = call(world, "stranger", "GET", f"/api/v1/packs/{world.pack.pk}/").content.decode()
    none = call(world, "stranger", "GET", f"/api/v1/packs/{number}/").content.decode()
    assert theirs.replace(str(world.pack.pk), "#") == none.replace(str(number), "#")


def test_a_reader_who_edits_gets_an_error_message(world: World) -> None:
    answer = call(world, "reader", "PATCH", f"/api/v1/packs/{world.pack.pk}/", {"name": "x"})
    body = answer.json()
    assert (answer.status_code, body["code"]) == (403, "not_allowed")
    assert body["message"] == "This pack is shared with you for reading, so you can't change it."
    assert "owner" in body["hint"]


def test_a_run_uses_connections_and_templates_of_its_starter_only(world: World) -> None:
    stranger, reader = world.users["stranger"], world.users["reader"]
    with pytest.raises(NotThere) as missing:
        connection_named(SENTINEL, stranger)
    assert SENTINEL not in missing.value.hint
    with pytest.raises(NotThere):
        connection_named("", stranger)
    with pytest.raises(NotThere):
        connection_named(SENTINEL, None)
    assert connection_named(SENTINEL, reader).name == SENTINEL
    own = packs.create("stages", name="own", owner=stranger)
    body = {"pack": own.pk, "driver": "model", "connection": SENTINEL}
    assert call(world, "stranger", "POST", "/api/v1/runs/", body).status_code == 404
    assert SENTINEL not in stored(stranger)
    assert SENTINEL in stored(reader)


@pytest.mark.parametrize("written", ["{}.0", " {}", "{} ", "+{}", "0{}", "{}.000", "٠{}"])
def test_a_key_in_an_unusual_notation_needs_the_same_rights(world: World, written: str) -> None:
    """Fields of the body accept more notations of an integer than its digits."""
    for key in (written.format(world.pack.pk), float(world.pack.pk)):
        body = {"pack": key, "driver": "rehearsal"}
        assert call(world, "stranger", "POST", "/api/v1/runs/", body).status_code == 404
        assert call(world, "reader", "POST", "/api/v1/runs/", body).status_code == 201


def test_a_default_connection_is_the_users_own_first(world: World) -> None:
    reader = world.users["reader"]
    connections.change(world.ids["connections"], default=True)
    own = connections.create(name="mine", kind="openai", key="k", owner=reader)
    connections.change(own.pk, default=True)
    assert connection_named("", reader) == own
    assert Connection.objects.filter(default=True).count() == 2


def test_a_key_of_another_user_starts_a_run_of_ones_own(world: World) -> None:
    runs.start(world.pack, driver="manual", options={}, owner=world.users["owner"], key="same")
    body = {"pack": world.pack.pk, "driver": "manual"}
    answer = world.clients["reader"].post(
        "/api/v1/runs/", body, content_type="application/json", HTTP_IDEMPOTENCY_KEY="same"
    )
    assert (answer.status_code, answer.json()["owner"]) == (201, "reader")


def test_facts_cannot_be_planted_in_the_project_of_a_private_pack(world: World) -> None:
    body = {
        "scope": "shared", "project": project_of(world.pack), "fact": "Obey.", "category": "c",
    }  # fmt: skip
    assert call(world, "stranger", "POST", "/api/v1/memories/", body).status_code == 404
    spaced = {**body, "project": f" {body['project']}\n"}
    assert call(world, "stranger", "POST", "/api/v1/memories/", spaced).status_code == 404
    assert call(world, "reader", "POST", "/api/v1/memories/", body).status_code == 403
    assert call(world, "editor", "POST", "/api/v1/memories/", body).status_code == 201


def test_a_git_import_updates_no_pack_of_another_user(world: World) -> None:
    from workflows.models import SyncPoint

    SyncPoint.objects.create(
        pack=world.pack, revision=1, kind="import", repository="/r", main="m", commit="c"
    )
    at = ("/r", "", "m", world.pack.dialect)
    assert linked_pack(*at, world.users["stranger"]) is None
    assert linked_pack(*at, world.users["reader"]) is None
    assert linked_pack(*at, world.users["editor"]) == world.pack


def test_sockets_are_for_readers(world: World) -> None:
    pack, run = str(world.pack.pk), str(world.run.pk)
    assert readable_packs(world.users["reader"], [pack]) == {pack}
    assert readable_runs(world.users["reader"], [run]) == {run}
    assert readable_packs(world.users["stranger"], [pack]) == set()
    assert readable_runs(world.users["stranger"], [run]) == set()
    unshare(world.pack, world.users["reader"])
    assert readable_runs(world.users["reader"], [run]) == set()


def _deactivate(world: World) -> str:
    User.objects.filter(pk=world.users["editor"].pk).update(is_active=False)
    return "The owner of this trigger is deactivated."


def _unshare(world: World) -> str:
    unshare(world.pack)
    return "The pack is no longer shared with the owner of this trigger."


@pytest.mark.parametrize("end", [_deactivate, _unshare])
def test_a_trigger_stops_with_its_owner(world: World, end: Callable[[World], str]) -> None:
    Trigger.objects.filter(pk=world.ids["triggers"]).update(owner=world.users["editor"])
    trigger = Trigger.objects.get(pk=world.ids["triggers"])
    reason = end(world)
    with pytest.raises(TriggerOff, match=reason):
        fire(Trigger.objects.get(pk=trigger.pk), inputs={})
    assert Run.objects.count() == 2
    listed = call(world, "staff", "GET", f"/packs/{world.pack.pk}/triggers/")
    assert reason in listed.content.decode()


def test_a_trigger_keeps_its_owner(world: World) -> None:
    path = f"/api/v1/sharing/triggers/{world.ids['triggers']}/"
    answer = call(world, "owner", "PUT", path, {"owner": "reader", "shares": []})
    assert answer.status_code == 400
    assert "started as its owner" in answer.json()["message"]


def test_sharing_is_changed_by_its_owner_and_ends_at_once(world: World) -> None:
    path = f"/api/v1/sharing/packs/{world.pack.pk}/"
    shown = call(world, "owner", "GET", path).json()
    assert shown["shares"] == [
        {"kind": "user", "name": "reader", "level": "read"},
        {"kind": "group", "name": "editors", "level": "edit"},
    ]
    assert call(world, "reader", "GET", path).json()["shares"] == []
    more = {"shares": [{"kind": "user", "name": "stranger", "level": "edit"}]}
    assert call(world, "owner", "PUT", path, more).status_code == 200
    pack = f"/api/v1/packs/{world.pack.pk}/"
    assert call(world, "stranger", "GET", pack).status_code == 200
    assert call(world, "reader", "GET", pack).status_code == 404
    assert call(world, "editor", "GET", pack).status_code == 404
    handed = {"owner": "stranger", "shares": []}
    assert call(world, "owner", "PUT", path, handed).json()["owner"] == "stranger"
    assert call(world, "owner", "GET", pack).status_code == 404
    wrong = {"shares": [{"kind": "user", "name": "nobody", "level": "read"}]}
    assert call(world, "stranger", "PUT", path, wrong).status_code == 400


def test_only_staff_give_an_unowned_pack_an_owner(world: World) -> None:
    free = packs.create("stages", name="free", owner=None)
    path = f"/api/v1/sharing/packs/{free.pk}/"
    assert call(world, "stranger", "PATCH", f"/api/v1/packs/{free.pk}/", {"name": "x"})
    assert level_of(world.users["stranger"], free) is Level.OWN
    taken = {"owner": "stranger", "shares": []}
    assert call(world, "stranger", "PUT", path, taken).status_code == 403
    assert call(world, "staff", "PUT", path, taken).json()["owner"] == "stranger"


def test_shares_end_with_their_object_and_their_group(world: World) -> None:
    template = RoleTemplate.objects.get()
    templates.delete(template.name)
    again = RoleTemplate.objects.create(pk=template.pk, name="other", owner=world.users["owner"])
    assert level_of(world.users["reader"], again) is Level.NONE
    Group.objects.all().delete()
    assert level_of(world.users["editor"], world.pack) is Level.NONE


def test_deactivation_ends_all_rights(world: World) -> None:
    owner = world.users["owner"]
    _, token = make_token(owner, "program", scopes=["read"])
    program = Client(HTTP_HOST="127.0.0.1", HTTP_AUTHORIZATION=f"Bearer {token}")
    asked = {"the program": program, "the browser": world.clients["owner"]}
    assert {client.get("/api/v1/packs/").status_code for client in asked.values()} == {200}
    people.set_active(owner.pk, False, by=world.users["staff"])
    owner.refresh_from_db()
    assert level_of(owner, world.pack) is Level.NONE
    assert not visible(Pack.objects.all(), owner).exists()
    assert {client.get("/api/v1/packs/").status_code for client in asked.values()} == {401}


def test_every_kind_of_object_has_rules() -> None:
    assert {kind.model for kind in KINDS.values()} >= set(TABLES)
