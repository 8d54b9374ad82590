"""MCP servers over stdio and HTTP: connected once, their tools listed, named by packs, called in
runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from tests.dialects.stages.run.scripted_run import ENDS, markdown
from tests.runner.mcp_process import STDIO, LiveServer, serve
from tests.support.people import operator
from workflows.actions import mcp_servers, packs, runs, tool_bindings
from workflows.errors import CannotStart
from workflows.models import McpServer, Pack, Run
from workflows.runner.tools.mcp_listing import refresh
from workflows.runner.worker import Worker
from workflows.selectors import mcp_servers as read
from workflows.selectors.known_tools import findings
from workflows.selectors.packs import fields

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def live() -> Iterator[LiveServer]:
    server = serve()
    yield server
    server.ended()


@pytest.fixture(autouse=True)
def _settings(settings: Any, tmp_path: Path) -> None:
    settings.DATA = tmp_path
    settings.SIGNALBOX_COMMANDS = True
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]


@pytest.fixture(params=["stdio", "http"])
def address(request: pytest.FixtureRequest, live: LiveServer) -> dict[str, Any]:
    return {"command": STDIO} if request.param == "stdio" else {"url": live.url}


def connected(address: dict[str, Any], **secrets: str) -> McpServer:
    return refresh(mcp_servers.connect("ours", address, secrets, operator()).pk)


def stage_pack(*allowed: str) -> Pack:
    pipeline = {
        "format": "signalbox.stud-pipeline/1",
        "entryStage": "a",
        "stages": {"a": {"file": "stages/a.md", "next": ENDS}},
    }
    files = {
        "pipeline.json": json.dumps(pipeline).encode(),
        "stages/a.md": markdown("a", allowedTools=list(allowed)),
    }
    return packs.import_files(files, owner=None).packs[0]


def script(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    replies = [{"tool_calls": [{"name": name, "arguments": given}]} for name, given in calls]
    return {"replies": [*replies, {"tool_calls": [{"name": "submit", "arguments": {}}]}]}


async def played(worker: Worker, pack: Pack, said: dict[str, Any], **options: Any) -> Run:
    def begun() -> Run:
        return runs.start(
            pack, driver="script", options={"script": said, **options}, owner=operator()
        )

    run = await sync_to_async(begun)()
    async with asyncio.timeout(120):
        await worker.run_until_idle()
    await run.arefresh_from_db()
    return run


async def results(run: Run) -> list[tuple[str, str]]:
    found = run.events.filter(type="tool.returned").order_by("n")
    return [(event.fields["result"], event.fields["error"]) async for event in found]


def test_a_connected_servers_tools_are_listed_and_stored(address: dict[str, Any]) -> None:
    row = connected(address)
    assert row.problem == ""
    assert row.listed_at is not None
    tools = {tool["name"]: tool for tool in row.tools}
    add = tools["mcp__ours__add"]
    assert (add["tool"], add["description"], add["read_only"]) == ("add", "The sum.", False)
    assert add["parameters"]["required"] == ["a", "b"]
    assert tools["mcp__ours__look"]["read_only"] is True
    assert read.server_tools()["mcp__ours__add"].parameters == add["parameters"]


async def test_a_stage_calls_a_tool_of_the_server(worker: Worker, address: dict[str, Any]) -> None:
    await sync_to_async(connected)(address)
    pack = await sync_to_async(stage_pack)("mcp__ours__add")
    calls = script(("mcp__ours__add", {"a": 2}), ("mcp__ours__add", {"a": 2, "b": 3}))
    run = await played(worker, pack, calls, commands=True)
    assert run.status == "completed"
    assert await results(run) == [("5", "")]
    refused = await run.events.aget(type="tool.refused")
    assert '"b" is a required property' in refused.fields["error"]


async def test_secrets_of_the_server_reach_its_calls(worker: Worker, live: LiveServer) -> None:
    await sync_to_async(connected)({"url": live.url}, authorization="Bearer hunter22")
    pack = await sync_to_async(stage_pack)("mcp__ours__headers")
    run = await played(worker, pack, script(("mcp__ours__headers", {})))
    assert await results(run) == [("•••", "")]


async def test_a_tool_of_another_name_is_bound_to_a_connected_one(
    worker: Worker, live: LiveServer
) -> None:
    server = await sync_to_async(connected)({"url": live.url}, authorization="Bearer hunter22")
    pack = await sync_to_async(stage_pack)("whose")
    bound = {"connected": "mcp__ours__headers"}
    await sync_to_async(tool_bindings.bind)(pack, "whose", kind="mcp", settings=bound)
    assert await results(await played(worker, pack, script(("whose", {})))) == [("•••", "")]
    await server.adelete()
    [(_, error)] = await results(await played(worker, pack, script(("whose", {}))))
    assert error.startswith("No connected MCP server has the tool mcp__ours__headers.")


async def test_a_server_over_stdio_needs_a_run_that_may_run_commands(worker: Worker) -> None:
    await sync_to_async(connected)({"command": STDIO})
    pack = await sync_to_async(stage_pack)("mcp__ours__add")
    run = await played(worker, pack, script(("mcp__ours__add", {"a": 2, "b": 3})))
    [(result, _)] = await results(run)
    assert result == "Rehearsed result of mcp__ours__add."


async def test_a_run_keeps_the_tools_that_it_was_started_with(
    worker: Worker, live: LiveServer
) -> None:
    row = await sync_to_async(connected)({"url": live.url})
    pack = await sync_to_async(stage_pack)("mcp__ours")
    run = await played(worker, pack, script(("mcp__ours__look", {})))
    assert await results(run) == [("all quiet", "")]
    started = await run.events.aget(type="run.started")
    session = started.fields["tools"]["session"]
    assert set(session) == {tool["name"] for tool in row.tools}


def test_a_refresh_finds_new_tools_and_keeps_the_old_ones_if_it_fails(live: LiveServer) -> None:
    row = connected({"url": live.url})
    mcp_servers.store_tools(row.pk, [])
    assert read.server_tools() == {}
    assert "mcp__ours__add" in {tool["name"] for tool in refresh(row.pk).tools}
    mcp_servers.change(row.pk, {"url": "http://127.0.0.1:9/mcp"})
    failed = refresh(row.pk)
    assert failed.problem.startswith("The MCP server did not answer")
    assert "mcp__ours__add" in {tool["name"] for tool in failed.tools}


def test_a_missing_tool_is_an_error_at_check_and_at_start(live: LiveServer) -> None:
    pack = stage_pack("Read", "mcp__ours__add", "deploy")
    found = [item for item in findings(pack) if item["code"] == "GR115"]
    assert [item["message"] for item in found] == [
        "State 'a' allows 'deploy', but there is no such tool here.",
        "State 'a' allows 'mcp__ours__add', but there is no such tool on a connected MCP server "
        "'ours'.",
    ]
    assert [item["line"] > 1 for item in found] == [True, True]
    assert "ST220" not in {item["code"] for item in findings(pack)}
    for driver in ("rehearsal", "script", "manual"):
        with pytest.raises(CannotStart) as refused:
            runs.start(pack, driver=driver, options={"script": script()})
        assert "'mcp__ours__add', 'deploy'" in refused.value.message
        assert "Connect the MCP server 'ours' under Settings" in refused.value.hint
    connected({"url": live.url})
    tool_bindings.bind(pack, "deploy", kind="canned", settings={"result": "done"})
    assert "GR115" not in {item["code"] for item in findings(pack)}
    assert Run.objects.count() == 0
    runs.start(pack, driver="script", options={"script": script()})


def test_a_run_may_bring_the_missing_tool() -> None:
    pack = stage_pack("deploy")
    for override in ({"kind": "canned", "settings": {"result": "done"}}, None):
        runs.start(pack, driver="manual", options={"tools": {"deploy": override}})


def test_forms_complete_the_names_of_the_servers_tools(live: LiveServer) -> None:
    pack = stage_pack("Read")
    connected({"url": live.url})
    choices = fields(pack, "state:a")["schema"]["properties"]["allowedTools"]["x-choices"]
    assert {"Read", "read", "mcp__ours__add"} <= set(choices)
