"""Connections of clients, so that no stranger takes all of them or all open files."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from workflows.runner.file_limits import open_files
from workflows.security.client_networks import network_of

MOST = 4_096
"""Connections of one server, and at most half of its open files; of one address, a quarter."""

_numbers = count()


class LimitedConnection(HttpToolsProtocol):
    """A connection that waits without a request, or in the middle of its head, is closed when a
    newer one needs its place: the oldest of the same address first. Without such a one, the newer
    connection is closed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.number = next(_numbers)
        most = min(MOST, open_files() // 2)
        if len(self.connections) > most // 4:
            network = _network(self)
            near = [one for one in self.connections if _network(one) == network]
            # A proxy has the connections of all users.
            if len(near) > most // 4 and not self.config.proxy_headers:
                _make_room(near, self)
            elif len(self.connections) > most:
                _make_room(list(self.connections), self)


def _make_room(connections: list[Any], newest: LimitedConnection) -> None:
    idle = [
        one
        for one in connections
        if isinstance(one, LimitedConnection)
        and one is not newest
        and not one.transport.is_closing()
        and (one.cycle is None or one.cycle.response_complete)
    ]
    min(idle, key=lambda one: one.number, default=newest).transport.abort()


def _network(connection: Any) -> str:
    return network_of(connection.client[0] if connection.client else "")
