"""Commands and calls that are left to people: allowed once, or reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

from tests.support.tiny_dialect import tiny_pack
from tests.support.workers import until_idle
from workflows.actions import approval_answers, runs, tool_bindings
from workflows.core.engine.fold import fold_all
from workflows.core.engine.replay.verify import verify
from workflows.core.engine.signals import Approve
from workflows.errors import BadRequest, SignalRefused
from workflows.models import Approval, Job, Run
from workflows.runner.worker import Worker
from workflows.selectors.runs import event_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder", "commands"),
]

A_COMMAND = {
    "start": {"command": ("done", "lost")},
    "done": {"end": "completed"},
    "lost": {"end": "failed"},
}
A_TOOL = {"start": {"tool": "done"}, "done": {"end": "completed"}}
WRITES = {"command": ["sh", "-c", "echo written > result.txt; cat result.txt"]}


@pytest.fixture(autouse=True)
def _ada() -> None:
    """The user who answers; alone on the server, so with the right to run commands."""
    User.objects.create_user("ada")


async def begun(worker: Worker, table: dict[str, Any], **binding: Any) -> tuple[Run, Approval]:
    """A run that waits for a person, and its question."""

    def start() -> Run:
        pack = tiny_pack(table)
        if binding:
            tool_bindings.bind(pack, "look", **binding, author=User.objects.get(username="ada"))
        return runs.start(pack, driver="manual", options={})

    run = await sync_to_async(start)()
    await until_idle(worker)
    return run, await Approval.objects.aget(run=run)


async def say(approval: Approval, **said: Any) -> None:
    await sync_to_async(approval_answers.answer)(approval.pk, by="ada", **said)


async def events(run: Run, type: str) -> list[dict[str, Any]]:
    return [event.fields async for event in run.events.filter(type=type).order_by("n")]


async def status(run: Run) -> str:
    return (await Run.objects.aget(pk=run.pk)).status


async def test_an_allowed_command_runs_and_its_own_exit_is_recorded(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.support.state_machine.COMMAND", ("sh", "-c", "echo x > f; exit 7"))
    run, question = await begun(worker, A_COMMAND)
    assert (question.blocked_reason, question.can_allow) == (
        "This run was started without commands.",
        True,
    )
    await say(question)
    await until_idle(worker)
    [finished] = await events(run, "command.finished")
    assert (finished["exit"], "by" in finished) == (7, False)
    assert [path.read_text() for path in tmp_path.glob("workspaces/*/f")] == ["x\n"]
    [allowed] = await events(run, "effect.allowed")
    assert (allowed["by"], allowed["for"], await status(run)) == ("ada", "command", "failed")
    await question.arefresh_from_db()
    assert (question.status, question.answered_by) == ("approved", "ada")


async def test_a_command_that_may_not_run_is_never_recorded_as_run(
    worker: Worker, settings: Any
) -> None:
    settings.SIGNALBOX_COMMANDS = False
    run, question = await begun(worker, A_COMMAND)
    assert ("SIGNALBOX_COMMANDS=1" in question.blocked_reason, question.can_allow) == (True, False)
    with pytest.raises(BadRequest, match="Approving does not perform this command"):
        await say(question)
    with pytest.raises(BadRequest):
        await sync_to_async(runs.signal)(run.pk, Approve(at=1.0, key=question.key))
    assert (await status(run), await events(run, "command.finished")) == ("waiting", [])
    await say(question, edited={"given": {"exit": 0, "stdout": "3 passed"}})
    [finished] = await events(run, "command.finished")
    assert (finished["exit"], finished["stdout"], finished["by"]) == (0, "3 passed", "ada")


async def test_a_permission_that_came_too_late_asks_again(worker: Worker, settings: Any) -> None:
    run, question = await begun(worker, A_COMMAND)
    settings.SIGNALBOX_COMMANDS = False
    await say(question)
    await until_idle(worker)
    again = await Approval.objects.aget(run=run)
    assert (again.status, again.can_allow, await status(run)) == ("open", False, "waiting")
    assert await events(run, "command.finished") == []


async def test_a_denied_command_was_not_executed(worker: Worker) -> None:
    run, question = await begun(worker, A_COMMAND)
    await say(question, approve=False, reason="Too dear.")
    [finished] = await events(run, "command.finished")
    assert (finished["exit"], finished["stderr"], finished["by"]) == (126, "Too dear.", "ada")
    await question.arefresh_from_db()
    assert (question.status, question.reason) == ("denied", "Too dear.")


async def test_a_bound_call_has_a_reason_and_can_be_made_once(
    worker: Worker,
) -> None:
    run, question = await begun(worker, A_TOOL, kind="command", settings=WRITES)
    assert question.blocked_reason.startswith("look is bound (Command) and was not called")
    assert question.can_allow
    await say(question)
    await until_idle(worker)
    [returned] = await events(run, "tool.returned")
    assert (returned["result"], returned["error"], "by" in returned) == ("written\n", "", False)


async def test_a_binding_can_ask_before_each_call(worker: Worker) -> None:
    bound = {"result": "a view", "ask": True}
    run, question = await begun(worker, A_TOOL, kind="canned", settings=bound)
    assert "asks before each call" in question.blocked_reason
    assert (await events(run, "tool.called"), await events(run, "tool.returned")) == ([], [])
    await say(question)
    await until_idle(worker)
    assert (await events(run, "tool.returned"))[0]["result"] == "a view"
    [called] = await events(run, "tool.called")
    assert (called["name"], called["key"], "effect" in called) == ("look", question.key, False)
    assert (await Run.objects.aget(pk=run.pk)).tool_calls == 1


@pytest.mark.parametrize(
    "said", [{"approve": False, "reason": "No."}, {"edited": {"given": "It rains."}}]
)
async def test_calls_that_a_person_denies_or_answers_are_not_recorded_as_made(
    worker: Worker, said: dict[str, Any]
) -> None:
    run, question = await begun(worker, A_TOOL, kind="canned", settings={"ask": True})
    await say(question, **said)
    await until_idle(worker)
    assert len(await events(run, "tool.asked")) == len(await events(run, "tool.returned")) == 1
    assert await events(run, "tool.called") == []
    assert (await Run.objects.aget(pk=run.pk)).tool_calls == 0


TWICE = {
    "start": {"tool": "again"},
    "again": {"tool": "last"},
    "last": {"tool": "done"},
    "done": {"end": "completed"},
}


async def test_a_tool_is_allowed_for_the_rest_of_the_run_until_that_is_revoked(
    worker: Worker,
) -> None:
    bound = {"result": "a view", "ask": True}
    run, question = await begun(worker, TWICE, kind="canned", settings=bound)
    await say(question, rest=True)
    await until_idle(worker)
    assert (await status(run), await Approval.objects.filter(run=run).acount()) == ("completed", 1)
    assert await events(run, "tool.allowed") == [{"name": "look", "by": "ada"}]
    assert len(await events(run, "tool.called")) == 3
    with pytest.raises(SignalRefused):
        await sync_to_async(runs.revoke_tool)(run.pk, "look", by="ada")
    log = [event_of(event) async for event in run.events.order_by("n")]
    assert verify(await sync_to_async(lambda: tiny_program(run))(), log).holds

    other, question = await begun(worker, TWICE, kind="canned", settings=bound)
    await worker.stop()
    await say(question, rest=True)
    await sync_to_async(runs.revoke_tool)(other.pk, "look", by="ada")
    again = Worker()
    await again.start()
    await until_idle(again)
    await again.stop()
    assert await events(other, "tool.revoked") == [{"name": "look", "by": "ada"}]
    assert len(await events(other, "tool.called")) == 1
    assert (await Approval.objects.aget(run=other, status="open")).state == "again"


async def test_only_calls_that_run_here_are_allowed_for_the_rest_of_a_run(worker: Worker) -> None:
    for table in (A_TOOL, A_COMMAND):
        run, question = await begun(worker, table)
        with pytest.raises(BadRequest):
            await say(question, rest=True)
        assert (await status(run), await events(run, "tool.allowed")) == ("waiting", [])


async def test_the_right_to_run_commands_counts_for_each_call(worker: Worker) -> None:
    """The person who allowed the tool loses the right: the next call waits again."""
    run, question = await begun(worker, TWICE, kind="command", settings=WRITES)
    await worker.stop()
    await say(question, rest=True)
    await User.objects.acreate(username="bob")
    again = Worker()
    await again.start()
    await until_idle(again)
    await again.stop()
    assert (await status(run), await events(run, "tool.called")) == ("waiting", [])


async def test_a_call_without_a_binding_needs_its_result(worker: Worker) -> None:
    run, question = await begun(worker, A_TOOL)
    assert (question.blocked_reason, question.can_allow) == (
        "look is not bound to anything. Bind it under Tools.",
        False,
    )
    with pytest.raises(BadRequest, match="Approving does not perform this call"):
        await say(question)
    await say(question, edited={"given": "It rains."})
    [returned] = await events(run, "tool.returned")
    assert (returned["result"], returned["by"]) == ("It rains.", "ada")


async def test_a_permission_survives_a_restart_and_the_log_verifies(worker: Worker) -> None:
    run, question = await begun(worker, A_COMMAND)
    await worker.stop()
    await say(question)
    assert await Job.objects.filter(run=run).aexists()
    assert await status(run) == "running"
    other = Worker()
    await other.start()
    await until_idle(other)
    await other.stop()
    assert await status(run) == "completed"
    log = [event_of(event) async for event in run.events.order_by("n")]
    assert fold_all(log).status == "completed"
    program = await sync_to_async(lambda: tiny_program(run))()
    assert verify(program, log).holds


def tiny_program(run: Run) -> Any:
    from workflows.actions.run_programs import program_of

    return program_of(Run.objects.select_related("pack").get(pk=run.pk))
