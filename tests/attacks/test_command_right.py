"""The right to run commands: each way to start one, tried by a user who has no right to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.test import Client

from tests.support.tiny_dialect import tiny_pack
from workflows.actions import approval_answers, command_right, runs, tool_bindings
from workflows.actions.command_right import has_command_right, set_command_right
from workflows.core.engine.effects import RunCommand
from workflows.core.engine.run import RunState
from workflows.errors import CommandsRefused
from workflows.models import Approval, Run, RunEvent
from workflows.runner import permissions
from workflows.runner.worker import worker as running_worker

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
    tool_bindings.bind(pack, "look", kind="command", settings={"command": ["echo", "ran"]})
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


def test_an_allowance_of_a_deleted_user_ends(operator: User, guest: User) -> None:
    run = runs.start(tiny_pack(COMMAND), driver="manual", options={}, owner=operator)
    last = RunEvent.objects.filter(run_id=run.pk).count()
    RunEvent.objects.create(
        run_id=run.pk, n=last + 1, at=0.0, type="effect.allowed",
        fields={"key": "k", "by": "guest"},
    )  # fmt: skip
    set_command_right(guest.pk, True)
    row = Run.objects.get(pk=run.pk)
    assert command_right.allowed_by_right(row, "k")
    guest.delete()
    assert not command_right.allowed_by_right(row, "k")


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
    run.events.create(n=number, at=1.0, type="effect.allowed", fields={"key": "0:1", "by": "guest"})
    assert not permissions.may_perform_command(run, state, effect)
    assert not command_right.allowed_by_right(run, "0:1")
    run.events.create(
        n=number + 1, at=1.0, type="effect.allowed", fields={"key": "0:1", "by": "operator"}
    )
    assert permissions.may_perform_command(run, state, effect)
