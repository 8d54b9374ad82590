"""Model connections: create, change, delete. Keys are write-only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from roles.rows import unless_taken
from workflows.db.text import is_storable
from workflows.errors import BadRequest, Needed
from workflows.models import Connection
from workflows.providers.endpoint import KINDS
from workflows.providers.model_names import default_names
from workflows.security.egress import PrivateAddress, host_of, resolve_host
from workflows.security.encryption import encrypt
from workflows.selectors.connections import connection_numbered, runs_that_need

LONGEST_ANSWER = 3_600.0
"""Maximum timeout of an answer, in seconds."""
MAX_NAMES = 100
MAX_NAME = 200
MAX_PRICE = 100_000
PRICE_FIELDS = ("input", "output", "cached_input")
NEEDS_A_KEY = ("openai", "anthropic", "google")


def create(*, owner: User | None = None, **fields: Any) -> Connection:
    """Create a connection with these fields of `change`. It has the model names of its provider if
    none are given. Raises BadRequest for an invalid value."""
    row = Connection(owner=owner)
    _put(row, {"model_names": default_names(fields["kind"]), **fields})
    return _saved(row)


@transaction.atomic
def change(connection: int, **fields: Any) -> Connection:
    """Change the given fields of models.Connection; the `key` is encrypted. A key that is left out
    is kept, unless the connection gets another address: then it has to be entered again. Another
    kind replaces default model names by its own.
    """
    row = connection_numbered(connection)
    before = (row.kind, row.base_url)
    if row.model_names == default_names(row.kind):
        fields = {"model_names": default_names(fields.get("kind", row.kind)), **fields}
    if fields.get("default"):
        Connection.objects.filter(default=True, owner=row.owner_id).update(default=False)
    _put(row, fields)
    if "key" not in fields and row.sealed_key and (row.kind, row.base_url) != before:
        raise BadRequest(
            "The key was entered for another address. Enter it again to use it with this one.",
            where="key",
        )
    return _saved(row)


def _put(row: Connection, fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if name == "key":
            row.sealed_key = encrypt(value.strip())
        elif name in CLEAN:
            setattr(row, name, CLEAN[name](value))
        else:
            setattr(row, name, value.strip() if isinstance(value, str) else value)


@transaction.atomic
def delete(connection: int, *, force: bool = False) -> None:
    """Delete a connection. Raises NotThere, and Needed for a connection that runs need, unless
    forced. These runs keep its name, and pause when they need it again."""
    row = connection_numbered(connection)
    if not force and (number := runs_that_need(row)):
        runs = "1 run needs" if number == 1 else f"{number:,} runs need"
        raise Needed(f"{runs} the connection “{row.name}”, and will pause without it.")
    row.delete()


def _saved(row: Connection) -> Connection:
    _check(row)
    with unless_taken(BadRequest(f"The connection {row.name!r} already exists.", where="name")):
        row.save()
    return row


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > 100:
        raise BadRequest("A connection needs a name of at most 100 characters.", where="name")
    return name


def listed_twice(name: str) -> BadRequest:
    return BadRequest(f"The model name {name!r} is listed twice.", where="model_names")


def _names(entered: Mapping[str, str]) -> dict[str, str]:
    """The table without spaces around names and models. Raises BadRequest."""
    if len(entered) > MAX_NAMES:
        raise BadRequest(f"A connection has at most {MAX_NAMES} model names.", where="model_names")
    names: dict[str, str] = {}
    for name, model in ((name.strip(), model.strip()) for name, model in entered.items()):
        if not name:
            raise BadRequest(
                "A model name is empty. Enter the name that packs use.", where="model_names"
            )
        if name in names:
            raise listed_twice(name)
        if len(name) > MAX_NAME or len(model) > MAX_NAME:
            raise BadRequest(
                f"A model name has at most {MAX_NAME} characters.", where="model_names"
            )
        if not (is_storable(name) and is_storable(model)):
            raise BadRequest("Model names must be plain text.", where="model_names")
        names[name] = model
    return names


def checked_prices(entered: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Prices without spaces around the models. Raises BadRequest. See models.Connection."""
    if len(entered) > MAX_NAMES:
        raise BadRequest(f"A connection has at most {MAX_NAMES} prices.", where="prices")
    prices: dict[str, dict[str, float]] = {}
    for model, price in ((model.strip(), price) for model, price in entered.items()):
        if not model or len(model) > MAX_NAME or not is_storable(model):
            raise BadRequest("A price needs the model, or * for any model.", where="prices")
        if model in prices:
            raise BadRequest(f"The price of {model!r} is listed twice.", where="prices")
        prices[model] = _checked_price(model, price)
    return prices


def _checked_price(model: str, price: Mapping[str, Any]) -> dict[str, float]:
    checked: dict[str, float] = {}
    for name in PRICE_FIELDS:
        value = price.get(name)
        if value is None and name == "cached_input":
            continue
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= float(value or 0) <= MAX_PRICE:
            raise BadRequest(
                f"The price of {model!r} needs {name!r}: USD per million tokens, from 0 to "
                f"{MAX_PRICE:,}.",
                where=f"prices.{model}.{name}",
            )
        checked[name] = float(value or 0)
    if unknown := next((name for name in price if name not in PRICE_FIELDS), None):
        raise BadRequest(
            f"A price has no field {str(unknown)[:60]!r}.",
            hint=f"Use {', '.join(PRICE_FIELDS)}.",
            where=f"prices.{model}",
        )
    return checked


CLEAN: Mapping[str, Callable[[Any], Any]] = {
    "name": _name, "model_names": _names, "prices": checked_prices,
}  # fmt: skip
"""Field → its value without spaces around names. Raises BadRequest."""


def _check(row: Connection) -> None:
    if row.kind not in KINDS:
        kinds = ", ".join(KINDS)
        raise BadRequest(f"Unknown kind {row.kind!r}. Kinds: {kinds}.", where="kind")
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
        check_address(row.base_url, "base_url")


def check_address(url: str, where: str) -> str:
    """The host of an address that this server may contact. Raises BadRequest."""
    try:
        host = host_of(url)
        resolve_host(host, settings.SIGNALBOX_PRIVATE_HOSTS)
    except (ValueError, PrivateAddress) as error:
        raise BadRequest(str(error), where=where) from None
    except OSError:
        raise BadRequest(f"There is no host at {url}.", where=where) from None
    return host
