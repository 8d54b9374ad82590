"""The HTTP server itself, on a thread and a loop of its own, one connection per request."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from jsonschema import Draft202012Validator

from tests.support.model_server import (
    anthropic,
    anthropic_rules,
    google,
    google_rules,
    openai,
    openai_rules,
)
from tests.support.model_server.answers import (
    Answer,
    CutOffReply,
    ErrorReply,
    HeldReply,
    NoReply,
    RawReply,
    TextReply,
)

LONGEST_HELD = 30.0
REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
}


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """One request. Header names are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream")) or self.path.endswith(google.PATH)

    @property
    def model(self) -> str:
        """The model's name, from the body or, for Google, from the path."""
        return str(self.body.get("model") or self.path.rpartition("/")[2].partition(":")[0])

    def problem_of(self, says: TextReply) -> str:
        """The reason for which a model that keeps the schemas of this request cannot give this
        answer; "" for none."""
        tools = {
            declared["name"]: declared
            for tool in self.body.get("tools") or ()
            for declared in tool.get("functionDeclarations") or [tool.get("function", tool)]
        }
        config = self.body.get("output_config") or {}
        form = (self.body.get("response_format") or {}).get("json_schema") or config.get("format")
        google = (self.body.get("generationConfig") or {}).get("responseJsonSchema")
        given = [(_parameters(tools.get(name)), value) for name, value in says.tool_calls]
        if says.structured is not None:
            schema = form["schema"] if form else google
            last = list(tools.values())[-1] if tools else None
            given.append((_parameters(last) if schema is None else schema, says.structured))
        errors = (
            error
            for schema, value in given
            for error in Draft202012Validator(schema).iter_errors(value)
        )
        return next((f"{error.json_path}: {error.message}" for error in errors), "")


def _parameters(tool: Mapping[str, Any] | None) -> Any:
    """The schema of a tool's arguments; nothing is possible for a tool that is not offered."""
    names = ("parameters", "input_schema", "parametersJsonSchema")
    return False if tool is None else next((tool[name] for name in names if name in tool), {})


Script = Answer | Callable[[ModelRequest], Answer]


class ModelServer:
    """A server that sends the replies of `will` in order, and `otherwise` after the last one. With
    `keeps_schemas`, it gives no answer that a schema of the request does not allow."""

    def __init__(
        self, *answers: Script, otherwise: Script | None = None, keeps_schemas: bool = False
    ) -> None:
        self.asked: list[ModelRequest] = []
        self.refused: list[str] = []
        """Reasons of refused requests. A refused request takes no scripted reply."""
        self.hung_up: queue.Queue[ModelRequest] = queue.Queue()
        """Requests whose caller disconnected before the end of the answer."""
        self.arrived: queue.Queue[ModelRequest] = queue.Queue()
        self._answers: list[Script] = list(answers)
        self.otherwise = otherwise or ErrorReply(status=418, message="The test has no more to say.")
        self.keeps_schemas = keeps_schemas
        self._ready = threading.Event()

    def will(self, *answers: Script) -> None:
        self._answers += answers

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, kind: str) -> str:
        """The base URL as a connection of this kind has it."""
        return f"{self.host}/v1" if kind in ("openai", "compatible") else self.host

    def __enter__(self) -> ModelServer:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(120)
        return self

    def __exit__(self, *raised: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(120)

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=4096)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._exchange(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            self._open.discard(task)
            with suppress(ConnectionError):
                writer.close()
                await writer.wait_closed()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await _request(reader)
        self.asked.append(request)
        self.arrived.put(request)
        refusal = await asyncio.to_thread(refused, request)
        if refusal is not None:
            self.refused.append(refusal.message)
            await self._answer(refusal, request, reader, writer)
            return
        script = self._answers.pop(0) if self._answers else self.otherwise
        answer = await asyncio.to_thread(script, request) if callable(script) else script
        if self.keeps_schemas and isinstance(answer, TextReply):
            problem = request.problem_of(answer)
            if problem:
                self.refused.append(problem)
                answer = ErrorReply(status=400, message=problem)
        await self._answer(answer, request, reader, writer)

    async def _answer(
        self,
        answer: Answer,
        request: ModelRequest,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        protocol = _protocol(request)
        match answer:
            case TextReply():
                body = b"".join(_body(protocol, answer, request))
                await _send(writer, 200, body, _type(request))
            case ErrorReply():
                more = {"Retry-After": answer.retry_after} if answer.retry_after else {}
                body = json.dumps(protocol.failure(answer)).encode()
                await _send(writer, answer.status, body, "application/json", more)
            case RawReply(body=body, type=type):
                await _send(writer, 200, body, type)
            case CutOffReply(says=says, pieces=count, politely=politely):
                await _begin(writer, request, _body(protocol, says, request)[:count])
                if politely:
                    writer.write(b"0\r\n\r\n")
                    await writer.drain()
                else:
                    writer.transport.abort()
            case HeldReply(says=says, pieces=count, until=until):
                body = _body(protocol, says, request)
                await _begin(writer, request, body[:count])
                await asyncio.to_thread(until.wait, LONGEST_HELD)
                _chunks(writer, [*body[count:], b""])
                await writer.drain()
            case NoReply(says=says, pieces=count):
                body = _body(protocol, says, request)[:count] if count else []
                with suppress(ConnectionError):  # The caller may be gone before the beginning is.
                    await _begin(writer, request, body)
                    await reader.read()
                self.hung_up.put(request)


def refused(request: ModelRequest) -> ErrorReply | None:
    """The refusal of a request that breaks a rule of its provider."""
    rules = {anthropic: anthropic_rules, google: google_rules, openai: openai_rules}
    reason = next(rules[_protocol(request)].problems(request.body), "") if request.body else ""
    if not reason:
        return None
    return ErrorReply(status=400, message=reason, kind="invalid_request_error")


def _protocol(request: ModelRequest) -> ModuleType:
    if request.path.endswith(anthropic.PATH):
        return anthropic
    return google if "enerateContent" in request.path else openai


def _type(request: ModelRequest) -> str:
    return "text/event-stream" if request.streams else "application/json"


def _body(protocol: ModuleType, says: TextReply, request: ModelRequest) -> list[bytes]:
    if request.streams:
        parts: list[bytes] = protocol.pieces(says, request.body)
        return parts
    body = json.dumps(protocol.whole(says, request.body)).encode()
    return [body[:20], body[20:]]


async def _request(reader: asyncio.StreamReader) -> ModelRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    path = head[0].split(" ")[1]
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return ModelRequest(
        path=path.partition("?")[0], headers=headers, body=json.loads(body or b"{}")
    )


async def _send(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    type: str,
    more: Mapping[str, str] | None = None,
) -> None:
    headers = {"Content-Type": type, "Content-Length": str(len(body)), "Connection": "close"}
    _head(writer, status, {**headers, **(more or {})})
    writer.write(body)
    await writer.drain()


async def _begin(writer: asyncio.StreamWriter, request: ModelRequest, pieces: list[bytes]) -> None:
    """A head and some of the body, in chunks: the rest is the caller's to await."""
    headers = {
        "Content-Type": _type(request),
        "Transfer-Encoding": "chunked",
        "Connection": "close",
    }
    _head(writer, 200, headers)
    _chunks(writer, pieces)
    await writer.drain()


def _chunks(writer: asyncio.StreamWriter, pieces: list[bytes]) -> None:
    """An empty one is the last."""
    for piece in pieces:
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))


def _head(writer: asyncio.StreamWriter, status: int, headers: Mapping[str, str]) -> None:
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Error')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
