"""Runs in PLANNING: no commands, and writes below docs/ only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from roles.models import Role
from tests.support.people import operator
from tests.support.tiny_dialect import tiny_pack
from workflows.actions import packs, runs
from workflows.actions.forks import fork
from workflows.core.engine.effects import CallTool
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Fire
from workflows.core.prompts.modes import IMPLEMENTATION, PLANNING, PREAMBLES
from workflows.errors import BadRequest, SignalRefused
from workflows.models import Run, RunEvent, State
from workflows.runner import tool_calls
from workflows.runner.planning_mode import NOT_RUN, writable_folders
from workflows.runner.worker import Worker

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder", "commands"),
]

COMMAND = {
    "start": {"command": ["good", "bad"]},
    "good": {"end": "completed"},
    "bad": {"end": "failed"},
}
TOOL = {"start": {"tool": "done"}, "done": {"end": "completed"}}
"""Its tool is called `look`."""


@pytest.fixture
def play(worker: Worker) -> Callable[..., Any]:
    """Run the table until only a person can continue it."""

    async def played(table: dict[str, Any], *, driver: str = "manual", **options: Any) -> Run:
        def begun() -> Run:
            return runs.start(tiny_pack(table), driver=driver, options=options, owner=operator())

        run = await sync_to_async(begun)()
        async with asyncio.timeout(120):
            await worker.run_until_idle()
        await run.arefresh_from_db()
        return run

    return played


async def told(run: Run, type: str) -> dict[str, Any]:
    event = await RunEvent.objects.filter(run=run, type=type).afirst()
    return event.fields if event else {}


@pytest.mark.parametrize(
    ("driver", "script"),
    [("manual", None), ("rehearsal", None), ("script", {"commands": [{"exit": 0}]})],
    ids=["manual", "rehearsal", "script"],
)
async def test_a_command_of_the_pack_is_refused(play: Any, driver: str, script: Any) -> None:
    more = {"script": script} if script else {}
    run = await play(COMMAND, driver=driver, mode=PLANNING, commands=True, **more)
    ended = await told(run, "command.finished")
    assert (run.status, ended["exit"], ended["stderr"]) == ("failed", 126, NOT_RUN)


async def test_a_command_is_executed_in_implementation(play: Any) -> None:
    run = await play(COMMAND, mode=IMPLEMENTATION, commands=True)
    assert (run.status, (await told(run, "command.finished"))["exit"]) == ("completed", 0)


@pytest.mark.parametrize("kind", ["command", "mcp"])
async def test_a_command_tool_is_refused_in_planning(play: Any, tmp_path: Path, kind: str) -> None:
    touch = {"kind": kind, "settings": {"command": ["touch", str(tmp_path / "touched")]}}
    run = await play(TOOL, mode=PLANNING, commands=True, tools={"look": touch})
    assert (await told(run, "tool.returned"))["error"] == NOT_RUN
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize(
    ("operation", "path", "error"),
    [
        ("write", "plan.md", "“plan.md” leads out of docs/. Write inside docs/ only."),
        ("write", "docs/../machine.json", "“docs/../machine.json” leads out of docs/"),
        ("edit", "machine.json", "“machine.json” leads out of docs/"),
        ("delete", "machine.json", "“machine.json” leads out of docs/"),
        ("write", "docs/up/machine.json", "“docs/up/machine.json” leads out of docs/"),
        ("write", "docs/plan.md", ""),
        ("read", "machine.json", ""),
    ],
)
async def test_planning_writes_below_docs_only(
    tmp_path: Path, operation: str, path: str, error: str
) -> None:
    files = {"look": {"kind": "files", "settings": {"operation": operation}}}
    run = await sync_to_async(
        lambda: runs.start(
            tiny_pack(TOOL), driver="manual", options={"mode": PLANNING, "tools": files}
        )
    )()
    folder = tmp_path / "workspaces" / str(run.pk)
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/up").symlink_to(folder)
    (folder / "machine.json").write_text("as it was")
    arguments = {"path": path, "content": "new", "old_string": "as", "new_string": "so"}
    effect = CallTool(key="0:1", position="0", state="start", name="look", arguments=arguments)
    done = await tool_calls.call(run, RunState(), effect)
    assert done is not None
    assert done.error.startswith(error)
    assert bool(done.error) == bool(error)
    assert (folder / "machine.json").read_text() == "as it was"
    assert (folder / "docs/plan.md").exists() == (path == "docs/plan.md")


async def test_the_mode_does_not_widen_an_effects_folder() -> None:
    assert writable_folders({"mode": PLANNING}, "src") == ("src", "docs")
    assert writable_folders({"mode": PLANNING}, "docs") == ("docs",)
    assert writable_folders({"mode": IMPLEMENTATION}, "") == ()


def started(**options: Any) -> Run:
    config = {
        "system_prompt": "You keep things.",
        "templates": {"ticket_task": "t", "chat_task": "c", "gate_eval": "g"},
        "output_templates": {"agent_done": "DONE", "gate_pass": "PASS", "gate_fail": "FAIL"},
    }
    role = Role.objects.create(name="Keeper", prompt_config=config)
    pack = tiny_pack({"start": {"model": {"on": "done"}}, "done": {"end": "completed"}})
    bound = {"role": role.pk, "name": "Keeper", "color": "", "override": "", "mode": None}
    State.objects.create(pack=pack, key="start", kind="state", bound=bound)
    return runs.start(pack, driver="manual", options=options)


def logged(run: Run, type: str) -> dict[str, Any]:
    event = RunEvent.objects.filter(run=run, type=type).order_by("-n").first()
    return event.fields if event else {}


@pytest.mark.parametrize("mode", [PLANNING, IMPLEMENTATION])
def test_the_prompt_of_a_bound_state_contains_the_mode(mode: str) -> None:
    run = started(mode=mode)
    block = logged(run, "prompt.logged")["blocks"]["mode"]
    assert block == PREAMBLES[mode]
    first, *rules = block.splitlines()
    assert (first, len(rules)) == (f"Mode: {mode}.", 3)
    assert logged(run, "run.started")["mode"] == mode


def test_a_prompt_without_a_mode_does_not_mention_one() -> None:
    run = started()
    assert logged(run, "prompt.logged")["blocks"]["mode"] == ""
    assert "mode" not in logged(run, "run.started")


def test_a_fork_stays_in_the_mode() -> None:
    run = started(mode=PLANNING)
    assert fork(run.pk, at=4, driver="manual").row.options["mode"] == PLANNING


def test_an_unknown_mode_is_rejected() -> None:
    with pytest.raises(BadRequest, match="Unknown mode 'planning'"):
        started(mode="planning")


def test_a_team_inherits_the_mode_and_cannot_leave_planning() -> None:
    node = {"id": "lead", "role": "implementer", "instructions": "Begin."}
    graph = {"agent_graph": 1, "name": "team", "nodes": [node]}
    files = {"team.agents.json": json.dumps(graph).encode()}
    (pack,) = packs.import_files(files, owner=None).packs
    run = runs.start(pack, driver="manual", options={"mode": PLANNING})
    assert logged(run, "prompt.logged")["blocks"]["mode"] == PREAMBLES[PLANNING]
    with pytest.raises(SignalRefused):
        runs.signal(run.pk, Fire(at=1.0, event=IMPLEMENTATION))
    free = runs.start(pack, driver="manual", options={})
    assert runs.signal(free.pk, Fire(at=1.0, event=PLANNING))
