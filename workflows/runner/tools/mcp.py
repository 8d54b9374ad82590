"""A tool of an MCP server: one over HTTP, or one that is started for the call where commands are
allowed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any

from workflows.runner import sandbox
from workflows.runner.planning_mode import NOT_RUN, ONLY_READS
from workflows.runner.tools.base import Context, NeedsPerson, ToolFailed
from workflows.runner.tools.http import web_problem
from workflows.security import http_client
from workflows.security.egress import PrivateAddress

if TYPE_CHECKING:
    from mcp import ClientSession

MAX_ERROR = 200


class Mcp:
    """Settings: `command` or `url`, and `tool`, its name on that server where it is another.
    Secrets are sent as headers, or are in the environment of the command."""

    name = "mcp"
    label = "MCP server"
    touches = (
        "What the server does. One that is started needs commands to be allowed; one over HTTP has "
        "a public address, or a private one that SIGNALBOX_PRIVATE_HOSTS names."
    )
    settings: Mapping[str, Any] = {
        "url": {
            "type": "string",
            "title": "URL",
            "description": "Where a server listens (streamable HTTP). Either this or a command.",
        },
        "command": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "title": "Command",
            "description": "A server that is started for the call, one word a line.",
        },
        "tool": {
            "type": "string",
            "minLength": 1,
            "description": "Its name on that server, where it is another.",
        },
    }
    required: tuple[str, ...] = ()

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        if ("command" in settings) == ("url" in settings):
            return "An MCP server has either a `command` or a `url`."
        return web_problem(settings["url"]) if "url" in settings else ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return "command" in settings

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        if "command" in context.settings and context.planning:
            raise ToolFailed(NOT_RUN)
        if "command" in context.settings and not context.commands:
            raise NeedsPerson
        tool = str(context.settings.get("tool") or context.name)
        try:
            return await _call(tool, arguments, context)
        except Exception as broke:
            raise ToolFailed(_error_message(_first_error(broke))) from None


async def _call(tool: str, arguments: Mapping[str, Any], context: Context) -> str:
    from mcp import ClientSession

    async with (
        _streams(context) as (read, write),
        ClientSession(read, write, read_timeout_seconds=context.timeout) as session,
    ):
        await session.initialize()
        if context.planning and not await _only_reads(session, tool):
            raise ToolFailed(f"The MCP server does not say that {tool} only reads. {ONLY_READS}")
        return _result_text(await session.call_tool(tool, dict(arguments)))


async def _only_reads(session: ClientSession, tool: str) -> bool:
    from mcp.types import PaginatedRequestParams

    page = await session.list_tools()
    while True:
        for one in page.tools:
            if one.name == tool:
                return bool(one.annotations and one.annotations.read_only_hint)
        if not page.next_cursor:
            return False
        params = PaginatedRequestParams(cursor=page.next_cursor)
        page = await session.list_tools(params=params)


def _result_text(result: Any) -> str:
    parts = [_part(part) for part in result.content]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    text = "\n".join(parts)
    if result.is_error:
        raise ToolFailed(text or "The MCP server says that the call failed.")
    return text


def _part(part: Any) -> str:
    if part.type == "text":
        return str(part.text)
    if part.type == "resource" and getattr(part.resource, "text", None) is not None:
        return str(part.resource.text)
    return f"[{part.type}]"


def _first_error(broke: Exception) -> Exception:
    """Whoever works in groups fails in groups."""
    return _first_error(broke.exceptions[0]) if isinstance(broke, ExceptionGroup) else broke


def _error_message(broke: Exception) -> str:
    if isinstance(broke, (ToolFailed, PrivateAddress, sandbox.CannotStartProcess)):
        return str(broke)
    said = str(broke).strip().partition("\n")[0][:MAX_ERROR]
    return f"The MCP server gave no answer: {said or type(broke).__name__}"


@asynccontextmanager
async def _streams(context: Context) -> AsyncIterator[tuple[Any, Any]]:
    command = context.settings.get("command")
    way: AbstractAsyncContextManager[tuple[Any, Any]]
    if command:
        folder = await context.workspace()
        async with (
            sandbox.open_process(command, folder=folder, extra=context.secrets) as pipes,
            _message_streams(pipes) as streams,
        ):
            yield streams
    else:
        from mcp.client.streamable_http import streamable_http_client

        async with http_client.client(
            timeout=context.timeout, allowed=context.private_hosts, headers=context.secrets
        ) as client:
            way = streamable_http_client(context.settings["url"], http_client=client)
            async with way as streams:
                yield streams


@asynccontextmanager
async def _message_streams(pipes: sandbox.Pipes) -> AsyncIterator[tuple[Any, Any]]:
    """The SDK's streams over a process of ours: one JSON message on each line."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    heard_in, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, said_out = anyio.create_memory_object_stream[SessionMessage](0)

    async def listen() -> None:
        async with heard_in:
            async for line in pipes.lines():
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    continue
                await heard_in.send(SessionMessage(message))

    async def speak() -> None:
        async for message in said_out:
            line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await pipes.write(line.encode() + b"\n")

    async with heard_in, heard, said, said_out, anyio.create_task_group() as group:
        group.start_soon(listen)
        group.start_soon(speak)
        yield heard, said
        group.cancel_scope.cancel()


TOOL = Mcp()
