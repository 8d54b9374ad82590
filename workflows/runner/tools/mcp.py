"""The tool kind that calls an MCP server: over HTTP, or as a process that is started for the call
if commands are allowed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflows.installation import missing_library
from workflows.runner import sandbox
from workflows.runner.planning_mode import NOT_RUN, ONLY_READS
from workflows.runner.tools.base import Context, NeedsPerson, ToolFailed
from workflows.runner.tools.http import web_problem
from workflows.security import http_client
from workflows.security.egress import PrivateAddress

if TYPE_CHECKING:
    from mcp import ClientSession

MAX_ERROR = 200
MAX_PAGES = 100


class Mcp:
    """Settings: `connected`, the full name of a tool of a server under Settings; else `command` or
    `url`, and `tool`, its name on that server if it differs. Secrets are sent as headers, or set in
    the environment of the command."""

    name = "mcp"
    label = "MCP server"
    touches = (
        "Everything that the server can access. A started server requires commands to be allowed; "
        "a server over HTTP needs a public address, or one listed in SIGNALBOX_PRIVATE_HOSTS."
    )
    settings: Mapping[str, Any] = {
        "connected": {
            "type": "string",
            "minLength": 1,
            "title": "Tool of a connected server",
            "description": "Its full name, mcp__server__tool. Without it, a URL or a command.",
        },
        "url": {
            "type": "string",
            "title": "URL",
            "description": "Address of the server (streamable HTTP). Either this or a command.",
        },
        "command": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "title": "Command",
            "description": "A server that is started for the call, one argument per line.",
        },
        "tool": {
            "type": "string",
            "minLength": 1,
            "description": "The tool's name on that server, if it differs.",
        },
    }
    required: tuple[str, ...] = ()

    def problem(self, settings: Mapping[str, Any], secrets: bool) -> str:
        if sum(name in settings for name in ("connected", "command", "url")) != 1:
            return "An MCP server needs one of `connected`, `command` and `url`."
        if "connected" in settings and secrets:
            return "A connected server has its own secrets, under Settings."
        return web_problem(settings["url"]) if "url" in settings else ""

    def starts_process(self, settings: Mapping[str, Any]) -> bool:
        return "command" in settings

    async def check_rights(self, arguments: Mapping[str, Any], context: Context) -> None:
        if "command" in context.settings and context.planning:
            raise ToolFailed(NOT_RUN)

    async def call(self, arguments: Mapping[str, Any], context: Context) -> str:
        await self.check_rights(arguments, context)
        if not context.settings.keys() & {"command", "url"}:
            name = context.settings.get("connected")
            raise ToolFailed(f"No connected MCP server has the tool {name}. Connect it again.")
        if "command" in context.settings and not context.commands:
            raise NeedsPerson
        tool = str(context.settings.get("tool") or context.name)
        try:
            return await _call(tool, arguments, context)
        except Exception as error:
            raise ToolFailed(_error_message(_first_error(error))) from None


async def _call(tool: str, arguments: Mapping[str, Any], context: Context) -> str:
    from mcp import ClientSession

    async with (
        _streams(context) as (read, write),
        ClientSession(read, write, read_timeout_seconds=context.timeout) as session,
    ):
        await session.initialize()
        if context.planning and not await _only_reads(session, tool):
            raise ToolFailed(f"The MCP server does not declare {tool} as read-only. {ONLY_READS}")
        return _result_text(await session.call_tool(tool, dict(arguments)))


async def listed_tools(context: Context) -> list[dict[str, Any]]:
    """Every tool of the server: `{"tool", "description", "parameters", "read_only"}`. Raises
    ToolFailed."""
    try:
        from mcp import ClientSession

        async with (
            _streams(context) as (read, write),
            ClientSession(read, write, read_timeout_seconds=context.timeout) as session,
        ):
            await session.initialize()
            return [_described(tool) async for tool in _pages(session)]
    except Exception as error:
        raise ToolFailed(_error_message(_first_error(error))) from None


def _described(tool: Any) -> dict[str, Any]:
    parameters = tool.input_schema
    return {
        "tool": tool.name,
        "description": tool.description or tool.title or "",
        "parameters": parameters if isinstance(parameters, dict) else {"type": "object"},
        "read_only": bool(tool.annotations and tool.annotations.read_only_hint),
    }


async def _only_reads(session: ClientSession, tool: str) -> bool:
    async for one in _pages(session):
        if one.name == tool:
            return bool(one.annotations and one.annotations.read_only_hint)
    return False


async def _pages(session: ClientSession) -> AsyncIterator[Any]:
    """The tools of all pages. A server that repeats a cursor gets a limited number of requests."""
    from mcp.types import PaginatedRequestParams

    page = await session.list_tools()
    for _ in range(MAX_PAGES):
        for tool in page.tools:
            yield tool
        if not page.next_cursor:
            return
        params = PaginatedRequestParams(cursor=page.next_cursor)
        page = await session.list_tools(params=params)


def _result_text(result: Any) -> str:
    parts = [_part(part) for part in result.content]
    if not parts and result.structured_content is not None:
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    text = "\n".join(parts)
    if result.is_error:
        raise ToolFailed(text or "The MCP server reported a failed call.")
    return text


def _part(part: Any) -> str:
    if part.type == "text":
        return str(part.text)
    if part.type == "resource" and getattr(part.resource, "text", None) is not None:
        return str(part.resource.text)
    return f"[{part.type}]"


def _first_error(error: Exception) -> Exception:
    """The first error of nested groups."""
    return _first_error(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


def _error_message(error: Exception) -> str:
    if isinstance(error, (ToolFailed, PrivateAddress, sandbox.CannotStartProcess)):
        return str(error)
    if missing := missing_library(error):
        return f"MCP servers need a library: {missing}"
    message = str(error).strip().partition("\n")[0][:MAX_ERROR]
    return f"The MCP server did not answer: {message or type(error).__name__}"


@asynccontextmanager
async def _streams(context: Context) -> AsyncIterator[tuple[Any, Any]]:
    command = context.settings.get("command")
    transport: AbstractAsyncContextManager[tuple[Any, Any]]
    if command:
        folder = await context.workspace()
        extra = {**await context.environment(), **context.secrets}
        async with (
            sandbox.open_process(
                command, folder=folder, extra=extra, files=await context.files()
            ) as pipes,
            _with_errors(pipes, command),
            _message_streams(pipes) as streams,
        ):
            yield streams
    else:
        from mcp.client.streamable_http import streamable_http_client

        async with http_client.client(
            timeout=context.timeout, allowed=context.private_hosts, headers=context.secrets
        ) as client:
            transport = streamable_http_client(context.settings["url"], http_client=client)
            async with transport as streams:
                yield streams


@asynccontextmanager
async def _with_errors(pipes: sandbox.Pipes, command: list[str]) -> AsyncIterator[None]:
    """Add the error output of a server that did not answer."""
    try:
        yield
    except Exception as error:
        first = _first_error(error)
        if isinstance(first, ToolFailed) or not (output := await pipes.errors()):
            raise
        raise ToolFailed(f"{_error_message(first)}\n{output}{_hidden(command, output)}") from None


def _hidden(command: list[str], output: str) -> str:
    """The next step if the server did not find a file of its command that the machine has."""
    paths = (Path(word) for word in command if word.startswith("/") and word in output)
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        return ""
    return (
        f"\nThe folder {path.parent} may be hidden from commands. This server's operator can list "
        "it in SIGNALBOX_COMMAND_PATHS."
    )


@asynccontextmanager
async def _message_streams(pipes: sandbox.Pipes) -> AsyncIterator[tuple[Any, Any]]:
    """The SDK's streams over one of our processes: one JSON message per line."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    received_in, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, sent_out = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive() -> None:
        async with received_in:
            async for line in pipes.lines():
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    continue
                await received_in.send(SessionMessage(message))

    async def send() -> None:
        async for message in sent_out:
            line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await pipes.write(line.encode() + b"\n")

    async with received_in, received, sent, sent_out, anyio.create_task_group() as group:
        group.start_soon(receive)
        group.start_soon(send)
        yield received, sent
        group.cancel_scope.cancel()


TOOL = Mcp()
