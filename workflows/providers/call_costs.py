"""The most that one run can cost: its calls, the prices of its models, and an assumed number of
tokens for each call, because the files of a pack do not limit them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workflows.providers.model_names import DEFAULTS
from workflows.providers.prices import MILLION, Price, published_on, published_price

WHOLE, READ, WRITTEN = "tokens", "input-tokens", "output-tokens"
ASSUMED = (WHOLE, READ, WRITTEN)
"""The assumptions about one call: its tokens in all, or those that it reads and writes."""
SESSION = ("(session)", "inherit", "")
"""Names of calls without a model of their own."""
PROVIDERS = ("anthropic", "openai", "google")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCost:
    """`models`: name → USD. `missing` are the reasons for which there is no limit; `basis` is what
    the figures rest on."""

    models: Mapping[str, float] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    basis: str = ""

    @property
    def most(self) -> float | None:
        """USD; None without a limit."""
        return None if self.missing else sum(self.models.values())

    def to_json(self) -> dict[str, object]:
        return {
            "most": self.most,
            "models": dict(self.models),
            "missing": list(self.missing),
            "basis": self.basis,
        }


def run_cost(
    calls: Mapping[str, int | None], assumed: Mapping[str, int], session_model: str | None = None
) -> RunCost:
    """The cost of these calls. `calls`: model → its most calls; `a | b` is one of several models,
    of which the most expensive counts. `session_model`: the model of calls that name none."""
    models: dict[str, float] = {}
    missing: dict[str, None] = {}
    names: list[str] = []
    if not _has_tokens(assumed):
        missing[f"tokens of one call: assume {WHOLE}, or {READ} and {WRITTEN}"] = None
    for name, most in calls.items():
        own = [session_model or "" if one in SESSION else one for one in name.split(" | ")]
        found = {one: price for one in own if (price := price_of(one)) is not None}
        if most is None:
            missing[f"calls of {name}"] = None
        elif most and len(found) < len(set(own)):
            lacking = next(one for one in own if one not in found)
            missing[_unpriced(lacking)] = None
        elif most and _has_tokens(assumed):
            models[name] = most * max(_cost(price, assumed) for price in found.values())
            names += [model_of(one) for one in own]
    return RunCost(models=models, missing=tuple(missing), basis=_basis(assumed, names))


def model_of(name: str) -> str:
    """The provider's model of a name: the newest one of a size such as `sonnet`."""
    return DEFAULTS["anthropic"].get(name, name.rpartition("/")[2])


def price_of(name: str) -> Price | None:
    """The published price of a model of one of the providers. Raises ModuleNotFoundError without
    the library of prices."""
    import genai_prices  # noqa: F401 - a price that is not installed is not unknown

    found = (published_price(kind, "", model_of(name)) for kind in PROVIDERS)
    return next((price for price in found if price is not None), None)


def _has_tokens(assumed: Mapping[str, int]) -> bool:
    return WHOLE in assumed or (READ in assumed and WRITTEN in assumed)


def _cost(price: Price, assumed: Mapping[str, int]) -> float:
    """USD of one call. Tokens in all count as the more expensive ones."""
    if READ in assumed and WRITTEN in assumed:
        return price.cost(assumed[READ], assumed[WRITTEN])
    return assumed[WHOLE] * max(price.input, price.output) / MILLION


def _unpriced(name: str) -> str:
    if not name:
        return "the session's model: set session-model"
    return "models that are computed" if name == "?" else f"no published price of {name}"


def _basis(assumed: Mapping[str, int], names: list[str]) -> str:
    if not names:
        return ""
    split = READ in assumed and WRITTEN in assumed
    tokens = (
        f"{assumed[READ]:,} tokens read and {assumed[WRITTEN]:,} written"
        if split
        else f"{assumed[WHOLE]:,} tokens at the price of output"
    )
    listed = ", ".join(dict.fromkeys(names))
    return f"assumes {tokens} for each call; prices of {listed}, checked {published_on()}"
