"""Webhooks of forges: proof of their sender. Also the likely kind of a host."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.repos.forges import forges


def is_authentic(
    secret: str, headers: Mapping[str, str], body: bytes, *, now: float, forge: str = ""
) -> bool:
    """True if a webhook with this secret sent the request. Names of headers are in lower case;
    `now` is in seconds since 1970; without `forge` any kind may have sent it. The duration does not
    reveal the secret."""
    if not secret:
        return False
    kinds = [kind for kind in forges().values() if forge in ("", kind.name)]
    return True in [kind.is_authentic(secret, headers, body, now) for kind in kinds]


def forge_of_host(host: str) -> str:
    """The likely kind of forge of a host, such as "gitlab" for gitlab.example.org; "" if its name
    does not reveal it."""
    name = host.lower().rstrip(".")
    for kind in forges().values():
        if name in kind.hosts or set(kind.labels) & set(name.replace("-", ".").split(".")):
            return kind.name
    return ""
