"""Connections for lists and drivers."""

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
    """A connection by name, else by number; "" is the server's default. Raises NotThere."""
    if named == "":
        return _default()
    row = Connection.objects.filter(name=str(named)).first()
    if row is None and fits_integer(str(named)):
        row = Connection.objects.filter(pk=int(named)).first()
    if row is None:
        known = ", ".join(Connection.objects.order_by("name").values_list("name", flat=True))
        raise NotThere(
            f"There is no connection {str(named)!r}.",
            hint=f"Connections: {known}." if known else "Add one under Settings.",
        )
    return row


def connection_numbered(id: int) -> Connection:
    """A connection by number. Raises NotThere."""
    row = Connection.objects.filter(pk=id).first()
    if row is None:
        raise NotThere(f"There is no connection {id}.")
    return row


def reach_of(row: Connection) -> Endpoint:
    """The endpoint of this connection. Raises DecryptionFailed, with a message, if its key can no
    longer be decrypted."""
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
    """The default connection, else the only one."""
    rows = list(Connection.objects.order_by("-default", "name")[:2])
    if not rows:
        raise NotThere("No model connection exists yet.", hint="Add one under Settings.")
    if len(rows) > 1 and not rows[0].default:
        raise NotThere(
            "No connection is this server's default.",
            hint="Choose one for the run, or make one the default under Settings.",
        )
    return rows[0]
