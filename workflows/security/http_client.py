"""HTTP to the world outside: private addresses are refused, at every request anew."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from workflows.security.egress import resolve_host

if TYPE_CHECKING:
    import httpx2


def client(
    *, timeout: float, allowed: tuple[str, ...], headers: Mapping[str, str]
) -> httpx2.AsyncClient:
    """Follows no redirect by itself, keeps no connection and reads no environment. A request
    raises PrivateAddress where its host is not `allowed` inside."""
    import httpx2

    return httpx2.AsyncClient(
        timeout=timeout,
        headers=dict(headers),
        transport=egress_transport(
            limits=httpx2.Limits(max_keepalive_connections=0), allowed=allowed
        ),
        follow_redirects=False,
        trust_env=False,
    )


def egress_transport(
    *, limits: httpx2.Limits, allowed: tuple[str, ...]
) -> httpx2.AsyncBaseTransport:
    """What looks at where each request goes. One that keeps connections is for one host only: to
    this transport an address is all there is of it."""
    import httpx2

    class Guarded(httpx2.AsyncHTTPTransport):
        """Calls the very address that was looked at: a name may mean another a moment later."""

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            asked = request.url
            try:
                address = (await asyncio.to_thread(resolve_host, asked.host, allowed))[0]
            except OSError:
                raise httpx2.ConnectError(f"There is no host {asked.host}.") from None
            request.extensions = {**request.extensions, "sni_hostname": asked.host}
            request.url = asked.copy_with(host=address)
            try:
                return await super().handle_async_request(request)
            finally:
                request.url = asked

    return Guarded(limits=limits, verify=tls_context())


@cache
def tls_context() -> ssl.SSLContext:
    """Whom to trust outside, as this machine has it. Read once: that takes longer than a call."""
    import httpx2

    return httpx2.create_ssl_context()
