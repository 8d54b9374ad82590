"""Tokens and money of runs that another runtime has recorded, for each call site."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workflows.core.engine.events import Event
from workflows.core.engine.signals import Usage
from workflows.providers.call_costs import price_of
from workflows.providers.prices import MILLION


@dataclass(slots=True)
class Spent:
    """`least` and `most`: USD. They differ if only the sum of the tokens is recorded."""

    calls: int = 0
    tokens: int = 0
    least: float = 0.0
    most: float = 0.0
    unpriced: set[str] = field(default_factory=set)

    def add(self, usage: Usage, model: str) -> None:
        self.calls += 1
        self.tokens += usage.input_tokens + usage.output_tokens
        price = price_of(model) if model else None
        if usage.cost:
            least = most = usage.cost
        elif price is not None:
            whole = not usage.output_tokens
            cached = price.input if price.cached_input is None else price.cached_input
            least = price.cost(usage.input_tokens, usage.output_tokens)
            least = usage.input_tokens * cached / MILLION if whole else least
            most = usage.input_tokens * price.output / MILLION if whole else least
        else:
            self.unpriced.add(model or "a model that is not recorded")
            return
        self.least += least
        self.most += most

    def text(self) -> str:
        calls = f"{self.calls} call{'' if self.calls == 1 else 's'}"
        return f"{calls}, {self.tokens:,} tokens, {self.money}"

    @property
    def money(self) -> str:
        same = f"{self.least:,.2f}" == f"{self.most:,.2f}"
        money = f"${self.least:,.2f}" if same else f"${self.least:,.2f} to ${self.most:,.2f}"
        lacks = f" without {', '.join(sorted(self.unpriced))}" if self.unpriced else ""
        return f"{money}{lacks}"


def spent_by_state(log: Iterable[Event]) -> Mapping[str, Spent]:
    """State → what its calls have used, in the order of their answers."""
    spent: dict[str, Spent] = defaultdict(Spent)
    for event in log:
        if event.type == "model.replied":
            usage = Usage(**(event.fields.get("usage") or {}))
            spent[event.fields["state"]].add(usage, _model(event.fields))
    return spent


def _model(event: Mapping[str, Any]) -> str:
    return str(event.get("model") or "").partition("#")[0]
