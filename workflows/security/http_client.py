"""HTTP clients for external hosts. Every request is checked against the egress rules."""

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
    """A client that follows no redirects, keeps no connections and reads no environment. A request
    raises PrivateAddress if its host is private and not in `allowed`."""
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
    """A transport that checks the host of each request. With kept connections it serves one host
    only, because the pool distinguishes connections by address, not by name."""
    import httpx2

    class EgressTransport(httpx2.AsyncHTTPTransport):
        """Connects to the checked address itself: the name may resolve to another one a moment
        later."""

        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            url = request.url
            try:
                address = (await asyncio.to_thread(resolve_host, url.host, allowed))[0]
            except OSError:
                raise httpx2.ConnectError(f"There is no host {url.host}.") from None
            request.extensions = {**request.extensions, "sni_hostname": url.host}
            request.url = url.copy_with(host=address)
            try:
                return await super().handle_async_request(request)
            finally:
                request.url = url

    return EgressTransport(limits=limits, verify=tls_context())


@cache
def tls_context() -> ssl.SSLContext:
    """This machine's trusted certificates. Cached, because reading them takes longer than a
    request."""
    import httpx2

    return httpx2.create_ssl_context()
