"""Connections as lists and drivers read them."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from workflows.db.integers import fits_integer
from workflows.errors import NotThere
from workflows.models import Connection
from workflows.models.endpoint import KINDS, Endpoint
from workflows.security.encryption import DecryptionFailed, decrypt


def connections() -> list[dict[str, Any]]:
    """Every connection by name, without its key."""
    return [connection_json(row) for row in Connection.objects.order_by("name")]


def connection_json(row: Connection) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.name,
        "kind": row.kind,
        "base_url": row.base_url,
        "model": row.model,
        "timeout": row.timeout,
        "default": row.default,
        "has_key": bool(row.sealed_key),
        "created_at": row.created_at.isoformat(),
        "changed_at": row.changed_at.isoformat(),
    }


def connection_named(named: int | str) -> Connection:
    """By name, else by number; "" is this server's default. Raises NotThere."""
    if named == "":
        return _default()
    row = Connection.objects.filter(name=str(named)).first()
    if row is None and fits_integer(str(named)):
        row = Connection.objects.filter(pk=int(named)).first()
    if row is None:
        known = ", ".join(Connection.objects.order_by("name").values_list("name", flat=True))
        raise NotThere(
            f"There is no connection {str(named)!r}.",
            hint=f"There are {known}." if known else "Add one under Settings.",
        )
    return row


def connection_numbered(id: int) -> Connection:
    """Raises NotThere."""
    row = Connection.objects.filter(pk=id).first()
    if row is None:
        raise NotThere(f"There is no connection {id}.")
    return row


def reach_of(row: Connection) -> Endpoint:
    """How to get to this connection's models. Raises DecryptionFailed, with a sentence, where its
    key can no longer be read."""
    (kind,) = (kind for kind in KINDS if kind == row.kind)
    try:
        key = decrypt(row.sealed_key)
    except DecryptionFailed:
        raise DecryptionFailed(
            f"The key of the connection “{row.name}” was stored under another secret key of this "
            "server. Enter it again under Settings."
        ) from None
    return Endpoint(
        name=row.name,
        kind=kind,
        key=key,
        base_url=row.base_url,
        model=row.model,
        private_hosts=tuple(settings.SIGNALBOX_PRIVATE_HOSTS),
        timeout=row.timeout,
    )


def _default() -> Connection:
    """The one that was made it, else the only one there is."""
    rows = list(Connection.objects.order_by("-default", "name")[:2])
    if not rows:
        raise NotThere("There is no connection to a model yet.", hint="Add one under Settings.")
    if len(rows) > 1 and not rows[0].default:
        raise NotThere(
            "There are several connections, and none of them is this server's default.",
            hint="Say which one the run asks, or make one the default under Settings.",
        )
    return rows[0]
