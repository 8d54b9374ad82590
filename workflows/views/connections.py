"""Model connections on the settings page: add, change, test, delete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from roles.request_user import request_user
from workflows.actions import connections as actions
from workflows.db.integers import integer_or_zero
from workflows.errors import BadRequest, CallerError, Needed
from workflows.isolation.request_turns import REQUESTS
from workflows.providers.endpoint import IN_WORDS
from workflows.providers.prices import published_on, published_price
from workflows.runner.models.connection_test import run_connection_test
from workflows.runner.models.local_servers import HOST, PORTS, find_local_servers
from workflows.security.encryption import DecryptionFailed
from workflows.selectors import connections as read
from workflows.views.audit_middleware import mark_refused

EMPTY_ROWS = 2
FOUND = "local-model-servers"
"""Key of the session: the servers found on this computer, for the next page."""
NEEDED = "needed connection"
"""Key of the session: the number of a connection that runs need, so its deletion was not done."""
REFUSED = "refused-connection"
"""Key of the session: what was entered in a refused form, without the key, and the reason."""


def shown(request: HttpRequest) -> dict[str, Any]:
    """Template data of the connections section. A refused form is shown once more."""
    person: Any = request.user
    needed = request.session.pop(NEEDED, None)
    rows = [
        {
            **row,
            "needed": row["id"] == needed,
            "kind": IN_WORDS[row["kind"]],
            "name_rows": _name_rows(row["model_names"]),
            "price_rows": [*row["prices"].items(), ("", {}), ("", {})],
            "published": _published(row),
        }
        for row in read.connections(person)
    ]
    return {
        "connections": rows,
        "connection_kinds": IN_WORDS.items(),
        "opened_connection": request.GET.get("connection", ""),
        "refused_connection": request.session.pop(REFUSED, None),
        "local_servers": request.session.pop(FOUND, None),
        "local_host": HOST,
        "local_ports": PORTS,
        "may_contact_local": HOST in {host.lower() for host in settings.SIGNALBOX_PRIVATE_HOSTS},
    }


@sensitive_post_parameters("key")
@require_POST
def change_connections(request: HttpRequest) -> HttpResponse:
    """A form of the section, chosen by `do`. Its result is shown on the next page."""
    form = request.POST
    number = integer_or_zero(form.get("connection"))
    try:
        match form.get("do"):
            case "add":
                texts: dict[str, Any] = _texts(form, "name", "kind", "base_url", "model", "key")
                row = actions.create(**texts, timeout=_seconds(form), owner=request_user(request))
                messages.success(request, f"The connection {row.name} was added.")
            case "change":
                row = actions.change(number, **_changes(form))
                messages.success(request, f"The connection {row.name} was changed.")
            case "default":
                row = actions.change(number, default=True)
                messages.success(request, f"{row.name} is the default connection now.")
            case "delete" | "delete-anyway" as do:
                actions.delete(number, force=do == "delete-anyway")
                messages.success(request, "The connection was deleted.")
            case "test":
                _try(request, number)
            case "find":
                request.session[FOUND] = [asdict(one) for one in find_local_servers()]
                return redirect(f"{reverse('settings')}#local-servers")
            case _:
                messages.error(request, "Unknown form.")
    except Needed as needed:
        request.session[NEEDED] = number
        messages.warning(request, needed.message)
    except CallerError as refused:
        if form.get("do") == "add":
            mark_refused(request)
            request.session[REFUSED] = {**_entered(form), "reason": refused.sentence}
            return redirect(f"{reverse('settings')}#new-connection")
        messages.error(request, refused.sentence)
    return redirect(f"{reverse('settings')}#connections")


def _try(request: HttpRequest, connection: int) -> None:
    try:
        with REQUESTS.lent():
            tried = run_connection_test(read.reach_of(read.connection_numbered(connection)))
    except DecryptionFailed as broken:
        messages.error(request, str(broken))
        return
    tell = messages.success if tried.works else messages.error
    tell(request, tried.sentence)


def _entered(form: QueryDict) -> dict[str, str]:
    """The texts of the form. The key is not kept: it has to be entered again."""
    return {
        name: value[:400]
        for name, value in _texts(form, "name", "kind", "base_url", "model", "timeout").items()
    }


def _texts(form: QueryDict, *names: str) -> dict[str, str]:
    return {name: str(form.get(name, "")) for name in names}


def _changes(form: QueryDict) -> dict[str, Any]:
    """Changes in the form. An empty key keeps the stored one."""
    return {
        **_texts(form, "base_url", "model"),
        "timeout": _seconds(form),
        **({"model_names": _model_names(form)} if "model_name" in form else {}),
        **({"prices": _prices(form)} if "price_model" in form else {}),
        **({"key": str(form["key"])} if form.get("key") else {}),
    }


def _published(row: Mapping[str, Any]) -> str:
    """A text about the published price of the connection's model, "" if there is none."""
    price = published_price(row["kind"], row["base_url"], row["model"])
    if price is None:
        return ""
    checked = f", checked {published_on()}" if published_on() else ""
    return (
        f"The published price of {row['model']} is {price.input:g} for input and "
        f"{price.output:g} for output{checked}; a row replaces it."
    )


def _prices(form: QueryDict) -> dict[str, dict[str, float]]:
    """The prices in the form, without empty rows. Raises BadRequest."""
    columns = ("price_model", "price_input", "price_output", "price_cached")
    prices: dict[str, dict[str, float]] = {}
    for texts in zip(*(form.getlist(name) for name in columns), strict=False):
        model, *numbers = (text.strip() for text in texts)
        if not model and not any(numbers):
            continue
        if model in prices:
            raise BadRequest(f"The price of {model!r} is listed twice.", where="prices")
        fields = zip(actions.PRICE_FIELDS, numbers, strict=True)
        prices[model] = {name: _dollars(text) for name, text in fields if text}
    return prices


def _dollars(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise BadRequest(f"{text[:40]!r} is not a price in USD.", where="prices") from None


def _name_rows(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Name and model of each row of the form, with empty rows for new names."""
    return [*names.items(), *[("", "")] * EMPTY_ROWS]


def _model_names(form: QueryDict) -> dict[str, str]:
    """The table in the form, without empty rows. Raises BadRequest."""
    names: dict[str, str] = {}
    rows = zip(form.getlist("model_name"), form.getlist("model_id"), strict=False)
    for name, model in rows:
        if name in names:
            raise actions.listed_twice(name)
        if name.strip() or model.strip():
            names[name] = model
    return names


def _seconds(form: QueryDict) -> float | None:
    """The timeout in the form. Raises BadRequest."""
    entered = str(form.get("timeout", "")).strip()
    try:
        return float(entered) if entered else None
    except ValueError:
        raise BadRequest(f"{entered[:40]!r} is not a number of seconds.", where="timeout") from None
