"""The transport. Each request is answered alone, with the rights of its token: there are no
sessions."""

from __future__ import annotations

import json
from asyncio import Semaphore
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.db import close_old_connections
from django.http.request import split_domain_port, validate_host
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from rest_framework.exceptions import NotAuthenticated

from roles.turns import work_for
from workflows.actions.agent_tools import StoredPacks
from workflows.actions.audit import Entry, record
from workflows.actions.tokens import record_use
from workflows.agent_tools.calls import answered
from workflows.agent_tools.mcp_server import Context, mcp_server
from workflows.agent_tools.packs import Answer, Arguments, Report
from workflows.api.authentication import BearerToken, require_scope
from workflows.api.errors import described
from workflows.models import Token
from workflows.rights.levels import KINDS
from workflows.runner.database_threads import in_thread

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
THREADS = 20
"""Calls of all users at the same time. Most of them wait for a process that works on packs."""
MOST = 4
"""Requests of one user that are answered at the same time; more wait."""
TOKEN = "signalbox.token"
"""The key of the client's token in the scope."""

_turns: WeakValueDictionary[int, Semaphore] = WeakValueDictionary()


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """Answer one request. A client that disconnects ends the work of its request."""
    try:
        token = await in_thread(_token_of, dict(scope["headers"]))
    except Exception as refused:
        await _refuse(send, *described(refused))
        return
    turn = _turns.setdefault(token.user_id, Semaphore(MOST))
    async with turn:
        manager = StreamableHTTPSessionManager(SERVER, stateless=True)
        async with manager.run():
            await manager.handle_request({**scope, TOKEN: token}, receive, send)


async def _refuse(send: Send, status: int, body: dict[str, Any]) -> None:
    headers = [(b"content-type", b"application/json")]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})


def _token_of(raw: dict[bytes, bytes]) -> Token:
    """The client's token. Raises NotAuthenticated, AuthenticationFailed, PermissionDenied (the
    token lacks the scope `read`) and SuspiciousOperation (a page of another site)."""
    headers = {name.decode("latin-1"): text.decode("latin-1") for name, text in raw.items()}
    origin = urlsplit(headers.get("origin", "")).netloc
    for host in (headers.get("host", ""), *([origin] if "origin" in headers else ())):
        if not validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS):
            raise SuspiciousOperation
    kind, _, key = headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer":
        raise NotAuthenticated
    _, token = BearerToken().authenticate_credentials(key.strip().encode())
    require_scope(token, "read")
    record_use(token)
    found: Token = token
    return found


def _call(context: Context, name: str, given: Arguments, report: Report) -> tuple[Answer, bool]:
    request: Any = context.request
    token: Token = request.scope[TOKEN]
    packs = StoredPacks(user=token.user, writes="edit" in token.scopes)
    close_old_connections()
    try:
        with work_for(token.user_id):
            answer, is_error = answered(packs, name, given, report)
            if name == "apply":
                _record(token, str(given.get("pack", "")), is_error, request.client)
            return answer, is_error
    finally:
        close_old_connections()  # Returns a pooled connection.


def _record(token: Token, address: str, refused: bool, client: Any) -> None:
    pack = KINDS["pack"].find(address)
    record(
        Entry(
            user=token.user_id,
            user_name=token.user.get_username(),
            by=f"token {token.name}",
            operation="mcp_apply",
            method="POST",
            path="/mcp",
            kind="pack",
            object_id=address,
            object_name=pack.name if pack else "",
            refused=refused,
            status=422 if refused else 200,
            address=client.host if client else "",
        )
    )


SERVER = mcp_server(_call, THREADS)
