"""Runs with roles bound to states: prompts, memory and forks."""

from __future__ import annotations

import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from roles.models import Memory, Role
from tests.runner.test_role_gates import events, pending
from tests.support.role_configs import whole_text
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import forks, runs
from workflows.core.engine.effects import CallTool
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.signals import Reply, ToolCall, ToolDone
from workflows.core.prompts.blocks import text_hash
from workflows.models import Run, RunEvent, State
from workflows.runner import tool_calls

pytestmark = pytest.mark.django_db(transaction=True)

TABLE = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}
CONFIG: dict[str, Any] = {
    "system_prompt": "You are {{ role_local.name }} of {{ project.name }}.",
    "developer_prompt": "Mind {{ topic }}.",
    "templates": {"ticket_task": "t", "chat_task": "c", "gate_eval": "g"},
    "output_templates": {"agent_done": "DONE: what", "gate_pass": "PASS", "gate_fail": "FAIL"},
    "memory_profile": {"project_focus": ["names"]},
}


def begun(config: dict[str, Any] = CONFIG, **options: Any) -> Run:
    role = Role.objects.create(name="Keeper", prompt_config=config)
    pack = tiny_pack(TABLE)
    bound = {"role": role.pk, "name": "Keeper", "color": "", "override": "Be kind.", "mode": None}
    State.objects.create(pack=pack, key="start", kind="state", bound=bound)
    return runs.start(pack, driver="manual", options=options)


def reply(run: Run, *calls: ToolCall, **said: Any) -> None:
    answer = Reply(at=time.time(), key=pending(run)["key"], tool_calls=calls, **said)
    runs.deliver(run.pk, answer)


def test_the_prompt_is_logged_in_five_blocks_before_the_call() -> None:
    run = begun(inputs={"topic": "the gap"})
    types = list(RunEvent.objects.filter(run=run).order_by("n").values_list("type", flat=True))
    assert types == ["run.started", "state.entered", "prompt.logged", "model.asked"]
    (prompt,) = events(run, "prompt.logged")
    blocks = prompt["blocks"]
    assert list(blocks) == ["system", "role", "mode", "task", "override"]
    assert blocks["role"].startswith("You are Keeper of Tiny.\n\nMind the gap.\n\n<memory-profile>")
    assert blocks["override"] == "Be kind."
    assert (prompt["kind"], prompt["turn"]) == ("full", 1)
    assert prompt["hash"] == text_hash(prompt["text"])
    asked = pending(run)
    assert len(asked["messages"]) == 1
    assert whole_text(asked) == prompt["text"]
    assert blocks["task"].startswith("t\n\n## Your step\n\n")
    assert "\n\nYou are in start.\n\n## Output format\n\n" in blocks["task"]
    assert blocks["task"].endswith("\n\nDONE: what")
    assert (prompt["template"], "fallback" in prompt) == ("ticket_task", False)
    assert events(run, "run.started")[0]["roles"] == {"start": "Keeper"}


def test_the_same_prompt_again_has_the_same_hash_and_the_next_turn() -> None:
    run = begun(inputs={"topic": "names"})
    reply(run, structured={"go": "stay"})
    first, second = events(run, "prompt.logged")
    assert (first["hash"], first["turn"], second["turn"]) == (second["hash"], 1, 2)


def test_a_changed_role_does_not_affect_a_started_run() -> None:
    run = begun(inputs={"topic": "names"})
    Role.objects.update(prompt_config={**CONFIG, "system_prompt": "You are somebody else."})
    reply(run, structured={"go": "stay"})
    first, second = events(run, "prompt.logged")
    assert first["hash"] == second["hash"]


async def remembered(run: Run) -> ToolDone:
    log = await sync_to_async(runs.work_of)(run.pk)
    (effect,) = pending_effects(log.run)
    assert isinstance(effect, CallTool)
    done = await tool_calls.call(log.row, log.run, effect)
    assert done is not None
    await sync_to_async(runs.deliver)(run.pk, done)
    return done


async def test_memory_is_called_between_two_turns_of_a_request() -> None:
    run = await sync_to_async(begun)()
    store = ToolCall(
        id="1", name="memory_store", arguments={"fact": "Ada signs.", "category": "people"}
    )
    recall = ToolCall(id="2", name="memory_recall", arguments={"query": "signs"})
    await sync_to_async(reply)(run, store, recall, text="Let me see.")
    assert (await remembered(run)).error == ""
    assert "Ada signs." in (await remembered(run)).result
    again = await sync_to_async(pending)(run)
    assert [turn["role"] for turn in again["messages"]] == ["user", "assistant", "tool", "tool"]
    assert "Ada signs." in again["messages"][3]["text"]
    logged = await sync_to_async(events)(run, "prompt.logged")
    assert len(logged) == 1, "the question goes on, and is no other prompt"
    await sync_to_async(reply)(run, structured={"go": "on"})
    await sync_to_async(run.refresh_from_db)()
    assert run.status == "completed"
    kept = await sync_to_async(Memory.objects.get)()
    assert kept.namespace == f"proj:Tiny #{run.pack_id}:agent:{kept.role_id}"


async def test_an_invalid_fact_is_reported_to_the_model() -> None:
    run = await sync_to_async(begun)()
    await sync_to_async(reply)(run, ToolCall(id="1", name="memory_store", arguments={"fact": ""}))
    assert (await remembered(run)).error
    again = await sync_to_async(pending)(run)
    assert again["effect"] == "AskModel"


def test_a_role_that_cannot_be_rendered_fails_the_run() -> None:
    run = begun({**CONFIG, "system_prompt": "{% for i in range(10) %}"})
    run.refresh_from_db()
    assert run.status == "failed"
    assert "'Keeper' in 'start' cannot be used" in run.reason
    assert "/system_prompt" in run.reason


def test_a_caller_cannot_supply_roles() -> None:
    pack = tiny_pack(TABLE)
    run = runs.start(pack, driver="manual", options={"roles": {"start": {}}})
    assert "roles" not in run.options


def test_a_fork_keeps_the_roles() -> None:
    run = begun(inputs={"topic": "names"})
    fork = forks.fork(run.pk, at=4, driver="manual", owner=None)
    assert fork.row.options["roles"] == run.options["roles"]
    reply(fork.row, structured={"go": "stay"})
    assert events(fork.row, "prompt.logged")[-1]["hash"] == events(run, "prompt.logged")[0]["hash"]
