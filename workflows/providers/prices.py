"""Prices of models in USD per million tokens: those of a connection, else the published ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from workflows.providers.endpoint import Endpoint

ANY_MODEL = "*"
"""The key of the price of all models that a connection lists no other price for."""
MILLION = 1_000_000
_CHECKED = re.compile(r"checked\D{0,120}?(\d{4}-\d{2}-\d{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """USD per million tokens. `cached_input`: input that the provider read from its cache; None if
    it costs as much as other input."""

    input: float
    output: float
    cached_input: float | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Price:
        """A price as a connection stores it."""
        return cls(
            input=row.get("input", 0.0),
            output=row.get("output", 0.0),
            cached_input=row.get("cached_input"),
        )

    def cost(self, input_tokens: int, output_tokens: int, cached: int = 0) -> float:
        """USD of one call. `cached`: the part of the input tokens read from a cache."""
        cached_price = self.input if self.cached_input is None else self.cached_input
        cached = min(cached, input_tokens)
        total = (input_tokens - cached) * self.input + cached * cached_price
        return (total + output_tokens * self.output) / MILLION


def own_price(prices: Mapping[str, Mapping[str, Any]], model: str) -> Price | None:
    """The price that a connection lists for this model, or for any model."""
    row = prices.get(model) or prices.get(ANY_MODEL)
    return Price.of(row) if row else None


def is_priced(endpoint: Endpoint, model: str) -> bool:
    """Return True if the cost of a call of this model is known."""
    return price_of(endpoint, model) is not None


def price_of(endpoint: Endpoint, model: str) -> Price | None:
    """The price of this model: the connection's, else the published one; None if neither is
    known."""
    own = own_price(endpoint.prices, model)
    return published_price(endpoint.kind, endpoint.base_url, model) if own is None else own


@lru_cache(maxsize=256)
def published_price(kind: str, base_url: str, model: str) -> Price | None:
    """The published base price of a provider's model, from the list of genai-prices that is
    installed. None for unknown models and other servers."""
    compatible = kind == "compatible"
    if not model or (compatible and not base_url):
        return None
    try:
        from genai_prices.data_snapshot import get_snapshot

        _, info = get_snapshot().find_provider_model(
            model, None, None if compatible else kind, base_url if compatible else None
        )
    except (LookupError, ModuleNotFoundError):
        return None
    price = info.get_prices(datetime.now(UTC))
    input_price, written = _base(price.input_mtok), _base(price.output_mtok)
    if input_price is None or written is None:
        return None
    return Price(input=input_price, output=written, cached_input=_base(price.cache_read_mtok))


@lru_cache(maxsize=1)
def published_on() -> str:
    """The newest date in the installed list of prices on which they were checked, such as
    `2026-10-09`; "" if the list has none."""
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ModuleNotFoundError:
        return ""
    comments = (
        comment or ""
        for provider in get_snapshot().providers
        for comment in (provider.price_comments, *(one.price_comments for one in provider.models))
    )
    return max((date for text in comments for date in _CHECKED.findall(text)), default="")


def _base(price: Any) -> float | None:
    """The price of the first tier."""
    price = getattr(price, "base", price)
    return None if price is None else float(price)
