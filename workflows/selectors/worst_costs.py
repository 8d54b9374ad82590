"""The most that a run may cost: its tokens in the worst case, at the prices of its models."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import Any

from django.contrib.auth.models import User

from workflows.core.engine.result import rounded
from workflows.core.rules.worst_case import WorstCase
from workflows.errors import NotThere
from workflows.models import ModelChoice, Pack
from workflows.providers.endpoint import Endpoint
from workflows.providers.model_names import NoModel, model_of
from workflows.providers.prices import Price, price_of
from workflows.security.encryption import DecryptionFailed
from workflows.selectors.connections import connection_named, reach_of
from workflows.selectors.model_choices import choice_json, resolved


def worst_cost(
    pack: Pack,
    person: User,
    worst: WorstCase,
    *,
    per_call: tuple[float, float] | None,
    connection: str = "",
    model: str = "",
) -> dict[str, Any]:
    """`cost`: USD of the worst case with the most expensive model that the run may use, null if it
    is not known; `model`: that model. `as_before`: each call uses the tokens of `per_call`, those
    that calls of earlier runs read and wrote; false: only the tokens written have a cost.

    Models that only the pack names are not known before a run, except by a connection's names.
    """
    unknown = {"cost": None, "model": "", "as_before": per_call is not None}
    calls, written = worst.calls, worst.tokens
    if calls is None or (written is None and per_call is None):
        return unknown
    priced = _prices(_models(pack, person, connection, model))
    if not priced:
        return unknown
    read = ceil(per_call[0] * calls) if per_call else 0
    if written is None:
        written = ceil(per_call[1] * calls) if per_call else 0
    cost, name = max((price.cost(read, written), name) for name, price in priced)
    return {**unknown, "cost": rounded(cost), "model": name}


def _models(
    pack: Pack, person: User, connection: str, model: str
) -> Iterable[tuple[Endpoint, str]] | None:
    """The models that a run may use, each with its endpoint. None without a connection."""
    chosen = {row.state: choice_json(row) for row in ModelChoice.objects.filter(pack=pack)}
    of_run, of_pack = {"connection": connection, "model": model}, chosen.pop("", {})
    result: list[tuple[Endpoint, str]] = []
    for of_state in ({}, *chosen.values()):
        choice = resolved(of_state, of_run, of_pack)
        try:
            endpoint = reach_of(connection_named(choice["connection"], person))
            if choice["model"]:
                names = [choice["model"]]
            else:
                names = list(filter(None, (endpoint.model, *endpoint.names)))
            result += [(endpoint, model_of(endpoint, name)) for name in names]
        except (NotThere, DecryptionFailed, NoModel):
            return None
    return result


def _prices(models: Iterable[tuple[Endpoint, str]] | None) -> list[tuple[str, Price]]:
    """The models with their prices; empty if one has none."""
    priced = [(name, price_of(endpoint, name)) for endpoint, name in models or ()]
    prices = [(name, price) for name, price in priced if price is not None]
    return prices if len(prices) == len(priced) else []
