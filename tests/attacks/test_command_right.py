"""The right to run commands: each way to start one, tried by a user who has no right to."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from tests.support.tiny_dialect import tiny_pack
from workflows.actions import (
    approval_answers,
    command_right,
    mcp_servers,
    runs,
    tool_bindings,
)
from workflows.actions.command_right import has_command_right, set_command_right
from workflows.core.engine.effects import CallTool, RunCommand
from workflows.core.engine.run import RunState
from workflows.errors import CommandsRefused
from workflows.models import Approval, Pack, Run, RunEvent, ToolBinding
from workflows.runner import permissions
from workflows.runner.tools.tool_test import run_tool_test
from workflows.runner.worker import worker as running_worker
from workflows.selectors.tool_bindings import bound

pytestmark = pytest.mark.django_db(transaction=True)
COMMAND = {
    "start": {"command": ("done", "lost")},
    "done": {"end": "completed"},
    "lost": {"end": "failed"},
}


@pytest.fixture
def operator(settings: Any, tmp_path: Any) -> User:
    settings.SIGNALBOX_COMMANDS = True
    settings.DATA = tmp_path
    ContentType.objects.clear_cache()  # Tests empty its table.
    return User.objects.create_user("operator", is_staff=True)


@pytest.fixture
def guest(operator: User) -> User:
    return User.objects.create_user("guest")


def client_of(user: User) -> Client:
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user)
    return client


def post(user: User, path: str, body: Any) -> Any:
    return client_of(user).post(f"/api/v1/{path}", json.dumps(body), "application/json")


def test_staff_and_permitted_users_have_the_right(operator: User, guest: User) -> None:
    root = User.objects.create_superuser("root")
    assert [has_command_right(user) for user in (operator, root, None)] == [True, True, True]
    assert not has_command_right(guest)
    set_command_right(guest.pk, True)
    assert has_command_right(User.objects.get(pk=guest.pk))
    set_command_right(guest.pk, False)
    assert not has_command_right(User.objects.get(pk=guest.pk))


def test_a_user_who_is_alone_has_the_right(settings: Any) -> None:
    alone = User.objects.create_user("alone")
    assert has_command_right(alone)
    User.objects.create_user("second")
    assert not has_command_right(alone)


def start_run(user: User) -> Any:
    pack = tiny_pack(COMMAND)
    return post(user, "runs/", {"pack": pack.pk, "driver": "manual", "commands": True})


def connect_server(user: User) -> Any:
    body = {"name": "ours", "settings": {"command": ["true"]}}
    return post(user, "mcp-servers/", body)


def try_tool(user: User) -> Any:
    pack = tiny_pack({"start": {"tool": "done"}, "done": {"end": "completed"}})
    by_binding(pack, User.objects.get(username="operator"))
    body = {"tool": "look", "arguments": {}, "commands": True}
    return post(user, f"packs/{pack.pk}/try-tool/", body)


def bind_command(user: User) -> Any:
    pack = tiny_pack({"start": {"tool": "done"}, "done": {"end": "completed"}})
    body = {"kind": "command", "settings": {"command": ["echo", "ran"]}}
    url = f"/api/v1/packs/{pack.pk}/tools/look/"
    return client_of(user).put(url, json.dumps(body), "application/json")


@pytest.mark.parametrize("attempt", [start_run, connect_server, try_tool, bind_command])
def test_a_user_without_the_right_starts_no_process(
    operator: User, guest: User, attempt: Callable[[User], Any]
) -> None:
    refused = attempt(guest)
    assert refused.status_code == 403, refused.content
    assert refused.json()["code"] == "commands_refused"
    assert "no right to run commands" in refused.json()["message"]
    assert attempt(operator).status_code in (200, 201)


def test_a_run_stops_running_commands_when_its_owner_loses_the_right(
    operator: User, guest: User
) -> None:
    set_command_right(guest.pk, True)
    owner = User.objects.get(pk=guest.pk)
    run = runs.start(tiny_pack(COMMAND), driver="manual", options={"commands": True}, owner=owner)
    assert permissions.may_run_commands(Run.objects.get(pk=run.pk))
    set_command_right(guest.pk, False)
    assert not permissions.may_run_commands(Run.objects.get(pk=run.pk))
    User.objects.filter(pk=guest.pk).update(is_active=False)
    assert not permissions.may_run_commands(Run.objects.get(pk=run.pk))


@pytest.mark.parametrize("allowed", [("effect.allowed", "key", "k"), ("tool.allowed", "name", "k")])
def test_an_allowance_of_a_deleted_user_ends(
    operator: User, guest: User, allowed: tuple[str, str, str]
) -> None:
    type, field, value = allowed
    run = runs.start(tiny_pack(COMMAND), driver="manual", options={}, owner=operator)
    last = RunEvent.objects.filter(run_id=run.pk).count()
    RunEvent.objects.create(
        run_id=run.pk, n=last + 1, at=time.time(), type=type,
        fields={field: value, "by": "guest"},
    )  # fmt: skip
    set_command_right(guest.pk, True)
    row = Run.objects.get(pk=run.pk)
    assert command_right.allowed_by_right(row, *allowed)
    guest.delete()
    assert not command_right.allowed_by_right(row, *allowed)
    again = User.objects.create_user("guest")
    set_command_right(again.pk, True)
    assert not command_right.allowed_by_right(row, *allowed), "another user of the same name"


def test_a_run_of_a_deleted_user_runs_no_commands(operator: User, guest: User) -> None:
    set_command_right(guest.pk, True)
    owner = User.objects.get(pk=guest.pk)
    run = runs.start(tiny_pack(COMMAND), driver="manual", options={"commands": True}, owner=owner)
    guest.delete()
    assert not permissions.may_run_commands(Run.objects.get(pk=run.pk))


TOOL_PACK = {"start": {"tool": "done"}, "done": {"end": "completed"}}
ECHO = {"command": ["echo", "ran"]}


def by_binding(pack: Pack, user: User) -> None:
    tool_bindings.bind(pack, "look", kind="command", settings=ECHO, author=user)


def by_mcp_binding(pack: Pack, user: User) -> None:
    tool_bindings.bind(pack, "look", kind="mcp", settings=ECHO, author=user)


def by_connected_server(pack: Pack, user: User) -> None:
    server = mcp_servers.connect("ours", ECHO, {}, user)
    mcp_servers.store_tools(
        server.pk, [{"tool": "look", "description": "", "parameters": {}, "read_only": True}]
    )
    settings = {"connected": "mcp__ours__look"}
    tool_bindings.bind(pack, "look", kind="mcp", settings=settings)


def test_a_command_that_a_run_of_a_user_without_the_right_names_is_not_allowed(
    operator: User, guest: User
) -> None:
    look = {"look": {"kind": "command", "settings": ECHO}}
    run = runs.start(tiny_pack(TOOL_PACK), driver="manual", options={"tools": look}, owner=guest)
    effect = CallTool(key="0:1", position="0", state="start", name="look", arguments={})
    number = run.events.count() + 1
    allowed = {"key": "0:1", "by": "operator"}
    run.events.create(n=number, at=time.time(), type="effect.allowed", fields=allowed)
    state, binding = RunState(allowed=("0:1",)), bound(run, "look")
    assert not permissions.may_perform_command(run, state, effect, binding)
    set_command_right(guest.pk, True)
    row = Run.objects.get(pk=run.pk)
    assert permissions.may_perform_command(row, state, effect, bound(row, "look"))


@pytest.mark.parametrize("bind", [by_binding, by_mcp_binding, by_connected_server])
@pytest.mark.parametrize("gone", ["without the right", "deleted"])
def test_a_command_of_a_user_without_the_right_never_runs(
    operator: User, guest: User, bind: Callable[[Pack, User], None], gone: str
) -> None:
    """As it was bound while the user had the right, or before there was a right."""
    pack = tiny_pack(TOOL_PACK)
    bind(pack, guest)
    run = runs.start(pack, driver="manual", options={"commands": True}, owner=operator)
    effect = CallTool(key="0:1", position="0", state="start", name="look", arguments={})

    def may_run() -> bool:
        row = Run.objects.get(pk=run.pk)
        return permissions.may_perform_command(row, RunState(), effect, bound(row, "look"))

    if gone == "deleted":
        set_command_right(guest.pk, True)
        assert may_run()
        User.objects.filter(pk=guest.pk).delete()
    assert not may_run()
    binding = bound(run, "look")
    assert binding is not None
    left = permissions.call_left_to_person(run, "look", "command", binding)
    assert not left.can_allow
    assert "bound by a user who has no right to run commands" in left.reason
    tried = run_tool_test(pack, "look", {}, commands=True)
    assert (tried.outcome, "no right to run" in tried.text) == ("person", True)


def test_the_authors_of_earlier_bindings_are_those_of_the_audit_log(
    operator: User, guest: User
) -> None:
    pack, forgotten = tiny_pack(TOOL_PACK), tiny_pack(TOOL_PACK)
    for user in (operator, guest):
        body = {"kind": "canned", "settings": {"result": user.username}}
        url = f"/api/v1/packs/{pack.pk}/tools/look/"
        assert client_of(user).put(url, json.dumps(body), "application/json").status_code == 200
    by_binding(forgotten, guest)
    ToolBinding.objects.update(author=None)
    find_authors = import_module("workflows.migrations.0041_binding_authors").find_authors
    find_authors(apps, None)
    assert ToolBinding.objects.get(pack=pack).author == guest
    assert ToolBinding.objects.get(pack=forgotten).author is None
    guest.delete()
    find_authors(apps, None)
    assert ToolBinding.objects.get(pack=forgotten).author == operator


async def test_only_a_user_with_the_right_allows_a_command(operator: User, guest: User) -> None:
    from asgiref.sync import sync_to_async

    def begin() -> Run:
        return runs.start(tiny_pack(COMMAND), driver="manual", options={}, owner=guest)

    run = await sync_to_async(begin)()
    async with running_worker() as worker:
        await worker.run_until_idle()
        question = await Approval.objects.aget(run=run)
        answer = sync_to_async(approval_answers.answer)
        with pytest.raises(CommandsRefused):
            await answer(question.pk, by="guest")
        await answer(question.pk, by="operator")
        await worker.run_until_idle()
    assert (await Run.objects.aget(pk=run.pk)).status == "completed"


def test_a_permission_of_a_user_without_the_right_does_not_count(
    operator: User, guest: User
) -> None:
    """As a log would have it that is older than the right."""
    run = runs.start(tiny_pack(COMMAND), driver="manual", options={})
    effect = RunCommand(key="0:1", position="0", state="start", command=("true",))
    state = RunState(allowed=("0:1",))
    number = run.events.count() + 1
    run.events.create(
        n=number, at=time.time(), type="effect.allowed", fields={"key": "0:1", "by": "guest"}
    )
    assert not permissions.may_perform_command(run, state, effect)
    assert not command_right.allowed_by_right(run, "effect.allowed", "key", "0:1")
    run.events.create(
        n=number + 1, at=time.time(), type="effect.allowed", fields={"key": "0:1", "by": "operator"}
    )
    assert permissions.may_perform_command(run, state, effect)


def test_a_retry_of_anothers_run_inherits_no_commands(operator: User, guest: User) -> None:
    look = {"look": {"kind": "command", "settings": ECHO}}
    options = {"commands": True, "tools": look, "seed": 7}
    set_command_right(guest.pk, True)
    owner = User.objects.get(pk=guest.pk)
    for starter, inherits in ((owner, False), (operator, True)):
        run = runs.start(tiny_pack(TOOL_PACK), driver="manual", options=options, owner=starter)
        body = {"action": "retry", "runs": [str(run.pk)]}
        (outcome,) = post(operator, "runs/bulk/", body).json()
        again = Run.objects.get(pk=outcome["run"])
        assert again.owner == operator
        assert again.options["seed"] == 7
        assert ("tools" in again.options, "commands" in again.options) == (inherits, inherits)
