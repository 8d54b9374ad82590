"""Connections for lists and drivers."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import F, Q

from roles.core.columns import columns
from roles.rights import visible
from roles.rows import found
from workflows.core.engine.run import FINISHED
from workflows.db.integers import fits_integer
from workflows.errors import NotThere
from workflows.models import Connection, ModelChoice, RunEvent
from workflows.providers.endpoint import KINDS, Endpoint
from workflows.providers.model_names import ordered
from workflows.security.encryption import DecryptionFailed, decrypt


def connections(person: User) -> list[dict[str, Any]]:
    """The connections that a user may use by name, without their keys."""
    return [connection_json(row) for row in visible(Connection.objects.order_by("name"), person)]


def connection_json(row: Connection) -> dict[str, Any]:
    return {
        "id": row.pk,
        **columns(row, "name", "kind", "base_url", "model"),
        "model_names": ordered(row.model_names),
        **columns(row, "prices", "timeout", "default"),
        "has_key": bool(row.sealed_key),
        **columns(row, "created_at", "changed_at"),
    }


def connection_named(named: int | str, person: User | None) -> Connection:
    """A connection that a user may use, by name, else by number; "" is their default, else the
    server's. Raises NotThere."""
    if named == "":
        return _default(person)
    rows = visible(Connection.objects.order_by("name"), person)
    row = rows.filter(name=str(named)).first()
    if row is None and fits_integer(str(named)):
        row = rows.filter(pk=int(named)).first()
    if row is None:
        names = ", ".join(rows.values_list("name", flat=True))
        raise NotThere(
            f"There is no connection {str(named)!r}.",
            hint=f"Connections: {names}." if names else "Add one under Settings.",
        )
    return row


def runs_that_need(row: Connection) -> int:
    """The number of runs that have not ended and were started with this connection, or whose pack
    has a state that names it."""
    packs = set(ModelChoice.objects.filter(connection=row.name).values_list("pack", flat=True))
    starts = RunEvent.objects.filter(n=1, run__driver="model").exclude(run__status__in=FINISHED)
    started = starts.values_list("run__pack", "fields")
    return sum(pack in packs or fields.get("connection") == row.name for pack, fields in started)


def connection_numbered(id: int) -> Connection:
    """A connection by number. Raises NotThere."""
    return found(Connection.objects.filter(pk=id), NotThere(f"There is no connection {id}."))


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
        names=row.model_names,
        prices=row.prices,
        private_hosts=tuple(settings.SIGNALBOX_PRIVATE_HOSTS),
        timeout=row.timeout,
    )


def _default(person: User | None) -> Connection:
    """The default among the user's own connections and those without an owner, else the only one of
    them; for a user without any, that of the shared ones."""
    order = ("-default", F("owner").desc(nulls_last=True), "name")
    connections = visible(Connection.objects.order_by(*order), person)
    near = connections.filter(Q(owner=None) | Q(owner=person))
    rows = list(near[:2]) or list(connections[:2])
    if not rows:
        raise NotThere("No model connection exists yet.", hint="Add one under Settings.")
    if len(rows) > 1 and not rows[0].default:
        raise NotThere(
            "No connection is this server's default.",
            hint="Choose one for the run, or make one the default under Settings.",
        )
    return rows[0]
