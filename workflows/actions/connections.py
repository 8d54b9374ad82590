"""Model connections: create, change, delete. Keys are write-only."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from workflows.errors import BadRequest
from workflows.models import Connection
from workflows.models.endpoint import KINDS
from workflows.security.egress import PrivateAddress, host_of, resolve_host
from workflows.security.encryption import encrypt
from workflows.selectors.connections import connection_numbered

LONGEST_ANSWER = 3_600.0
"""Maximum timeout of an answer, in seconds."""
NEEDS_A_KEY = ("openai", "anthropic", "google")


def create(
    *,
    name: str,
    kind: str,
    base_url: str = "",
    model: str = "",
    key: str = "",
    timeout: float | None = None,
) -> Connection:
    """Create a connection. Raises BadRequest for an invalid value. `timeout`: see
    models.Connection."""
    row = Connection(name=_name(name), kind=kind, base_url=base_url.strip(), model=model.strip())
    row.timeout = timeout
    row.sealed_key = encrypt(key.strip())
    return _saved(row)


@transaction.atomic
def change(connection: int, **given: Any) -> Connection:
    """Change the given fields: name, kind, base_url, model, timeout, key, default. A key that is
    left out is kept, unless the connection gets another address: then it has to be entered again.
    """
    row = connection_numbered(connection)
    before = (row.kind, row.base_url)
    if "name" in given:
        row.name = _name(given["name"])
    for field in ("kind", "base_url", "model"):
        if field in given:
            setattr(row, field, given[field].strip())
    if "timeout" in given:
        row.timeout = given["timeout"]
    if "default" in given:
        if given["default"]:
            Connection.objects.filter(default=True).update(default=False)
        row.default = given["default"]
    if "key" in given:
        row.sealed_key = encrypt(given["key"].strip())
    elif row.sealed_key and (row.kind, row.base_url) != before:
        raise BadRequest(
            "The key was entered for another address. Enter it again to use it with this one.",
            where="key",
        )
    return _saved(row)


@transaction.atomic
def delete(connection: int) -> None:
    """Delete a connection. Raises NotThere. Runs that used it keep its name, and pause when they
    need it again."""
    connection_numbered(connection).delete()


def _saved(row: Connection) -> Connection:
    _check(row)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise BadRequest(f"The connection {row.name!r} already exists.", where="name") from None
    return row


def _name(given: str) -> str:
    name = " ".join(given.split())
    if not name or len(name) > 100:
        raise BadRequest("A connection needs a name of at most 100 characters.", where="name")
    return name


def _check(row: Connection) -> None:
    if row.kind not in KINDS:
        known = ", ".join(KINDS)
        raise BadRequest(f"Unknown kind {row.kind!r}. Kinds: {known}.", where="kind")
    if row.kind in NEEDS_A_KEY and not row.sealed_key:
        raise BadRequest("This provider requires a key.", where="key")
    if row.kind == "compatible" and not row.base_url:
        raise BadRequest(
            "A compatible server needs its base URL.",
            hint="Ollama's is http://localhost:11434/v1.",
            where="base_url",
        )
    if len(row.base_url) > 400 or len(row.model) > 200:
        long = "base_url" if len(row.base_url) > 400 else "model"
        raise BadRequest("This is too long.", where=long)
    if row.timeout is not None and not 1.0 <= row.timeout <= LONGEST_ANSWER:
        raise BadRequest(
            f"An answer may take from 1 second to {LONGEST_ANSWER:,.0f}.", where="timeout"
        )
    if row.base_url:
        _check_address(row.base_url)


def _check_address(url: str) -> None:
    try:
        resolve_host(host_of(url), settings.SIGNALBOX_PRIVATE_HOSTS)
    except (ValueError, PrivateAddress) as wrong:
        raise BadRequest(str(wrong), where="base_url") from None
    except OSError:
        raise BadRequest(f"There is no host at {url}.", where="base_url") from None
